// A run of real processes that a fault case breaks, and checks of what is left of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/control.h"
#include "storage/read/workspace_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"
#include "tests/support/processes.h"

namespace dasgd::test {

using SteadyClock = std::chrono::steady_clock;

inline double secondsSince(SteadyClock::time_point begin) {
    return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// True where the process has the file open.
inline bool hasOpen(pid_t process, const std::filesystem::path& file) {
    std::error_code code;
    const auto wanted = std::filesystem::canonical(file, code);
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", code)) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry.path(), gone) == wanted) return true;
    }
    return false;
}

// An endless run of two ranks (quickExperiment), seen by its processes and by its workspace.
class BrokenRun {
public:
    // `prepare` is called once its folder is there, with nothing in it.
    explicit BrokenRun(const std::string& backend = "gloo", const std::vector<std::string>& more = {},
                       const Environment& environment = {},
                       const std::function<void(const DasgdFolder&)>& prepare = nullptr) {
        if (prepare) prepare(folder_);
        folder_.write("e.toml", quickExperiment(backend, 100'000'000));
        std::vector<std::string> arguments{"run", "e.toml", "-w", "w", "-q"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        launcher_.emplace(folder_.start(arguments, environment));
        EXPECT_TRUE(newestRunTrains(folder_.workspace()));
        children_ = childrenOf(launcher_->id());
    }
    [[nodiscard]] StartedProgram& launcher() { return *launcher_; }
    [[nodiscard]] const DasgdFolder& folder() const { return folder_; }
    // Processes of the ranks, as they were once the run trained.
    [[nodiscard]] const std::vector<pid_t>& ranks() const { return children_; }

    // True if all processes of the ranks end within `patience`.
    [[nodiscard]] bool ranksEndWithin(std::chrono::seconds patience) const {
        return eventually([&] { return std::ranges::all_of(children_, hasEnded); }, patience);
    }
    [[nodiscard]] storage::RunRow row() const {
        auto reader = storage::RunReader::open(folder_.workspace());
        return reader ? reader->list()->front() : storage::RunRow{};
    }
    // Steps that a rank has published as completed; 0 without a control page.
    [[nodiscard]] std::int64_t completed(int rank) const {
        const auto control = RunControl::open(folder_.workspace() / "runs" / folder_.firstRun() / "control");
        return control ? control->completed(Rank(rank)) : 0;
    }
    // True if the database is whole and holds one loss for each step that each rank has published as completed.
    [[nodiscard]] bool holdsEveryStep() const {
        auto reader = storage::WorkspaceReader::open(folder_.workspace());
        if (!reader || !reader->checkIntegrity()) return false;
        for (int rank = 0; rank < 2; ++rank) {
            const auto losses =
                reader->metrics().samples({.runId = folder_.firstRun(), .name = "train/loss", .rank = rank});
            if (!losses || losses->samples.empty()) return false;
            const std::int64_t last = losses->samples.back().step;
            if (last < completed(rank) || static_cast<std::int64_t>(losses->samples.size()) != last) return false;
        }
        return true;
    }

private:
    DasgdFolder folder_;
    std::optional<StartedProgram> launcher_;
    std::vector<pid_t> children_;
};

}  // namespace dasgd::test
