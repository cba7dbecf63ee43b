// The ranks that one host contributes to a run whose launcher is elsewhere: started, observed and ended together.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/control.h"
#include "core/base/result.h"
#include "experiments/base/process.h"
#include "storage/base/workspace.h"
#include "storage/runs/run_row.h"

namespace dasgd::experiments {

// A launcher's request to a host to start ranks.
struct RanksRequest {
    std::string experiment;  // the text of one experiment
    std::string workspace, secret, address, interface;
    int port = 0, size = 1, first = 0, count = 1;
    std::int64_t gpus = 0;
    double bytesOfRank = -1;  // HostedExperiment::bytesOfRank
    bool resume = false;
    std::string earlier;                   // run from whose checkpoint they resume; "": none
    std::int64_t earlierStep = 0;          // step of that checkpoint
    std::vector<std::string> environment;  // "NAME=value"

    [[nodiscard]] nlohmann::json toJson() const;
    // Errors: a field is missing or of another type.
    static Result<RanksRequest> from(const nlohmann::json& json);
};

// The answer about a recorded run: its row, with the summary for people.
[[nodiscard]] nlohmann::json resultOf(const storage::RunRow& row, const storage::WorkspacePaths& paths);

// Owner: one thread, which outlives the ranks: the kernel ends them with it.
class HostRanks {
public:
    using Tell = std::function<void(const nlohmann::json& event)>;

    // Starts all of them. The experiment is in a file that only this user can read, until they have ended. Errors: the
    // workspace cannot be made; a process does not start (those before it are ended).
    static Result<std::unique_ptr<HostRanks>> start(RanksRequest request, const std::string& program);
    ~HostRanks();
    HostRanks(const HostRanks&) = delete;
    HostRanks& operator=(const HostRanks&) = delete;

    // Asks one of them, which takes all ranks of the run along; once, however often this is called, unless that one has
    // ended since.
    void stop();
    void end();
    // Tells who has ended since, and once all have, that; and, once rank 0 has named the run, its id and the steps that
    // rank 0 has completed.
    void attend(const Tell& tell);
    [[nodiscard]] bool running() const;
    // The runs of the workspace that did not exist before the start.
    [[nodiscard]] std::set<std::string> runsSince() const;
    [[nodiscard]] std::vector<int> watched() const;  // readable when a rank ends

private:
    struct One {
        int rank = 0;
        ChildProcess process;
        std::filesystem::path log;
        std::optional<ProcessExit> exit;
        bool asked = false;  // the rank was asked to stop
    };
    explicit HostRanks(RanksRequest request) : request_(std::move(request)) {}
    [[nodiscard]] ChildProcess::Options options(int rank, const std::string& program) const;
    [[nodiscard]] std::vector<std::string> environment(int rank) const;
    [[nodiscard]] nlohmann::json ended(const One& one) const;
    [[nodiscard]] nlohmann::json result() const;
    void tellProgress(const Tell& tell);

    RanksRequest request_;
    storage::WorkspacePaths paths_;
    std::filesystem::path file_;
    std::string stamp_;
    std::vector<One> ranks_;
    std::set<std::string> earlier_;  // runs that were there before
    std::optional<RunControl> control_;
    std::string run_;  // run whose page control_ is
    std::int64_t told_ = -1;
    bool allTold_ = false;
};

}  // namespace dasgd::experiments
