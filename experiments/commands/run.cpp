// `dasgd run`: every experiment of a file, one after the other.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/base/text.h"
#include "experiments/base/visited_json.h"
#include "experiments/cluster/host/host_facts.h"
#include "experiments/cluster/slurm/run_on_slurm.h"
#include "experiments/cluster/ssh/run_on_hosts.h"
#include "experiments/commands/command.h"
#include "experiments/ranks/meeting/rank_environment.h"
#include "experiments/run/session/earlier_runs.h"
#include "experiments/run/session/run_series.h"
#include "experiments/tools/forecast/plan_forecasts.h"
#include "experiments/tools/report/comparison_text.h"
#include "storage/base/workspace.h"
#include "storage/compare/comparison.h"

namespace dasgd::experiments {

namespace {

struct RunOptions {
    std::string file, workspace;
    std::string cluster;  // "": here
    std::string forecastFrom;
    Overrides overrides;
    int restarts = 0;
    bool resume = false, json = false, dryRun = false, quiet = false, queue = false, allowFileSystem = false;
    bool workspaceGiven = false, detach = false;
};

void compareAll(const RunSession& session, const std::vector<std::string>& runIds) {
    auto reader = session.reader();
    if (!reader) return;
    const auto comparison = storage::compareRuns(*reader, runIds, "");
    if (comparison) std::printf("\n%s", comparisonText(*comparison).c_str());
}

struct RunPlan {
    std::vector<const CheckedExperiment*> experiments;
    std::vector<std::optional<ResumePoint>> from;  // of each
    std::vector<storage::RunRow> finished;         // of others, of which nothing is left to do
};

Result<RunPlan> planRuns(const RunOptions& options, const RunSession& session,
                         const std::vector<CheckedExperiment>& experiments) {
    RunPlan plan;
    std::vector<EarlierRun> earlier(experiments.size());
    if (options.resume) {
        DASGD_ASSIGN(auto reader, session.reader());
        DASGD_ASSIGN(earlier, earlierRuns(session.paths(), reader.runs(), experiments));
    }
    for (std::size_t i = 0; i < experiments.size(); ++i) {
        if (earlier[i].finished) {
            plan.finished.push_back(*earlier[i].finished);
            continue;
        }
        plan.experiments.push_back(&experiments[i]);
        plan.from.push_back(earlier[i].from);
    }
    return plan;
}

int showPlan(const RunOptions& options, const std::vector<CheckedExperiment>& experiments) {
    showExperiments(experiments, options.json);
    PlanForecast forecast = forecastPlan(experiments, options.workspace, options.forecastFrom);
    const std::string text =
        options.json ? dumpLine({{"forecast", visitedJson(forecast)}}) + "\n" : forecastText(forecast);
    std::fputs(text.c_str(), stdout);
    return kFinished;
}

int run(const RunOptions& options) {
    // Before torch starts a thread: see StopSignals.
    std::optional<StopSignals> signals;
    if (!options.dryRun) signals.emplace();
    const auto experiments = loadExperiments(options.file, options.overrides);
    if (!experiments) return refuse(experiments.error());
    if (options.dryRun) return showPlan(options, *experiments);
    if (options.allowFileSystem) {
        const Status allowed = storage::allowFileSystem(options.workspace);
        if (!allowed) return refuse(allowed.error());
    }
    auto session = RunSession::open(options.workspace, std::filesystem::path(options.file).parent_path(), *signals,
                                    Progress::styleFor(options.quiet));
    if (!session) return refuse(session.error());
    auto plan = planRuns(options, **session, *experiments);
    if (!plan) return refuse(plan.error());
    RunSeries series(**session, options.queue ? RunSeries::Order::BehindOthers : RunSeries::Order::AtOnce,
                     options.restarts);
    const auto report = [&](const storage::RunRow& row, const std::string& title) {
        reportRun(row, title, options.json);
    };
    for (const storage::RunRow& row : plan->finished) report(row, "finished already");
    std::vector<std::string> runIds = series.run(plan->experiments, report, plan->from);
    std::erase(runIds, std::string());
    for (const storage::RunRow& row : plan->finished) runIds.push_back(row.runId);
    if (!options.json && runIds.size() > 1) compareAll(**session, runIds);
    return series.exitCode();
}

// Refuses options that only the launcher of this host supports.
Status suitsCluster(const RunOptions& options, const ClusterProfile& profile) {
    if (options.restarts > 0 && profile.kind == ClusterProfile::kSlurm) {
        return fail(
            "--restarts is of ranks that this command starts itself; SLURM starts a job again that was preempted "
            "or lost a node. Leave it out");
    }
    const std::pair<const char*, bool> given[] = {{"--queue", options.queue},
                                                  {"--allow-filesystem", options.allowFileSystem},
                                                  {"--calibration", !options.overrides.calibration.empty()}};
    for (const auto& [name, is] : given) {
        if (is) return fail(std::string(name) + " is of runs on this host; leave it out beside --on");
    }
    return {};
}

int runOnCluster(RunOptions options) {
    const auto profile = findClusterProfile(
        options.cluster, clusterFolders(std::filesystem::path(options.file).parent_path(), processEnvironment));
    if (!profile) return refuse(profile.error());
    if (options.detach && profile->kind != ClusterProfile::kSlurm) {
        return refuse({"--detach is of jobs: cluster '" + profile->name + "' is of kind \"" + profile->kind + "\""});
    }
    if (profile->kind == ClusterProfile::kLocal) {
        if (profile->threads > 0) {
            auto& set = options.overrides.set;
            set.insert(set.begin(), "cluster.threads_per_worker=" + std::to_string(profile->threads));
        }
        if (!options.workspaceGiven && !profile->workspace.empty()) options.workspace = withHome(profile->workspace);
        for (const auto& [name, value] : profile->environment) ::setenv(name.c_str(), value.c_str(), 1);
        return run(options);
    }
    if (const Status suits = suitsCluster(options, *profile); !suits) return refuse(suits.error());
    StopSignals signals;
    const ClusterTask task{.file = options.file,
                           .overrides = options.overrides,
                           .json = options.json,
                           .resume = options.resume,
                           .quiet = options.quiet,
                           .detach = options.detach,
                           .dryRun = options.dryRun,
                           .restarts = options.restarts};
    return profile->kind == ClusterProfile::kSsh ? runOnHosts(*profile, task, signals)
                                                 : runOnSlurm(*profile, task, signals);
}

Action declareRun(CLI::App& app) {
    auto options = std::make_shared<RunOptions>();
    app.add_option("FILE", options->file, "The experiment, a .toml file")->required();
    addSetOption(app, options->overrides);
    app.add_option("--sweep", options->overrides.sweep, "Vary a key: --sweep train.seed=1..5")->allow_extra_args(false);
    addCalibrationOption(app, options->overrides.calibration);
    addWorkspaceOption(app, options->workspace);
    addFileSystemOption(app, options->allowFileSystem);
    app.add_flag("--json", options->json, "One line of JSON a run when it ends, on stdout");
    app.add_flag("--dry-run", options->dryRun,
                 "Check everything, print what would run and a forecast of it by formula, start nothing");
    app.add_option("--forecast-from", options->forecastFrom,
                   "With --dry-run: the run of dasgd calibrate that the forecast takes before newer ones");
    app.add_flag("--queue", options->queue, "Start when every run that trains or waits in the workspace has ended");
    app.add_option("--restarts", options->restarts,
                   "How often a run that fails starts again: from its newest checkpoint, or its beginning")
        ->check(CLI::Range(0, 1000));
    app.add_flag(
        "--resume", options->resume,
        "Leave out what has finished in the workspace with the same settings, and go on with what ended early");
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    app.add_option("--on", options->cluster,
                   "Start the ranks on a cluster: NAME.toml beside FILE or in ~/.config/dasgd/clusters says how");
    app.add_flag("--detach", options->detach, "On a SLURM cluster: submit, and do not wait for the end");
    app.footer(
        std::string(
            "step_ms is the time of a step over all ranks, in the stretches that start-up, evaluations and checkpoints "
            "did\n"
            "not touch; null where there is none.\n"
            "Ctrl-C stops all ranks at one step, keeps everything recorded and leaves a checkpoint (`dasgd resume`),\n"
            "unless the workers share the work (train.work); again: ends them at once.\n"
            "With --dry-run the forecast takes the times of steps and links from what the workspace has recorded; the "
            "last "
            "line\nof --json is {\"forecast\": …}, with these fields:\n") +
        fieldsHelp<PlanForecast>() + "of each case:\n" + fieldsHelp<ForecastCase>() + "of a round:\n" +
        fieldsHelp<RoundForecast>() + "of its input:\n" + fieldsHelp<RoundInput>() + "of a span:\n" +
        fieldsHelp<RoundSpan>());
    return [options, &app] {
        options->workspaceGiven = app.count("--workspace") > 0;
        if (options->cluster.empty() && options->detach) return refuse({"--detach is of jobs: it needs --on NAME"});
        return options->cluster.empty() ? run(*options) : runOnCluster(*options);
    };
}

const CommandRegistry::Add kRunEntry{
    {.order = 10,
     .name = "run",
     .summary = "Train an experiment, and all of its sweep, with worker processes on this host",
     .declare = declareRun}};

}  // namespace

}  // namespace dasgd::experiments
