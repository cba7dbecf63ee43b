// Ranks as torchrun starts them on this host.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/dasgd_program.h"
#include "tests/support/free_port.h"

namespace dasgd::test {

// Environment that rank `rank` of `size`, which meet at `port`, finds; `more` beside it.
inline Environment handEnvironment(std::size_t rank, std::size_t size, const std::string& port, Environment more = {}) {
    more.insert({{"RANK", std::to_string(rank)},
                 {"WORLD_SIZE", std::to_string(size)},
                 {"MASTER_ADDR", "127.0.0.1"},
                 {"MASTER_PORT", port}});
    return more;
}

// Rank r trains e.toml into the workspace `workspaces[r]`, with the options `more`.
inline std::vector<StartedProgram> startByHand(const DasgdFolder& folder, const std::vector<std::string>& workspaces,
                                               const std::vector<std::string>& more = {},
                                               const Environment& environment = {},
                                               const std::string& file = "e.toml") {
    const std::string port = std::to_string(freePort());
    std::vector<StartedProgram> workers;
    for (std::size_t rank = 0; rank < workspaces.size(); ++rank) {
        std::vector<std::string> arguments{"worker", file, "-w", workspaces[rank]};
        arguments.insert(arguments.end(), more.begin(), more.end());
        workers.push_back(folder.start(arguments, handEnvironment(rank, workspaces.size(), port, environment)));
    }
    return workers;
}

inline std::vector<Ended> waitForAll(std::vector<StartedProgram> workers) {
    std::vector<Ended> ended;
    for (StartedProgram& worker : workers) ended.push_back(worker.wait());
    return ended;
}

// `experiment`, made by quickExperiment(), of three ranks.
inline std::string ofThreeRanks(std::string experiment) {
    for (const auto& [two, three] :
         {std::pair{"workers = 2", "workers = 3"}, std::pair{"[0.0, 1.0]]", "[0.0, 1.0], [1.0, 1.0]]"}}) {
        const auto at = experiment.find(two);
        DASGD_CHECK(at != std::string::npos);
        experiment.replace(at, std::string(two).size(), three);
    }
    return experiment;
}

}  // namespace dasgd::test
