// `dasgd resume`: a run goes on from its checkpoint, as a run of its own.
#include <cstdio>
#include <memory>
#include <optional>

#include "core/base/log.h"
#include "core/base/schema/toml_reader.h"
#include "experiments/base/text.h"
#include "experiments/cluster/ssh/run_on_hosts.h"
#include "experiments/commands/command.h"
#include "experiments/config/document.h"
#include "experiments/ranks/meeting/rank_environment.h"
#include "experiments/run/session/resume_point.h"
#include "experiments/run/session/resumed_experiment.h"
#include "experiments/run/session/run_series.h"
#include "experiments/tools/report/run_summary.h"
#include "experiments/transport/mirror/remote.h"
#include "storage/mirror/mirror_sink.h"

namespace dasgd::experiments {

namespace {

struct ResumeOptions {
    std::string run, workspace;
    std::string cluster;  // "": here
    std::optional<std::int64_t> step;
    std::optional<int> workers;
    bool json = false, quiet = false;
};

struct Resumable {
    storage::RunRow run;
    FoundResumePoint from;
    CheckedExperiment experiment;
};

Result<Resumable> find(const ResumeOptions& options) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    DASGD_ASSIGN(storage::RunRow run, reader.row(options.run));
    DASGD_TRY(checkResumable(reader, run));
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

// Says from which step a run resumes, and the consequences of another number of workers.
std::string goesOnInWords(const Resumable& found) {
    const std::string step = std::to_string(found.from.point.step);
    const std::string total = std::to_string(found.experiment.totalSteps);
    std::string words = "run " + found.run.runId + " goes on from step " + step;
    if (found.from.point.ranks == found.experiment.workers) return words + " of " + total;
    words += ", which " + std::to_string(found.from.point.ranks) + " workers made, with " +
             std::to_string(found.experiment.workers) + ", at the same place in the data: " + total +
             " steps in all. Every rank begins with the model that evaluations judged and the mean of the optimiser's "
             "states; the algorithm begins anew behind this step, without what was in flight and what else it keeps "
             "(slow momentum, a period that it chose, what compression has not sent yet), and so does the state that a "
             "recurrent network carries from "
             "batch to batch; counters of a TorchScript network go on as rank 0's";
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

int resumeOnCluster(const ResumeOptions& options) {
    if (options.step)
        return refuse({"--step is of runs on this host; beside --on it goes on from the newest checkpoint"});
    const auto profile = findClusterProfile(options.cluster, clusterFolders(".", processEnvironment));
    if (!profile) return refuse(profile.error());
    if (profile->kind != ClusterProfile::kSsh) {
        return refuse({"cluster '" + profile->name + "' is of kind \"" + profile->kind +
                       "\", and only the hosts of \"ssh\" keep runs that this command finds; `dasgd run FILE --on " +
                       profile->name + " --resume` goes on"});
    }
    StopSignals signals;
    const ClusterTask task{.json = options.json, .quiet = options.quiet};
    return resumeOnHosts(*profile, options.run, options.workers, task, signals);
}

int resume(const ResumeOptions& options) {
    if (!options.cluster.empty()) return resumeOnCluster(options);
    if (const auto there = remoteRun(options)) return resumeThere(*there, options);
    StopSignals signals;  // before torch starts a thread
    auto found = find(options);
    if (!found) return refuse(found.error());
    logDoubts(found->from);
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
    app.add_option("--on", options->cluster,
                   "A run of a cluster, in the workspace of its first host: NAME.toml here or in "
                   "~/.config/dasgd/clusters says which");
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One line of JSON when it ends, on stdout");
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    app.footer(
        "It goes on as a run of its own, whose record names the one before: curves, steps, samples, bytes and time go "
        "on;\n"
        "spans and what is formed from them are of its own part. On the processor it ends with the same weights, to "
        "the last\n"
        "bit, as one that was never stopped.\n"
        "With another number of workers it trains for as many epochs as it would have: `train.steps` is set for that,\n"
        "other settings in steps stay as they are. What of the epoch in progress comes again, or not at all, depends "
        "on\n"
        "how the data are divided. Curves of the part before stay with the run before.");
    return [options] { return resume(*options); };
}

const CommandRegistry::Add kResumeEntry{{.order = 42,
                                         .name = "resume",
                                         .summary = "Go on with a run that was stopped, failed or interrupted",
                                         .declare = declareResume}};

}  // namespace

}  // namespace dasgd::experiments
