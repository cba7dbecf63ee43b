// `dasgd scale`: every experiment of a file at several numbers of workers.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/log.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/run/session/run_series.h"
#include "experiments/tools/report/scaling_plan.h"
#include "experiments/tools/report/scaling_report.h"
#include "storage/compare/scaling.h"

namespace dasgd::experiments {

namespace {

struct ScaleOptions {
    std::string file, workspace, workers, target;
    Overrides overrides;
    Markup markup = Markup::Terminal;
    bool weak = false, strong = false, again = false, json = false, dryRun = false, quiet = false, progress = false;
    [[nodiscard]] Progress::Style style() const { return Progress::styleFor(quiet, progress); }
    [[nodiscard]] Scaling scaling() const { return strong ? Scaling::Strong : Scaling::Weak; }
};

// "" where the workspace has no finished run of the very same experiment, whatever its name.
std::string finishedRun(const std::vector<storage::RunRow>& rows, const CheckedExperiment& experiment) {
    const Settings settings = settingsOf(experiment.resolved);
    const std::string key = configurationKey(settings), seeds = seedsOf(settings);
    for (const storage::RunRow& row : rows) {
        // Few get past the first comparison, so few are parsed.
        if (row.status != "finished" || row.workers != experiment.workers || row.seed != experiment.seed ||
            row.algorithm != experiment.algorithm || row.backend != experiment.backend) {
            continue;
        }
        const Settings recorded = storage::settingsOf(row);
        if (configurationKey(recorded) == key && seedsOf(recorded) == seeds) return row.runId;
    }
    return {};
}

// For each job the id of the run that the workspace holds already, or "".
std::vector<std::string> runsAtHand(const ScaleOptions& options, const ScalingPlan& plan) {
    std::vector<std::string> runs(plan.jobs.size());
    std::error_code absent;
    if (options.again || !std::filesystem::exists(storage::WorkspacePaths{options.workspace}.database(), absent)) {
        return runs;
    }
    auto reader = storage::RunReader::open(options.workspace);
    const auto rows = reader ? reader->list() : tl::unexpected(reader.error());
    if (!rows) return runs;
    for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = finishedRun(*rows, plan.jobs[i].experiment);
    return runs;
}

std::vector<ScalingTable> tablesOf(const ScalingPlan& plan) {
    std::vector<Settings> settings;
    for (const CheckedExperiment& each : plan.configurations) settings.push_back(settingsOf(each.resolved));
    const std::vector<std::string> labels = labelConfigurations(settings);
    std::vector<ScalingTable> tables;
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const CheckedExperiment& first = plan.configurations[i];
        tables.push_back({.label = labels[i],
                          .algorithm = first.algorithm,
                          .backend = first.backend,
                          .link = first.link,
                          .simulated = first.layout.timeSimulated,
                          .validates = choosesOnValidation(settings[i]),
                          .points = {}});
    }
    for (const ScalingRefusal& each : plan.refused) {
        tables[each.configuration].refused.push_back({each.workers, each.why});
    }
    return tables;
}

bool sharesStepTime(const ScalingPlan& plan, Scaling scaling) {
    return scaling == Scaling::Strong && std::any_of(plan.jobs.begin(), plan.jobs.end(),
                                                     [](const ScalingJob& job) { return job.place.sharesStepTime; });
}

Result<ScalingReport> reportOf(const ScaleOptions& options, const std::optional<Target>& target,
                               const ScalingPlan& plan, const std::vector<std::string>& runs,
                               storage::WorkspaceReader& reader) {
    ScalingReport report{.scaling = options.scaling(),
                         .target = target,
                         .tables = tablesOf(plan),
                         .sharesStepTime = sharesStepTime(plan, options.scaling())};
    std::vector<std::vector<ScalingRun>> ofTable(report.tables.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const ScalingJob& job = plan.jobs[i];
        if (runs[i].empty()) {  // stopped before it was its turn
            ++report.tables[job.configuration].unfinished;
            continue;
        }
        DASGD_ASSIGN(const storage::RunDetail detail, reader.runs().detail(runs[i]));
        if (detail.row.status != "finished") {
            ++report.tables[job.configuration].unfinished;
            continue;
        }
        DASGD_ASSIGN(const RunTimes times, storage::readRunTimes(reader, runs[i]));
        ofTable[job.configuration].push_back(storage::scalingRun(detail.row, job.place, times, target));
    }
    for (std::size_t i = 0; i < ofTable.size(); ++i) {
        report.tables[i].points = scalingPoints(std::move(ofTable[i]));
    }
    return report;
}

// Before hours of the others: the tables say it again.
void reportRefused(const ScalingPlan& plan) {
    for (const ScalingTable& table : tablesOf(plan)) {
        for (const RefusedPoint& point : table.refused) {
            logLine(LogLevel::Warning, printable(table.label + ": " + inWords(point)));
        }
    }
}

int showPlan(const ScaleOptions& options, const ScalingPlan& plan, const std::vector<std::string>& runs) {
    std::vector<CheckedExperiment> missing;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].empty()) missing.push_back(plan.jobs[i].experiment);
    }
    showExperiments(missing, options.json);
    if (missing.size() < runs.size()) {
        logLine(LogLevel::Info, std::to_string(runs.size() - missing.size()) + " of " + std::to_string(runs.size()) +
                                    " runs are in " + printable(options.workspace) + " already; --again repeats them");
    }
    return kFinished;
}

// Only what ended badly: the table tells the rest.
void reportFailure(const storage::RunRow& row, const std::string& title) {
    if (row.status == "finished") return;
    logLine(LogLevel::Error, printable(title) + ": " + printable(row.runId) + "\n    " + summaryLine(row));
}

void runMissing(RunSeries& series, const ScaleOptions& options, const ScalingPlan& plan,
                std::vector<std::string>& runs) {
    const auto atHand = static_cast<std::size_t>(
        std::count_if(runs.begin(), runs.end(), [](const std::string& run) { return !run.empty(); }));
    if (atHand > 0 && !options.quiet) {
        logLine(LogLevel::Info, std::to_string(atHand) + " of " + std::to_string(runs.size()) +
                                    " runs are taken from the workspace; --again repeats them");
    }
    std::vector<std::size_t> missing;
    std::vector<const CheckedExperiment*> experiments;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!runs[i].empty()) continue;
        missing.push_back(i);
        experiments.push_back(&plan.jobs[i].experiment);
    }
    const std::vector<std::string> made = series.run(experiments, reportFailure);
    for (std::size_t i = 0; i < missing.size(); ++i) runs[missing[i]] = made[i];
}

int scale(const ScaleOptions& options) {
    // Before torch starts a thread: see StopSignals.
    std::optional<StopSignals> signals;
    if (!options.dryRun) signals.emplace();
    std::optional<Target> target;
    if (!options.target.empty()) {
        const auto parsed = parseTarget(options.target);
        if (!parsed) return refuse({"--target: " + parsed.error().message});
        target = *parsed;
    }
    const auto counts = parseWorkerCounts(options.workers);
    if (!counts) return refuse(counts.error());
    const auto plan = planScaling(options.file, options.overrides, *counts, options.scaling());
    if (!plan) return refuse(plan.error());
    reportRefused(*plan);
    std::vector<std::string> runs = runsAtHand(options, *plan);
    if (options.dryRun) return showPlan(options, *plan, runs);
    auto session = RunSession::open(options.workspace, std::filesystem::path(options.file).parent_path(), *signals,
                                    options.style());
    if (!session) return refuse(session.error());
    RunSeries series(**session);
    runMissing(series, options, *plan, runs);
    auto reader = (*session)->reader();
    const auto report = reader ? reportOf(options, target, *plan, runs, *reader) : tl::unexpected(reader.error());
    if (!report) {
        refuse(report.error());
        return kRunFailed;
    }
    std::fputs((options.json ? dumpLine(scalingJson(*report)) + "\n" : scalingText(*report, options.markup)).c_str(),
               stdout);
    return series.exitCode();
}

Action declareScale(CLI::App& app) {
    auto options = std::make_shared<ScaleOptions>();
    app.add_option("FILE", options->file, "The experiment, a .toml file; its sweep gives the configurations")
        ->required();
    app.add_option("--workers", options->workers, "Numbers of workers: 1,2,8 or 1..8 or 1,2,...,1024 (doubling)")
        ->required();
    auto* weak = app.add_flag("--weak", options->weak, "The batch of each worker stays the same (the default)");
    app.add_flag("--strong", options->strong,
                 "The batch of all together stays the same: batch_size is that of a worker "
                 "at the smallest number of workers, and is shared out from there")
        ->excludes(weak);
    app.add_option(
        "--target", options->target,
        "Also the time until accuracy=0.97 or loss=0.1 is reached, on the validation set where there is one");
    addSetOption(app, options->overrides);
    app.add_option("--sweep", options->overrides.sweep, "Vary a key: --sweep train.seed=1..5")->allow_extra_args(false);
    addCalibrationOption(app, options->overrides.calibration);
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--again", options->again, "Repeat also what the workspace holds as finished");
    app.add_flag("--json", options->json, "The tables as one line of JSON; with --dry-run a line for each run");
    addMarkdownOption(app, options->markup);
    app.add_flag("--dry-run", options->dryRun, "Check everything, print what would run, start nothing");
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    addProgressOption(app, options->progress);
    app.footer(
        "Speed-up is the throughput ÷ that at the smallest number of workers; efficiency is that ÷ the ratio of the\n"
        "workers. Finished runs of the workspace with the same configuration and seed are taken, not repeated.\n"
        "A number of workers at which a configuration cannot be run, as with a batch larger than a worker's share of "
        "the\n"
        "data, is a row without numbers, and why is said below the table.\n"
        "With --strong, a compute.step_time that is given is that of the file's batch_size and is divided as the "
        "batch\n"
        "is; \"measured\" is measured for each batch.\n"
        "Time to target is that of training until the first evaluation that reaches it, evaluations left out, in "
        "simulated\n"
        "seconds where the backend is virtual: train.eval_every sets how fine that is.\n"
        "Ctrl-C stops the present run, keeps everything recorded and prints the tables so far; again: ends it at "
        "once.");
    return [options] { return scale(*options); };
}

const CommandRegistry::Add kScaleEntry{
    {.order = 20,
     .name = "scale",
     .summary = "Train it at several numbers of workers: speed-up, efficiency, time to target",
     .declare = declareScale}};

}  // namespace

}  // namespace dasgd::experiments
