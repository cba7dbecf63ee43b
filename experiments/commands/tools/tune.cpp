// `dasgd tune`: settings for each configuration of a file, chosen on the validation set.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/log.h"
#include "experiments/base/build_id.h"
#include "experiments/base/number_format.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/config/document.h"
#include "experiments/run/session/earlier_runs.h"
#include "experiments/run/session/run_series.h"
#include "experiments/tools/tune/tuning.h"
#include "storage/compare/scaling.h"

namespace dasgd::experiments {

namespace {

struct TuneOptions {
    std::string file, workspace, out;
    Overrides overrides;
    TuningSettings settings;
    bool json = false, quiet = false, queue = false, dryRun = false;
};

// A run of the tuning: of which candidate it is.
struct TuneJob {
    std::size_t configuration = 0, candidate = 0;
    CheckedExperiment experiment;
};

// Its runs are an experiment of their own, apart from those that are reported.
Value asTuning(Value document) {
    const Value* name = document.find("name");
    const auto* text = name ? name->as<std::string>() : nullptr;
    document.set("name", Value((text ? *text : "experiment") + ": tuning"));
    return document;
}

Result<std::vector<TuneJob>> jobsOf(const TuningPlan& plan, int round, const TuningSettings& settings) {
    std::vector<TuneJob> jobs;
    std::vector<ExpandedExperiment> inFull;
    for (std::size_t i = 0; i < plan.configurations.size(); ++i) {
        for (const std::size_t candidate : plan.configurations[i].alive) {
            for (const ExpandedExperiment& each : plan.configurations[i].candidates[candidate].experiments) {
                jobs.push_back({.configuration = i, .candidate = candidate, .experiment = {}});
                inFull.push_back({asTuning(each.document), plan.configurations[i].label + ", " + each.label, {}});
            }
        }
    }
    DASGD_ASSIGN(std::vector<CheckedExperiment> checked, checkExperiments(inFull));
    std::vector<ExpandedExperiment> inRound = inFull;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const std::int64_t total = checked[i].totalSteps;
        inRound[i].document = shortened(inFull[i].document, stepsInRound(total, round, settings), total);
    }
    if (round + 1 < settings.rounds) {
        DASGD_ASSIGN(checked, checkExperiments(inRound));
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].experiment = std::move(checked[i]);
    return jobs;
}

// The best value on the validation set; nullopt of a run that did not finish.
Result<std::optional<double>> scoreOf(storage::WorkspaceReader& reader, const std::string& runId, bool byLoss) {
    if (runId.empty()) return std::optional<double>();
    DASGD_ASSIGN(const storage::RunRow row, reader.runs().row(runId));
    if (row.status != "finished") return std::optional<double>();
    DASGD_ASSIGN(const auto judged, storage::readJudged(reader.metrics(), runId,
                                                        byLoss ? Target::Metric::Loss : Target::Metric::Accuracy));
    if (judged.samples.empty()) {
        return fail(
            "run " + runId +
            (byLoss ? " was never evaluated: nothing can be chosen by it" : " has no accuracy: choose with --by-loss"));
    }
    std::optional<double> best;
    for (const storage::MetricSample& sample : judged.samples) {
        if (!best || (byLoss ? sample.value < *best : sample.value > *best)) best = sample.value;
    }
    return best;
}

Status takeScores(TuningPlan& plan, const std::vector<TuneJob>& jobs, const std::vector<std::string>& runIds,
                  storage::WorkspaceReader& reader, bool byLoss) {
    for (TuningConfiguration& configuration : plan.configurations) {
        for (const std::size_t candidate : configuration.alive) {
            configuration.candidates[candidate].scores.emplace_back(0);
            configuration.candidates[candidate].runIds.clear();
        }
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        TuningCandidate& candidate = plan.configurations[jobs[i].configuration].candidates[jobs[i].candidate];
        candidate.runIds.push_back(runIds[i]);
        DASGD_ASSIGN(const std::optional<double> score, scoreOf(reader, runIds[i], byLoss));
        std::optional<double>& mean = candidate.scores.back();
        mean = mean && score ? std::optional(*mean + *score / static_cast<double>(candidate.experiments.size()))
                             : std::nullopt;
    }
    return {};
}

// Runs what the workspace does not have yet. Answers the id of each; false where it was stopped.
Result<std::pair<std::vector<std::string>, bool>> runRound(RunSession& session, RunSeries& series,
                                                           const std::vector<TuneJob>& jobs) {
    std::vector<CheckedExperiment> all;
    for (const TuneJob& job : jobs) all.push_back(job.experiment);
    DASGD_ASSIGN(auto reader, session.reader());
    DASGD_ASSIGN(const std::vector<EarlierRun> earlier, earlierRuns(session.paths(), reader.runs(), all));
    std::vector<std::string> runIds(jobs.size());
    std::vector<std::size_t> places;
    std::vector<const CheckedExperiment*> missing;
    std::vector<std::optional<ResumePoint>> from;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (earlier[i].finished) {
            runIds[i] = earlier[i].finished->runId;
            continue;
        }
        places.push_back(i);
        missing.push_back(&jobs[i].experiment);
        from.push_back(earlier[i].from);
    }
    const auto report = [](const storage::RunRow& row, const std::string& title) {
        if (row.status == "finished") return;
        logLine(LogLevel::Error, printable(title) + ": " + printable(row.runId) + "\n    " + summaryLine(row));
    };
    const std::vector<std::string> made = series.run(missing, report, std::move(from));
    for (std::size_t i = 0; i < made.size(); ++i) runIds[places[i]] = made[i];
    return std::pair(std::move(runIds), !session.stopped());
}

std::string scoreText(const std::optional<double>& score, bool byLoss) {
    const NumberFormat format{.decimals = byLoss ? 4 : 2};
    return score ? format.text(byLoss ? *score : *score * 100) : "failed";
}

std::string tuningText(const TuningPlan& plan, const TuningSettings& settings) {
    std::vector<std::string> head{"configuration", "candidate"};
    for (int round = 0; round < settings.rounds; ++round) {
        head.push_back(settings.rounds == 1 ? (settings.byLoss ? "validation loss" : "validation accuracy %")
                                            : "round " + std::to_string(round + 1));
    }
    TextTable table(head);
    table.leftAlign(1);
    for (const TuningConfiguration& configuration : plan.configurations) {
        for (std::size_t i = 0; i < configuration.candidates.size(); ++i) {
            const TuningCandidate& candidate = configuration.candidates[i];
            std::vector<std::string> row{printable(configuration.label),
                                         printable(candidate.label) + (configuration.alive.front() == i ? " *" : "")};
            for (const auto& score : candidate.scores) row.push_back(scoreText(score, settings.byLoss));
            row.resize(head.size(), "–");
            table.add(std::move(row));
        }
    }
    std::string text = table.toString() + "* chosen; mean of each run's best on the validation set over seeds " +
                       printable(settings.seeds) + "; – not in this round\n";
    for (const std::string& edge : edgesInWords(plan)) text += printable(edge) + "\n";
    return text;
}

nlohmann::json tuningJson(const TuningPlan& plan) {
    nlohmann::json all = nlohmann::json::array();
    for (const TuningConfiguration& configuration : plan.configurations) {
        nlohmann::json candidates = nlohmann::json::array();
        for (const TuningCandidate& candidate : configuration.candidates) {
            nlohmann::json scores = nlohmann::json::array();
            for (const auto& score : candidate.scores) scores.push_back(score ? nlohmann::json(*score) : nullptr);
            candidates.push_back({{"values", candidate.label}, {"scores", scores}, {"run_ids", candidate.runIds}});
        }
        all.push_back({{"configuration", configuration.label},
                       {"chosen", configuration.candidates[configuration.alive.front()].label},
                       {"candidates", candidates}});
    }
    return {{"configurations", all}, {"warnings", edgesInWords(plan)}};
}

std::vector<std::string> originOf(const TuneOptions& options, const TuningPlan& plan) {
    std::string command = "dasgd tune " + std::filesystem::path(options.file).filename().string();
    for (const std::string& over : options.settings.over) command += " --over '" + over + "'";
    command += " --seeds " + options.settings.seeds;
    if (options.settings.draws > 0) {
        command += " --draws " + std::to_string(options.settings.draws) + " --draw-seed " +
                   std::to_string(options.settings.drawSeed);
    }
    if (options.settings.rounds > 1) {
        command +=
            " --rounds " + std::to_string(options.settings.rounds) + " --keep " + std::to_string(options.settings.keep);
    }
    if (options.settings.byLoss) command += " --by-loss";
    for (const std::string& set : options.overrides.set) command += " --set '" + set + "'";
    if (options.overrides.dropUnknown) command += " --drop-unknown";
    if (!options.overrides.calibration.empty()) command += " --calibration '" + options.overrides.calibration + "'";
    std::vector<std::string> lines{"Chosen on the validation set by: " + printable(command),
                                   std::string("dasgd ") + DASGD_VERSION + ", build " + buildId()};
    for (const TuningConfiguration& configuration : plan.configurations) {
        const TuningCandidate& best = configuration.candidates[configuration.alive.front()];
        std::string runs;
        for (const std::string& run : best.runIds) runs += (runs.empty() ? "" : " ") + run;
        lines.push_back(printable(configuration.label + ": " + best.label) + ", " +
                        scoreText(best.scores.back(), options.settings.byLoss) + (options.settings.byLoss ? "" : " %") +
                        ", best of " + std::to_string(configuration.candidates.size()) + "; runs " + runs);
    }
    return lines;
}

Status writeTuned(const TuneOptions& options, const TuningPlan& plan) {
    DASGD_ASSIGN(const std::string text, tunedFile(plan, originOf(options, plan)));
    std::ofstream file(options.out, std::ios::binary | std::ios::trunc);
    file << text;
    file.flush();
    if (!file) return fail("cannot write " + options.out + ": make its folder, or name another file with --out");
    return {};
}

int showRounds(const TuneOptions& options, const TuningPlan& plan) {
    auto jobs = jobsOf(plan, 0, options.settings);
    if (!jobs) return refuse(jobs.error());
    std::vector<CheckedExperiment> experiments;
    for (TuneJob& job : *jobs) experiments.push_back(std::move(job.experiment));
    showExperiments(experiments, options.json);
    return kFinished;
}

int tune(const TuneOptions& options) {
    // Before torch starts a thread: see StopSignals.
    std::optional<StopSignals> signals;
    if (!options.dryRun) signals.emplace();
    const auto document = readExperimentFile(options.file, options.overrides);
    if (!document) return refuse(document.error());
    auto plan = planTuning(*document, options.overrides, options.settings);
    if (!plan) return refuse(plan.error());
    if (options.dryRun) return showRounds(options, *plan);
    if (std::filesystem::exists(options.out)) {
        return refuse({options.out + " is there already: name another file with --out, or take it away"});
    }
    auto session = RunSession::open(options.workspace, std::filesystem::path(options.file).parent_path(), *signals,
                                    Progress::styleFor(options.quiet));
    if (!session) return refuse(session.error());
    for (int round = 0; round < options.settings.rounds; ++round) {
        auto jobs = jobsOf(*plan, round, options.settings);
        if (!jobs) return refuse(jobs.error());
        RunSeries series(**session, options.queue ? RunSeries::Order::BehindOthers : RunSeries::Order::AtOnce);
        auto ran = runRound(**session, series, *jobs);
        if (!ran) return failed(**session, ran.error());
        if (!ran->second) {
            logLine(LogLevel::Info, "stopped; the same command goes on with what is missing");
            return series.exitCode();
        }
        auto reader = (*session)->reader();
        if (!reader) return failed(**session, reader.error());
        const Status scored = takeScores(*plan, *jobs, ran->first, *reader, options.settings.byLoss);
        if (!scored) return failed(**session, scored.error());
        for (TuningConfiguration& configuration : plan->configurations) {
            endRound(configuration, round, options.settings);
        }
    }
    std::fputs((options.json ? dumpLine(tuningJson(*plan)) + "\n" : tuningText(*plan, options.settings)).c_str(),
               stdout);
    if (const Status written = writeTuned(options, *plan); !written) {
        return failed(**session, written.error());
    }
    if (!options.json) std::printf("%s runs with what was chosen\n", printable(options.out).c_str());
    return kFinished;
}

Action declareTune(CLI::App& app) {
    auto options = std::make_shared<TuneOptions>();
    TuningSettings& settings = options->settings;
    app.add_option("FILE", options->file, "The experiment, a .toml file; its cases and sweep give the configurations")
        ->required();
    app.add_option("--over", settings.over,
                   "What is tuned and its values: --over optimizer.learning_rate=0.02,0.05,0.1")
        ->required()
        ->allow_extra_args(false);
    app.add_option("--seeds", settings.seeds,
                   "Seeds of the runs that choose, as 101..103; none of those that the file reports")
        ->required();
    app.add_option("--draws", settings.draws, "Draw so many candidates from the grid; default: all of it");
    app.add_option("--draw-seed", settings.drawSeed, "Seed of the draw")->capture_default_str();
    app.add_option("--rounds", settings.rounds,
                   "Rounds of successive halving: the last trains in full, each before it --keep times shorter")
        ->check(CLI::Range(1, 8));
    app.add_option("--keep", settings.keep, "One in so many candidates goes on to the next round")
        ->check(CLI::Range(2, 100))
        ->capture_default_str();
    app.add_flag("--by-loss", settings.byLoss, "Choose by the validation loss; default: by the validation accuracy");
    app.add_option("--out", options->out, "File that the chosen settings are written to, an experiment")->required();
    addSetOption(app, options->overrides);
    addCalibrationOption(app, options->overrides.calibration);
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--dry-run", options->dryRun, "Check everything, print the runs of the first round, start nothing");
    app.add_flag("--queue", options->queue, "Start when every run that trains or waits in the workspace has ended");
    app.add_flag("--json", options->json, "All scores as one line of JSON");
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    app.footer(
        "Every configuration has the same candidates and seeds. A candidate's score is the mean over the seeds of the\n"
        "best value on the validation set (data.validation); one of which a run fails comes last. What the workspace "
        "has\n"
        "already is not run again: after a stop the same command goes on. The test set chooses nothing.");
    return [options] { return tune(*options); };
}

const CommandRegistry::Add kTuneEntry{
    {.order = 15,
     .name = "tune",
     .summary = "Choose rates and other settings of each configuration on the validation set",
     .declare = declareTune}};

}  // namespace

}  // namespace dasgd::experiments
