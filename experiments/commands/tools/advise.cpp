// `dasgd advise`: which setting a cluster asks for, what each algorithm would take on it, and why; with --memory what
// the state of training takes on a rank, with --tensor what ranks send that divide matrices or sequences.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/schema/units.h"
#include "experiments/base/number_format.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/config/calibrated_cluster.h"
#include "experiments/config/document.h"
#include "experiments/tools/advise/candidates.h"
#include "experiments/tools/advise/forecast.h"
#include "experiments/tools/advise/memory_advice.h"
#include "experiments/tools/advise/tensor_advice.h"
#include "experiments/tools/calibrate/calibration_file.h"
#include "experiments/tools/calibrate/probe_experiment.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

struct AdviseOptions {
    std::string file, workspace, target, limit;
    Overrides overrides;
    double overhead = 0.02, efficiency = kWantedEfficiency;
    Markup markup = Markup::Terminal;
    bool memory = false, tensor = false, json = false, quiet = false, progress = false;
    [[nodiscard]] Progress::Style style() const { return Progress::styleFor(quiet, progress); }
};

bool isSimulated(const Value& document) {
    const auto* backend = valueAt<std::string>(document, "cluster", "backend");
    return backend && timeIsSimulated(*backend);
}

// The experiment on a virtual cluster: --calibration's, its own, or the calibrated cluster at hand.
Result<Value> onVirtualCluster(const AdviseOptions& options, RunSession& session, ForecastOptions& wanted) {
    DASGD_ASSIGN(Value file, readExperimentFile(options.file, options.overrides));
    DASGD_ASSIGN(Value document, onlyDocument(std::move(file), options.overrides));
    if (isSimulated(document)) return document;
    // Before anything is measured for it.
    DASGD_TRY(checkExperiment(document));
    DASGD_ASSIGN(const CheckedExperiment probe, probeExperimentOf(document));
    DASGD_ASSIGN(const Calibration calibration, runProbe(session, probe, "calibrating"));
    wanted.contentionSeen = calibration.compute.contention.has_value();
    DASGD_TRY(applyCalibration(document, calibratedCluster(calibration)));
    return document;
}

bool isAdvised(const ForecastRow& row) { return row.role == CandidateRole::Advised; }

// "dasgd"; every forecast has a row of the advised setting.
const std::string& advisedAlgorithm(const Forecast& forecast) {
    return std::ranges::find_if(forecast.rows, isAdvised)->algorithm;
}

nlohmann::json jsonOf(const Forecast& forecast) {
    const ClusterFacts& facts = forecast.facts;
    const Advice& advice = forecast.advice;
    const std::optional<SyncHiding>& sync = forecast.sync;
    nlohmann::json json;
    json["facts"] = {{"workers", facts.workers},
                     {"step_s", jsonNumber(facts.stepSeconds)},
                     {"reduce_s", jsonNumber(facts.reduceSeconds)},
                     {"bytes", facts.bytes},
                     {"jitter", jsonNumber(facts.jitter)},
                     {"contention", jsonNumber(facts.contention)},
                     {"batch_size", facts.batchSize},
                     {"probe_run", forecast.probeRun},
                     {"by_formula", forecast.byFormula}};
    json["advice"] = {
        {"algorithm", advisedAlgorithm(forecast)},
        {"period", advice.period},
        {"delay", advice.delay},
        {"local_weight", advice.localWeight},
        {"correction", advice.correction},
        {"bucket_mb", jsonNumber(forecast.bucketMb)},
        {"hides", advice.hides},
        {"step_s", jsonNumber(advice.stepSeconds)},
        {"overhead", jsonNumber(advice.overhead)},
        {"least_period", forecast.range.leastPeriod},
        {"most_period", forecast.range.mostPeriod},
        {"least_delay", forecast.range.leastDelay},
        {"most_delay", forecast.range.mostDelay},
        {"shortest_period_alike", forecast.range.shortestAlike},
        {"exchange_s", jsonNumber(advice.exchange.transfers())},
        {"coding_s", jsonNumber(advice.exchange.coding())},
        {"batch_for_delay_1", advice.delayBatch > 0 ? nlohmann::json(advice.delayBatch) : nullptr},
        {"batch_for_sync_sgd", sync && sync->batch > 0 ? nlohmann::json(sync->batch) : nullptr},
        {"sync_sgd_hides_at_most", sync ? jsonNumber(sync->most) : nullptr},
        {"most_workers", advice.mostWorkers > 0 ? nlohmann::json(advice.mostWorkers) : nullptr},
        {"efficiency", jsonNumber(advice.efficiency)},
        {"workers_for_efficiency",
         advice.efficientWorkers > 0 ? nlohmann::json(advice.efficientWorkers) : nlohmann::json()},
        {"parameter_servers", advice.parameterServers > 0 ? nlohmann::json(advice.parameterServers) : nullptr},
        {"why", advice.why}};
    json["target_steps"] = forecast.targetSteps;
    json["target"] = forecast.target ? nlohmann::json(forecast.target->inWords()) : nlohmann::json();
    json["forecast"] = nlohmann::json::array();
    for (const ForecastRow& row : forecast.rows) {
        json["forecast"].push_back(
            {{"algorithm", row.algorithm},
             {"settings", row.settings.toToml()},
             {"run_id", row.runId},
             {"step_ms", jsonNumber(row.stepSeconds * 1e3)},
             {"hidden", jsonNumber(row.hidden)},
             {"effective_steps", jsonNumber(row.effective)},
             {"target_s", jsonNumber(row.targetSeconds)},
             {"target_run_id", row.targetRun.empty() ? nlohmann::json() : nlohmann::json(row.targetRun)},
             {"why_not", row.whyNot},
             {"advised", isAdvised(row)},
             {"alone", row.role == CandidateRole::Alone}});
    }
    json["formulas"] = nlohmann::json::array();
    for (const FormulaTime& one : forecast.formulas) {
        json["formulas"].push_back({{"algorithm", one.algorithm},
                                    {"settings", one.settings.toToml()},
                                    {"step_ms", one.stepSeconds ? jsonNumber(*one.stepSeconds * 1e3) : nullptr},
                                    {"hidden", jsonNumber(one.hidden)},
                                    {"sent_bytes", one.sentBytes ? nlohmann::json(*one.sentBytes) : nullptr},
                                    {"why_not", one.why},
                                    {"assumes", one.assumes}});
    }
    return json;
}

// Apart from the rows above: those ran, if in simulated time.
std::string formulaText(const std::vector<FormulaTime>& formulas, Markup markup) {
    if (formulas.empty()) return {};
    TextTable table({"", "ms/step", "hidden", ""});
    table.leftAlign(3);
    std::vector<std::optional<double>> milliseconds;
    for (const FormulaTime& one : formulas) {
        milliseconds.push_back(one.stepSeconds ? std::optional(*one.stepSeconds * 1e3) : std::nullopt);
    }
    const std::vector<std::string> steps = alike(milliseconds);
    for (std::size_t i = 0; i < formulas.size(); ++i) {
        std::string remark = formulas[i].why;
        for (const std::string& sentence : formulas[i].assumes) remark += (remark.empty() ? "" : " ") + sentence;
        table.add({inWords(formulas[i].settings), steps[i], percent(formulas[i].hidden), remark});
    }
    return "\nBy formula alone, every algorithm at this period and delay, a ring over this link; nothing was run.\n\n" +
           table.toString(markup) +
           "\nhidden: here the part of one exchange that the steps of the delay last, each exactly as long as the "
           "mean. Above\nit is what the simulated runs measured, with steps that scatter and ranks that wait for each "
           "other: the two differ.\n";
}

std::string timeToTarget(const ForecastRow& row, const std::optional<Target>& target) {
    const bool asked = row.role != CandidateRole::Alone && (row.trainable || !target);
    if (!asked) return "–";
    if (!row.whyNot.empty()) return "not trained";
    return row.targetSeconds ? duration(*row.targetSeconds) : "not reached";
}

std::string rowsText(const Forecast& forecast, Markup markup) {
    TextTable table({"", "ms/step", "÷ independent", "hidden", "steps that count",
                     forecast.target ? "to target" : "to " + std::to_string(forecast.targetSteps) + " of them", "run"});
    table.leftAlign(6);
    std::vector<std::optional<double>> milliseconds;
    for (const ForecastRow& row : forecast.rows) milliseconds.emplace_back(row.stepSeconds * 1e3);
    const std::vector<std::string> steps = alike(milliseconds);
    const double alone = forecast.rows.back().stepSeconds;
    constexpr NumberFormat kRatio{.decimals = 3};
    for (std::size_t i = 0; i < forecast.rows.size(); ++i) {
        const ForecastRow& row = forecast.rows[i];
        table.add({inWords(row.settings) + (isAdvised(row) ? "  (advised)" : ""), steps[i],
                   kRatio.text(row.stepSeconds / alone), percent(row.hidden), percent(row.effective),
                   timeToTarget(row, forecast.target),
                   row.runId + (row.targetRun.empty() ? "" : ", " + row.targetRun)});
    }
    return table.toString(markup);
}

std::string targetText(const Forecast& forecast, Markup markup) {
    const std::string steps = std::to_string(forecast.targetSteps);
    if (!forecast.target) {
        return "\nFILE makes " + steps + " steps; until so many count a row takes " + steps +
               " times its ms/step, over the share that counts. What a larger τ\n"
               "or d changes in the worth of a step, only training tells: --target.\n";
    }
    std::string text = "\nTarget: " + forecast.target->inWords() + " at an evaluation, within " + steps +
                       " steps, in simulated time. The second run of a row trained for it; a row without one\n"
                       "is only timed.\n";
    for (const ForecastRow& row : forecast.rows) {
        if (row.whyNot.empty()) continue;
        text += ownLine(inWords(row.settings) + " is not trained: " + printable(row.whyNot), markup);
    }
    return text;
}

std::string textOf(const Forecast& forecast, Markup markup) {
    const Advice& advice = forecast.advice;
    std::string text = "Advised for " + std::to_string(forecast.facts.workers) + " workers:\n\n" +
                       tomlBlock("[algorithm]\nname = \"" + advisedAlgorithm(forecast) + "\"\nperiod = " +
                                     std::to_string(advice.period) + "\ndelay = " + std::to_string(advice.delay) +
                                     "\nlocal_weight = 0.0\ncorrection = 1.0\n",
                                 markup) +
                       "\nWhy:\n";
    for (const std::string& sentence : advice.why) text += "  - " + plainWords(sentence, markup) + "\n";
    return text + "\nForecast" + (forecast.byFormula ? " (collectives by formula)" : "") + ", time simulated:\n\n" +
           rowsText(forecast, markup) + formulaText(forecast.formulas, markup) + targetText(forecast, markup);
}

nlohmann::json jsonOf(const std::vector<MemoryRow>& rows) {
    nlohmann::json json = nlohmann::json::array();
    for (const MemoryRow& row : rows) {
        json.push_back({{"strategy", row.name},
                        {"algorithm", row.algorithm.empty() ? nlohmann::json() : nlohmann::json(row.algorithm)},
                        {"weights_bytes", row.memory.weights},
                        {"gradients_bytes", row.memory.gradients},
                        {"optimizer_bytes", row.memory.optimizer},
                        {"copies_bytes", row.memory.copies},
                        {"bytes", row.memory.sum()},
                        {"of_file", row.isExperiments}});
    }
    return json;
}

nlohmann::json jsonOf(const MemoryAdvice& advice) {
    nlohmann::json json = {{"workers", advice.ranks},
                           {"parameters", advice.parameters},
                           {"stages", advice.stages},
                           {"stage", advice.stage},
                           {"model_parameters", advice.wholeParameters},
                           {"optimizer_tensors", advice.optimizerTensors},
                           {"strategies", jsonOf(advice.rows)},
                           {"mixed_adam", jsonOf(advice.published)},
                           {"remarks", advice.remarks}};
    json["plan"] = nullptr;
    if (const auto& plan = advice.plan) {
        const auto choice = [&](const ShardPlan& one) {
            return nlohmann::json{{"bytes", one.bytes},
                                  {"communication_s", plan->isTimed ? nlohmann::json(one.seconds) : nlohmann::json()}};
        };
        json["plan"] = {{"limit_bytes", plan->limitBytes}, {"chosen", choice(plan->chosen)},
                        {"whole", choice(plan->whole)},    {"divided", choice(plan->divided)},
                        {"tensors", plan->parameters},     {"is_divided", plan->chosen.isDivided}};
    }
    return json;
}

std::string textOf(const std::vector<MemoryRow>& rows, Markup markup) {
    TextTable table({"", "weights", "gradients", "optimiser", "copies", "a rank", ""});
    table.leftAlign(6);
    for (const MemoryRow& row : rows) {
        table.add({row.name + (row.isExperiments ? "  (FILE)" : ""), byteCount(row.memory.weights),
                   byteCount(row.memory.gradients), byteCount(row.memory.optimizer), byteCount(row.memory.copies),
                   byteCount(row.memory.sum()), row.algorithm});
    }
    return table.toString(markup);
}

// Without a known link the seconds of a plan are over one of a byte a second: the bytes that a rank sends in a step.
std::string textOf(const MemoryPlan& plan, Markup markup) {
    TextTable table({"", "tensors divided", "parameters divided", "a rank", "communication"});
    const auto add = [&](const std::string& name, const ShardPlan& one) {
        double divided = 0, all = 0;
        for (std::size_t i = 0; i < plan.parameters.size(); ++i) {
            all += plan.parameters[i];
            if (one.isDivided[i]) divided += plan.parameters[i];
        }
        table.add(
            {name,
             std::to_string(std::ranges::count(one.isDivided, true)) + " of " + std::to_string(plan.parameters.size()),
             percent(all > 0 ? divided / all : 0), byteCount(one.bytes),
             plan.isTimed ? shortNumber(one.seconds * 1e3) + " ms" : byteCount(one.seconds) + " sent"});
    };
    add("all whole", plan.whole);
    add("within " + byteCount(plan.limitBytes), plan.chosen);
    add("all divided", plan.divided);
    std::string text =
        "\nLeast communication within the limit, each parameter tensor whole or divided (OSDP, arXiv 2209.13258):\n\n" +
        table.toString(markup) + "\nDivided tensors, in order of registration, from 1:";
    bool any = false;
    for (std::size_t i = 0; i < plan.parameters.size(); ++i) {
        if (!plan.chosen.isDivided[i]) continue;
        const std::size_t first = i;
        while (i + 1 < plan.parameters.size() && plan.chosen.isDivided[i + 1]) ++i;
        text += (any ? ", " : " ") + std::to_string(first + 1) + (i > first ? "–" + std::to_string(i + 1) : "");
        any = true;
    }
    return text + (any ? "" : " none") +
           ".\nA divided tensor is gathered whole before either pass, one at a time. Nothing of this time is counted "
           "as\n"
           "hidden behind computing; the engine trains with divided weights in time-only runs alone (zero_sgd, stage = "
           "3).\n";
}

std::string textOf(const MemoryAdvice& advice, Markup markup) {
    const bool isCut = advice.stages > 1;
    std::string text =
        "State of training on each of " + std::to_string(advice.ranks) + " ranks" +
        (isCut ? " of stage " + std::to_string(advice.stage) + " of " + std::to_string(advice.stages) : "") + ", " +
        shortNumber(advice.parameters) + (isCut ? " of " + shortNumber(advice.wholeParameters) : "") + " parameters, " +
        shortNumber(advice.state.weights) + " bytes a number, " + shortNumber(advice.optimizerTensors) +
        " tensors of the optimiser:\n\n" + textOf(advice.rows, markup) +
        "\nThe same parameters with Adam in mixed precision, 16 bytes each (arXiv 1910.02054); not this engine's:\n\n" +
        textOf(advice.published, markup) + "\n";
    for (const std::string& remark : advice.remarks) text += ownLine(printable(remark), markup);
    if (advice.plan) return text + textOf(*advice.plan, markup);
    return text + "\n--limit 8GB tells which parameter tensors to divide within so much.\n";
}

// The experiment of a file, which is checked and not run.
Result<CheckedExperiment> onlyExperiment(const AdviseOptions& options) {
    DASGD_ASSIGN(Value file, readExperimentFile(options.file, options.overrides));
    DASGD_ASSIGN(const Value document, onlyDocument(std::move(file), options.overrides));
    return checkExperiment(document);
}

int adviseMemory(const AdviseOptions& options) {
    std::optional<double> limit;
    if (!options.limit.empty()) {
        const auto bytes = parseBytes(options.limit);
        if (!bytes) return refuse({"--limit: " + bytes.error().message});
        limit = *bytes;
    }
    const auto advice = [&]() -> Result<MemoryAdvice> {
        DASGD_ASSIGN(const CheckedExperiment experiment, onlyExperiment(options));
        DASGD_ASSIGN(const StageSizes stages, stageParameters(experiment.resolved));
        return memoryAdvice(experiment, registeredAlgorithms(), limit, stages);
    }();
    if (!advice) return refuse(advice.error());
    std::fputs(options.json ? (dumpLine(jsonOf(*advice)) + "\n").c_str() : textOf(*advice, options.markup).c_str(),
               stdout);
    return kFinished;
}

nlohmann::json jsonOf(const std::vector<TensorRow>& rows) {
    nlohmann::json json = nlohmann::json::array();
    for (const TensorRow& row : rows) {
        const bool isKnown = row.why.empty();
        json.push_back({{"division", row.name},
                        {"forward_bytes", isKnown ? nlohmann::json(row.forwardBytes) : nlohmann::json()},
                        {"step_bytes", row.stepBytes ? nlohmann::json(*row.stepBytes) : nlohmann::json()},
                        {"seconds", jsonNumber(row.seconds)},
                        {"why_not", row.why}});
    }
    return json;
}

nlohmann::json jsonOf(const TensorAdvice& advice) {
    return {{"workers", advice.ranks},
            {"rows", advice.rows},
            {"element_bytes", advice.elementBytes},
            {"products", jsonOf(advice.products)},
            {"activation_elements", advice.activations},
            {"sequences", jsonOf(advice.sequences)}};
}

std::string tensorTime(std::optional<double> seconds) { return seconds ? shortNumber(*seconds * 1e3) + " ms" : "–"; }

std::string textOf(const TensorAdvice& advice, Markup markup) {
    TextTable products({"", "forward", "both passes", "÷ 1-D", "time", ""});
    products.leftAlign(5);
    const double rows = advice.products.front().stepBytes.value_or(0);
    for (const TensorRow& row : advice.products) {
        const bool isKnown = row.why.empty();
        const auto ratio = isKnown && rows > 0 ? std::optional(*row.stepBytes / rows) : std::nullopt;
        products.add({row.name, isKnown ? byteCount(row.forwardBytes) : "–", isKnown ? byteCount(*row.stepBytes) : "–",
                      ratio ? shortNumber(ratio) : "–", tensorTime(row.seconds), row.why});
    }
    TextTable sequences({"", "forward", "time"});
    for (const TensorRow& row : advice.sequences) {
        sequences.add({row.name, byteCount(row.forwardBytes), tensorTime(row.seconds)});
    }
    return "Bytes that each of " + std::to_string(advice.ranks) +
           " ranks sends, by formula; nothing was run, and the engine trains in neither way.\n\nTensor parallel: " +
           std::to_string(advice.layers.size()) + " dense layers, " + shortNumber(advice.rows) +
           " rows of all ranks together" + (advice.hasConvolutions ? "; convolutions are left out" : "") + ".\n\n" +
           products.toString(markup) +
           "\nSequence parallel: a pair of transformer blocks whose activations are the inputs of the "
           "first layer, M = " +
           shortNumber(advice.activations) + " elements.\n\n" + sequences.toString(markup) +
           "\nThe ranks of a grid share each batch; data parallel ranks have one each, of as many rows together. "
           "Times are of these\nmessages one after the other, with nothing hidden behind computing.\n";
}

int adviseTensor(const AdviseOptions& options) {
    const auto advice = [&]() -> Result<TensorAdvice> {
        DASGD_ASSIGN(const CheckedExperiment experiment, onlyExperiment(options));
        return tensorAdvice(experiment);
    }();
    if (!advice) return refuse(advice.error());
    std::fputs(options.json ? (dumpLine(jsonOf(*advice)) + "\n").c_str() : textOf(*advice, options.markup).c_str(),
               stdout);
    return kFinished;
}

int advise(const AdviseOptions& options) {
    if (options.memory && options.tensor)
        return refuse(Error{"--memory and --tensor are two tables: give one of them"});
    if (options.memory) return adviseMemory(options);
    if (!options.limit.empty()) return refuse(Error{"--limit is of --memory: give both"});
    if (options.tensor) return adviseTensor(options);
    ForecastOptions wanted{.allowedOverhead = options.overhead, .efficiency = options.efficiency};
    if (!options.target.empty()) {
        const auto target = parseTarget(options.target);
        if (!target) return refuse({"--target: " + target.error().message});
        wanted.target = *target;
    }
    StopSignals signals;
    auto session = RunSession::open(options.workspace, std::filesystem::path(options.file).parent_path(), signals,
                                    options.style());
    if (!session) return refuse(session.error());
    (*session)->beginSeries();
    const auto document = onVirtualCluster(options, **session, wanted);
    if (!document) return failed(**session, document.error());
    const auto made = forecast(**session, *document, wanted);
    if (!made) return failed(**session, made.error());
    std::fputs(options.json ? (dumpLine(jsonOf(*made)) + "\n").c_str() : textOf(*made, options.markup).c_str(), stdout);
    return kFinished;
}

Action declareAdvise(CLI::App& app) {
    auto options = std::make_shared<AdviseOptions>();
    app.add_option("FILE", options->file, "The experiment that is to be run")->required();
    addCalibrationOption(app, options->overrides.calibration);
    addSetOption(app, options->overrides);
    app.add_option("--target", options->target,
                   "Train every row with maths for as long as FILE says, and tell when accuracy=0.97 or loss=0.1 is "
                   "reached");
    app.add_option("--overhead", options->overhead,
                   "Share of a step that contention, snapshots and merges may cost (default 0.02)")
        ->check(CLI::Range(1e-4, 1.0));
    app.add_option("--efficiency", options->efficiency,
                   "Share of a linear speed-up to which the number of workers is sized (default 0.9)")
        ->check(CLI::Range(0.01, 1.0));
    app.add_flag("--memory", options->memory,
                 "Run nothing: what the state of training takes on a rank, whole and divided among the ranks");
    app.add_option("--limit", options->limit,
                   "With --memory: bytes that a rank may take, as 8GB; which parameter tensors to divide within it");
    app.add_flag(
        "--tensor", options->tensor,
        "Run nothing: what each rank sends where the ranks divide the matrices of a layer_table, in one, two or "
        "three dimensions, or the sequences of a transformer");
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One JSON object");
    addMarkdownOption(app, options->markup);
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    addProgressOption(app, options->progress);
    app.footer(
        "Without --calibration the cluster of FILE is calibrated first, unless it is virtual. The forecast is made of "
        "short\n"
        "runs of time only on the virtual cluster, which stay in the workspace. With --target every row is trained "
        "besides,\n"
        "which takes as long as all its workers' steps one after the other.");
    return [options] { return advise(*options); };
}

const CommandRegistry::Add kAdviseEntry{
    {.order = 50,
     .name = "advise",
     .summary = "Which delay and period a cluster asks for, what each algorithm would take, and why",
     .declare = declareAdvise}};

}  // namespace

}  // namespace dasgd::experiments
