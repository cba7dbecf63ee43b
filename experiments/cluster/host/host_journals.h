// Journals that a host still keeps of ended runs because the collector of the run did not get them, and the two
// processes that bring them to rank 0's host.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/base/process.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

// By run: the ranks whose journals lie in the workspace and are written by no process any more.
[[nodiscard]] std::map<std::string, std::vector<int>> journalsLeft(const storage::WorkspacePaths& paths);

// The runs that are stored there and have ended, those whose processes are gone among them.
[[nodiscard]] std::vector<std::string> runsEnded(const storage::WorkspacePaths& paths);
// Identity of a workspace folder, equal on all hosts that see it, taken from its lab.db; "" if there is none.
[[nodiscard]] std::string identityOf(const std::filesystem::path& workspace);

// The parameters that both processes need.
struct JournalsRequest {
    std::string workspace, run, secret;
    std::string address;   // address of the collector's host
    std::string endpoint;  // endpoint of the collector, for the other hosts
    std::vector<int> ranks;
    [[nodiscard]] nlohmann::json toJson() const;
    // Errors: a field is missing or of another type.
    static Result<JournalsRequest> from(const nlohmann::json& json);
};

// Owner: one thread. Destroying it ends the processes; what was not brought stays in the journals.
class HostJournals {
public:
    explicit HostJournals(std::string program) : program_(std::move(program)) {}

    // `dasgd collect`: answers where it listens. Errors: it ended before that, with its words.
    Result<std::string> collect(const JournalsRequest& request);
    // `dasgd forward` for each rank.
    Status forward(const JournalsRequest& request);
    // The ranks whose records are complete, once `dasgd collect` has ended; nullopt until then. Errors: it failed.
    Result<std::optional<std::vector<int>>> collected();

private:
    std::string program_;
    std::unique_ptr<ChildProcess> collector_;
    std::filesystem::path words_;  // file with the output of the collector
    std::vector<ChildProcess> forwarders_;
};

}  // namespace dasgd::experiments
