#include "experiments/launch/run_series.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "core/base/log.h"
#include "experiments/base/errors.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

std::string titleOf(const CheckedExperiment& experiment) {
    return experiment.label.empty() ? experiment.algorithm + ", seed " + std::to_string(experiment.seed)
                                    : experiment.label;
}

std::string counted(std::size_t index, std::size_t count, const std::string& title) {
    return count == 1 ? title : std::to_string(index + 1) + "/" + std::to_string(count) + " " + title;
}

void showExperiments(const std::vector<CheckedExperiment>& experiments, bool json) {
    for (std::size_t i = 0; i < experiments.size(); ++i) {
        const CheckedExperiment& experiment = experiments[i];
        if (json) {
            const nlohmann::json line = {{"experiment", experiment.name},
                                         {"label", experiment.label},
                                         {"algorithm", experiment.algorithm},
                                         {"seed", experiment.seed},
                                         {"workers", experiment.workers},
                                         {"steps", experiment.totalSteps},
                                         {"eval_every", experiment.evalEvery},
                                         {"parameters", experiment.parameters},
                                         {"config", toTomlDocument(experiment.resolved)}};
            std::printf("%s\n", dumpLine(line).c_str());
            continue;
        }
        const std::string evaluated =
            experiment.evalEvery > 0 ? ", evaluated every " + std::to_string(experiment.evalEvery) : "";
        std::printf("# %s: %lld steps%s on %d workers (%s%s), %lld parameters\n%s\n",
                    printable(counted(i, experiments.size(), titleOf(experiment))).c_str(),
                    static_cast<long long>(experiment.totalSteps), evaluated.c_str(), experiment.workers,
                    experiment.backend.c_str(),
                    experiment.link.empty() ? "" : (", emulated link " + printable(experiment.link)).c_str(),
                    static_cast<long long>(experiment.parameters), toTomlDocument(experiment.resolved).c_str());
    }
}

std::string RunSeries::run(const CheckedExperiment& experiment, const std::string& title, const Report& report) {
    const auto launched = session_.run(experiment, title);
    if (!launched) {
        refuse(launched.error());
        broken_ = true;
        return {};
    }
    failed_ = failed_ || launched->status == "failed";
    stopped_ = stopped_ || launched->status == "stopped";
    auto records = session_.reader();
    const auto row = records ? records->row(launched->runId) : tl::unexpected(records.error());
    if (row) {
        report(*row, title);
    } else {
        logLine(LogLevel::Error, printable(row.error().message));
    }
    std::fflush(stdout);
    return launched->runId;
}

int RunSeries::exitCode() const {
    if (broken_) return kRunFailed;
    if (session_.stopped()) return kStopped;
    return failed_ ? kRunFailed : stopped_ ? kStopped : kFinished;
}

}  // namespace dasgd::experiments
