// A run under way, seen from outside as its workspace has it.
#pragma once

#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::test {

// Waits until `holds` of the newest run of the workspace; false where that takes too long. It looks seldom, because a
// look takes as much of a processor as some steps, and waits long, as processes start slowly beside others.
template <class Holds>
bool newestRunComesTo(const std::filesystem::path& workspace, Holds holds) {
    auto reader = storage::RunReader::open(workspace);
    const auto comes = [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        if (!reader) reader = storage::RunReader::open(workspace);
        const auto rows = reader ? reader->list() : tl::unexpected(Error{});
        return rows && !rows->empty() && holds(rows->front());
    };
    return eventually(comes, std::chrono::seconds(60));
}
inline bool newestRunTrains(const std::filesystem::path& workspace) {
    return newestRunComesTo(workspace, [](const storage::RunRow& row) { return row.steps > 10; });
}

// Calls `act` while a started run and its ranks rest, so that the run cannot end before what `act` starts has begun.
template <class Act>
auto atRest(const StartedProgram& program, Act act) {
    std::vector<pid_t> processes = childrenOf(program.id());
    processes.push_back(program.id());
    for (const pid_t process : processes) ::kill(process, SIGSTOP);
    struct GoOn {
        const std::vector<pid_t>& processes;
        ~GoOn() {
            for (const pid_t process : processes) ::kill(process, SIGCONT);
        }
    } goOn{processes};
    return act();
}

}  // namespace dasgd::test
