// `dasgd run`: every experiment of a file, one after the other.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/checked_experiment.h"
#include "experiments/commands/command.h"
#include "experiments/comparison.h"
#include "experiments/launcher.h"
#include "experiments/run_summary.h"
#include "experiments/text.h"

namespace dasgd::experiments {

namespace {

struct RunOptions {
    std::string file, workspace;
    Overrides overrides;
    bool json = false, dryRun = false, quiet = false;
};

std::string titleOf(const CheckedExperiment& experiment) {
    return experiment.label.empty() ? experiment.algorithm + ", seed " + std::to_string(experiment.seed)
                                    : experiment.label;
}

std::string counted(std::size_t index, std::size_t count, const std::string& title) {
    return count == 1 ? title : std::to_string(index + 1) + "/" + std::to_string(count) + " " + title;
}

int dryRun(const RunOptions& options, const std::vector<CheckedExperiment>& experiments) {
    for (std::size_t i = 0; i < experiments.size(); ++i) {
        const CheckedExperiment& experiment = experiments[i];
        if (options.json) {
            const nlohmann::json line = {
                {"experiment", experiment.name},       {"label", experiment.label},
                {"algorithm", experiment.algorithm},   {"seed", experiment.seed},
                {"workers", experiment.workers},       {"steps", experiment.totalSteps},
                {"parameters", experiment.parameters}, {"config", toTomlDocument(experiment.resolved)}};
            std::printf("%s\n", dumpLine(line).c_str());
            continue;
        }
        std::printf("# %s: %lld steps on %d workers (%s%s), %lld parameters\n%s\n",
                    printable(counted(i, experiments.size(), titleOf(experiment))).c_str(),
                    static_cast<long long>(experiment.totalSteps), experiment.workers, experiment.backend.c_str(),
                    experiment.link.empty() ? "" : (", emulated link " + printable(experiment.link)).c_str(),
                    static_cast<long long>(experiment.parameters), toTomlDocument(experiment.resolved).c_str());
    }
    return kFinished;
}

class Session {
public:
    Session(const RunOptions& options, storage::Store store, StopSignals& signals)
        : options_(options), store_(std::move(store)), signals_(signals) {}

    int runAll(const std::vector<CheckedExperiment>& experiments) {
        const Provenance provenance = collectProvenance(std::filesystem::path(options_.file).parent_path());
        Launcher launcher(store_, signals_, Progress::styleFor(options_.quiet));
        for (std::size_t i = 0; i < experiments.size() && signals_.count() == 0; ++i) {
            const std::string title = counted(i, experiments.size(), titleOf(experiments[i]));
            const auto launched = launcher.run(experiments[i], provenance, title);
            if (!launched) {
                refuse(launched.error());
                return kRunFailed;
            }
            report(*launched, title);
        }
        if (!options_.json && runIds_.size() > 1) compareAll();
        if (signals_.count() > 0) return kStopped;
        return failed_ ? kRunFailed : stopped_ ? kStopped : kFinished;
    }

private:
    void report(const LaunchedRun& launched, const std::string& title) {
        runIds_.push_back(launched.runId);
        failed_ = failed_ || launched.status == "failed";
        stopped_ = stopped_ || launched.status == "stopped";
        auto reader = storage::RunReader::open(store_.paths().root);
        const auto summary = reader ? summariseRun(*reader, launched.runId) : tl::unexpected(reader.error());
        if (!summary) {
            std::fprintf(stderr, "dasgd: %s\n", printable(summary.error().message).c_str());
            return;
        }
        if (options_.json) {
            std::printf("%s\n", dumpLine(toJson(*summary)).c_str());
        } else {
            std::printf("%s: %s\n    %s\n", printable(title).c_str(), printable(launched.runId).c_str(),
                        summaryLine(*summary).c_str());
        }
        std::fflush(stdout);
    }

    void compareAll() {
        auto reader = storage::RunReader::open(store_.paths().root);
        if (!reader) return;
        const auto comparison = compareRuns(*reader, runIds_, "");
        if (comparison) std::printf("\n%s", comparisonText(*comparison).c_str());
    }

    const RunOptions& options_;
    storage::Store store_;
    StopSignals& signals_;
    std::vector<std::string> runIds_;
    bool failed_ = false, stopped_ = false;
};

int run(const RunOptions& options) {
    // Before torch starts a thread: see StopSignals.
    std::optional<StopSignals> signals;
    if (!options.dryRun) signals.emplace();
    const auto experiments = loadExperiments(options.file, options.overrides);
    if (!experiments) return refuse(experiments.error());
    if (options.dryRun) return dryRun(options, *experiments);
    auto store = storage::Store::open(std::filesystem::absolute(options.workspace));
    if (!store) return refuse(store.error());
    if (store->recovered() > 0 && !options.quiet) {
        std::fprintf(stderr, "dasgd: took in the records of %d run(s) whose owner had died\n", store->recovered());
    }
    return Session(options, std::move(*store), *signals).runAll(*experiments);
}

}  // namespace

Action declareRun(CLI::App& app) {
    auto options = std::make_shared<RunOptions>();
    app.add_option("FILE", options->file, "The experiment, a .toml file")->required();
    addSetOption(app, options->overrides.set);
    app.add_option("--sweep", options->overrides.sweep, "Vary a key: --sweep train.seed=1..5")->allow_extra_args(false);
    addPlatformOption(app, options->overrides.platform);
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One line of JSON a run when it ends, on stdout");
    app.add_flag("--dry-run", options->dryRun, "Check everything, print what would run, start nothing");
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    app.footer(
        "step_ms is the mean time of a step without evaluations and without the first 3 steps.\n"
        "Ctrl-C stops all ranks at one step and keeps everything recorded; again: ends them at once.");
    return [options] { return run(*options); };
}

}  // namespace dasgd::experiments
