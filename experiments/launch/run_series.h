// Experiments one after the other in one workspace, each reported when it ends: what `run` and `scale` share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/config/checked_experiment.h"
#include "experiments/launch/run_session.h"
#include "experiments/report/run_summary.h"

namespace dasgd::experiments {

// Prints what would run: a line of JSON each, or the resolved TOML.
void showExperiments(const std::vector<CheckedExperiment>& experiments, bool json);

// "dasgd, seed 1", or what the sweep chose.
[[nodiscard]] std::string titleOf(const CheckedExperiment& experiment);
// "2/4 dasgd, seed 1"; the title alone where there is one experiment.
[[nodiscard]] std::string counted(std::size_t index, std::size_t count, const std::string& title);

// Owner: main's thread. `session` outlives it.
class RunSeries {
public:
    using Report = std::function<void(const storage::RunRow& row, const std::string& title)>;

    explicit RunSeries(RunSession& session) : session_(session) {}

    // Answers the run's id; "" where it could not even be written down, which is said on stderr and ends the series.
    std::string run(const CheckedExperiment& experiment, const std::string& title, const Report& report);
    // Ctrl-C, or a run that could not be written down.
    [[nodiscard]] bool ended() const { return broken_ || session_.stopped(); }
    [[nodiscard]] int exitCode() const;

private:
    RunSession& session_;
    bool failed_ = false, stopped_ = false, broken_ = false;
};

}  // namespace dasgd::experiments
