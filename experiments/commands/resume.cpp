// `dasgd resume`: a run goes on from its checkpoint, as a run of its own.
#include <cstdio>
#include <memory>
#include <optional>

#include "core/base/log.h"
#include "core/base/toml_reader.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/launch/resume_point.h"
#include "experiments/launch/run_series.h"
#include "experiments/mirror/remote.h"
#include "experiments/report/run_summary.h"
#include "storage/mirror/mirror_sink.h"

namespace dasgd::experiments {

namespace {

struct ResumeOptions {
    std::string run, workspace;
    std::optional<std::int64_t> step;
    std::optional<int> workers;
    bool json = false, quiet = false;
};

// Errors: the run has not ended, or has nothing left to do.
Status checkEnded(storage::RunReader& reader, const storage::RunRow& run) {
    if (run.status == "queued" || run.status == "running") {
        DASGD_ASSIGN(const auto lost, reader.lost(run.runId));
        if (!lost) return fail("run " + run.runId + " is " + run.status + "; stop it first: dasgd stop " + run.runId);
    }
    if (run.status == "finished") {
        return fail("run " + run.runId + " has finished, at step " + std::to_string(run.steps) +
                    "; there is nothing left of it to train");
    }
    if (run.imported()) return fail("run " + run.runId + " was imported from a trace: it cannot be run");
    return {};
}

std::int64_t stepsSetIn(const Value& resolved) {
    const Value* steps = resolved.find("train")->find("steps");
    return steps ? steps->as<std::int64_t>() ? *steps->as<std::int64_t>() : 0 : 0;
}

// The same training by another number of workers, of as many samples.
Result<CheckedExperiment> withWorkers(const Value& document, const CheckedExperiment& before, int workers) {
    if (!before.elastic) {
        return fail("a run of " + before.algorithm + " goes on with as many workers as it had, " +
                    std::to_string(before.workers) +
                    ": what it keeps belongs to ranks of that number. Leave --workers out");
    }
    Overrides overrides{.set = {"cluster.workers=" + std::to_string(workers)}};
    const std::int64_t steps = stepsSetIn(before.resolved);
    if (steps > 0) {
        overrides.set.push_back("train.steps=" + std::to_string((steps * before.workers + workers - 1) / workers));
    }
    DASGD_ASSIGN(std::vector<CheckedExperiment> checked, checkExperiments(document, overrides));
    return std::move(checked.front());
}

struct Resumable {
    storage::RunRow run;
    FoundResumePoint from;
    CheckedExperiment experiment;
};

Result<Resumable> find(const ResumeOptions& options) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    DASGD_ASSIGN(storage::RunRow run, reader.row(options.run));
    DASGD_TRY(checkEnded(reader, run));
    const storage::WorkspacePaths paths{std::filesystem::absolute(options.workspace)};
    DASGD_ASSIGN(FoundResumePoint from, resumePointOf(paths, reader, run, options.step));
    // The file, not its text in the record: what it names lies beside it.
    DASGD_ASSIGN(const Value document, readTomlFile(paths.run(run.runId) / "experiment.toml"));
    DASGD_ASSIGN(CheckedExperiment experiment, checkExperiment(document));
    if (options.workers && *options.workers != experiment.workers) {
        DASGD_ASSIGN(experiment, withWorkers(document, experiment, *options.workers));
    }
    return Resumable{std::move(run), std::move(from), std::move(experiment)};
}

// What it does, and of another number of workers what that means.
std::string goesOnInWords(const Resumable& found) {
    const std::string step = std::to_string(found.from.point.step);
    const std::string total = std::to_string(found.experiment.totalSteps);
    std::string words = "run " + found.run.runId + " goes on from step " + step;
    if (found.run.workers == found.experiment.workers) return words + " of " + total;
    words += " with " + std::to_string(found.experiment.workers) + " workers in place of " +
             std::to_string(found.run.workers) + ", at the same place in the data: " + total +
             " steps in all. Every rank begins with the mean of the weights and of the optimiser's state; what was in "
             "flight or a rank's own of the algorithm is left behind";
    return words;
}

// A run of another machine's workspace: there are its checkpoints, and there it goes on.
std::optional<storage::RunRow> remoteRun(const ResumeOptions& options) {
    auto reader = storage::RunReader::open(options.workspace);
    if (!reader) return std::nullopt;
    auto row = reader->row(options.run);
    if (!row || !storage::isRemote(row->origin)) return std::nullopt;
    return std::move(*row);
}

int resumeThere(const storage::RunRow& run, const ResumeOptions& options) {
    std::vector<std::string> arguments{"resume", run.runId};
    if (options.step) arguments.insert(arguments.end(), {"--step", std::to_string(*options.step)});
    if (options.workers) arguments.insert(arguments.end(), {"--workers", std::to_string(*options.workers)});
    if (options.json) arguments.emplace_back("--json");
    if (options.quiet) arguments.emplace_back("--quiet");
    const auto ended = runAtOrigin(run.origin, run.originProgram, arguments);
    return ended ? *ended : refuse(ended.error());
}

int resume(const ResumeOptions& options) {
    if (const auto there = remoteRun(options)) return resumeThere(*there, options);
    StopSignals signals;  // before torch starts a thread
    auto found = find(options);
    if (!found) return refuse(found.error());
    for (const std::string& damaged : found->from.passedOver) {
        logLine(LogLevel::Warning, printable("passed over: " + damaged));
    }
    auto session = RunSession::open(options.workspace, std::filesystem::current_path(), signals,
                                    Progress::styleFor(options.quiet));
    if (!session) return refuse(session.error());
    RunSeries series(**session);
    const ResumePoint& from = found->from.point;
    if (!options.quiet) logLine(LogLevel::Info, printable(goesOnInWords(*found)));
    series.resume(found->experiment, from,
                  [&](const storage::RunRow& row, const std::string& title) { reportRun(row, title, options.json); });
    return series.exitCode();
}

Action declareResume(CLI::App& app) {
    auto options = std::make_shared<ResumeOptions>();
    app.add_option("RUN", options->run, "Run id, or the beginning of one")->required();
    app.add_option("--step", options->step, "The checkpoint after this step; default: the newest");
    app.add_option(
           "--workers", options->workers,
           "Go on with so many workers; default: as many as it had. Where the algorithm can begin behind any step "
           "from weights that all ranks have in common")
        ->check(CLI::PositiveNumber);
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One line of JSON when it ends, on stdout");
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    app.footer(
        "It goes on as a run of its own, whose record names the one before: curves, steps, samples, bytes and time go "
        "on;\n"
        "spans and what is formed from them are of its own part. On the processor it ends with the same weights, to "
        "the last\n"
        "bit, as one that was never stopped.\n"
        "With another number of workers it trains on as many samples as it would have: `train.steps` is set for that, "
        "other\n"
        "settings in steps stay as they are. What of the epoch in progress comes again or not at all depends on how "
        "the data\n"
        "are divided.");
    return [options] { return resume(*options); };
}

const CommandRegistry::Add kResumeEntry{{.order = 42,
                                         .name = "resume",
                                         .summary = "Go on with a run that was stopped, failed or interrupted",
                                         .declare = declareResume}};

}  // namespace

}  // namespace dasgd::experiments
