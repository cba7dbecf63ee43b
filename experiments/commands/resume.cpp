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
    return Resumable{std::move(run), std::move(from), std::move(experiment)};
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
    if (!options.quiet) {
        logLine(LogLevel::Info,
                printable("run " + found->run.runId + " goes on from step " + std::to_string(from.step) + " of " +
                          std::to_string(found->experiment.totalSteps)));
    }
    series.resume(found->experiment, from,
                  [&](const storage::RunRow& row, const std::string& title) { reportRun(row, title, options.json); });
    return series.exitCode();
}

Action declareResume(CLI::App& app) {
    auto options = std::make_shared<ResumeOptions>();
    app.add_option("RUN", options->run, "Run id, or the beginning of one")->required();
    app.add_option("--step", options->step, "The checkpoint after this step; default: the newest");
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One line of JSON when it ends, on stdout");
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    app.footer(
        "It goes on as a run of its own, whose record names the one before: curves, steps, samples, bytes and time go "
        "on;\n"
        "spans and what is formed from them are of its own part. On the processor it ends with the same weights, to "
        "the last\n"
        "bit, as one that was never stopped.");
    return [options] { return resume(*options); };
}

const CommandRegistry::Add kResumeEntry{{.order = 42,
                                         .name = "resume",
                                         .summary = "Go on with a run that was stopped, failed or interrupted",
                                         .declare = declareResume}};

}  // namespace

}  // namespace dasgd::experiments
