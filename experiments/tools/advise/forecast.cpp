#include "experiments/tools/advise/forecast.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "experiments/base/text.h"
#include "experiments/config/document.h"
#include "experiments/config/schema.h"
#include "experiments/tools/advise/known_cluster.h"
#include "experiments/tools/calibrate/probe_experiment.h"
#include "experiments/tools/report/run_summary.h"
#include "storage/compare/scaling.h"

namespace dasgd::experiments {

namespace {

// Collectives of more ranks than these are forecast by their formula: a ring is 2P(P−1) messages.
constexpr int kMostRanksByMessages = 64;
constexpr std::string_view kAdviceSuffix = " (advice)";

// Without a name each row would be called after its algorithm, as the user's own runs of it are.
void renameAsAdvice(Value& document) {
    if (!document.find("name")) {
        const auto* algorithm = valueAt<std::string>(document, "algorithm", "name");
        document.set("name", Value(algorithm ? *algorithm : std::string("forecast")));
    }
    addToName(document, kAdviceSuffix);
}

ClusterFacts measuredFacts(const Calibration& calibration) {
    ClusterFacts facts{.workers = calibration.workers,
                       .stepSeconds = calibration.compute.stepSeconds,
                       .backwardShare = calibration.compute.backwardShare,
                       .bytes = calibration.bytes,
                       .jitter = calibration.compute.jitterDeviation,
                       .contention = calibration.compute.contention,
                       .memoryBytesPerSecond = calibration.memoryBytesPerSecond.value_or(0),
                       .batchSize = calibration.batchSize,
                       .gradientShares = calibration.gradientShares};
    if (calibration.link) facts.link = calibration.link->cost;
    for (const TimedCollective& timed : calibration.timed) {
        if (timed.kind == TimedCollective::Kind::AllReduce && timed.bytes == calibration.bytes) {
            facts.reduceSeconds = timed.seconds;
        }
    }
    return facts;
}

Result<ClusterFacts> factsOf(RunSession& session, const Calibration& calibration, const CheckedExperiment& probe) {
    ClusterFacts facts = measuredFacts(calibration);
    for (const std::int64_t size : probe.parameterSizes) {
        facts.gradientBytes.push_back(static_cast<double>(size) * weightBytes(probe.resolved));
    }
    DASGD_ASSIGN(auto reader, session.reader());
    DASGD_ASSIGN(const auto computed,
                 reader.metrics().samples({.runId = calibration.runId, .name = metrics::kComputedStepMs}));
    takeKnown(probe.resolved,
              computed.samples.empty() ? std::nullopt : std::optional(computed.samples.front().value * 1e-3), facts);
    return facts;
}

Result<ForecastRow> simulate(RunSession& session, const CheckedExperiment& experiment, const Candidate& candidate,
                             const std::string& number) {
    DASGD_ASSIGN(const std::string runId, session.runToTheEnd(experiment, number + " forecast: " + experiment.label));
    DASGD_ASSIGN(auto reader, session.reader());
    DASGD_ASSIGN(const storage::RunRow row, reader.runs().row(runId));
    if (!row.stepMs) return fail("run " + runId + " recorded no time per step");
    return ForecastRow{.algorithm = experiment.algorithm,
                       .settings = candidate.settings,
                       .runId = runId,
                       .stepSeconds = *row.stepMs * 1e-3,
                       .hidden = row.hidden,
                       .effective = candidate.effective,
                       .trainable = candidate.trainable,
                       .role = candidate.role};
}

// Keeps only the row of the best bucket size and returns it; the reference is valid until `rows` changes.
const ForecastRow& keepBestBuckets(std::vector<ForecastRow>& rows) {
    const auto isBuckets = [](const ForecastRow& row) { return row.role == CandidateRole::Buckets; };
    double best = 0;
    for (const ForecastRow& row : rows) {
        if (isBuckets(row) && (best == 0 || row.stepSeconds < best)) best = row.stepSeconds;
    }
    bool kept = false;
    std::erase_if(rows, [&](const ForecastRow& row) {
        if (!isBuckets(row)) return false;
        const bool keep = !kept && row.stepSeconds == best;
        kept = kept || keep;
        return !keep;
    });
    return *std::ranges::find_if(rows, isBuckets);
}

// Limits of buckets are MiB, though their field says MB, as PyTorch's does.
constexpr double kMebibyte = 1048576;

Status adviseOnBuckets(Forecast& made, const std::vector<AlgorithmInfo>& algorithms) {
    const ForecastRow& best = keepBestBuckets(made.rows);
    made.bucketMb = *best.settings.find("bucket_mb")->as<double>();
    const auto plugin = std::ranges::find(algorithms, best.algorithm, &AlgorithmInfo::name);
    DASGD_CHECK(plugin != algorithms.end());
    DASGD_ASSIGN(const auto round, roundOf(plugin->communication, patternValues(*plugin, best.settings), 0));
    made.sync = syncHiding(made.facts, round.firstBucketBytes, *made.bucketMb * kMebibyte);
    const std::string step = shortNumber(best.stepSeconds * 1e3) + " ms a step.";
    if (made.sync && made.sync->buckets == 1) {
        made.advice.why.push_back(inWords(*made.sync) + " It takes " + step);
        return {};
    }
    made.advice.why.push_back("Synchronous SGD does best with buckets of " + csvNumber(*made.bucketMb) +
                              " MB, of the sizes tried: " + step);
    if (made.sync) made.advice.why.push_back(inWords(*made.sync));
    return {};
}

Status trainFor(const Target& target, RunSession& session, const CheckedExperiment& experiment, ForecastRow& row) {
    DASGD_ASSIGN(row.targetRun,
                 session.runToTheEnd(experiment, "to " + target.inWords() + ": " + inWords(row.settings)));
    DASGD_ASSIGN(auto reader, session.reader());
    DASGD_ASSIGN(const RunTimes times, storage::readRunTimes(reader, row.targetRun));
    row.targetSeconds = secondsTo(target, times);
    return {};
}

// A step time that is measured would be measured anew by every run: theirs is what the probe's run had.
Status fixStepTime(RunSession& session, const Calibration& calibration, Value& document) {
    const auto* given = valueAt<std::string>(document, "compute", "step_time");
    if (given && *given != "measured") return {};
    DASGD_ASSIGN(auto reader, session.reader());
    DASGD_ASSIGN(const auto computed,
                 reader.metrics().samples({.runId = calibration.runId, .name = metrics::kComputedStepMs}));
    if (computed.samples.empty()) return fail("run " + calibration.runId + " recorded no run/computed_step_ms");
    put(document, "compute", "step_time", Value(csvNumber(computed.samples.front().value) + "ms"));
    put(document, "compute", "forward_share", Value(1 - calibration.compute.backwardShare));
    if (calibration.gradientShares.empty()) return {};
    Value::Array shares;
    for (const double share : calibration.gradientShares) shares.emplace_back(share);
    put(document, "compute", "gradient_shares", Value(std::move(shares)));
    return {};
}

// The experiment without targets of its own, once for every row, which all start from the same weights and see the same
// data. What the experiment's own algorithm can do another may not: where the experiment has servers, a row has more
// workers, each with fewer samples.
Status trainAll(Forecast& made, RunSession& session, Value document) {
    put(document, "compute", "mode", Value(std::string("maths")));
    for (ForecastRow& row : made.rows) {
        row.targetSeconds.reset();
        if (!row.trainable) continue;
        const auto experiment = checkExperiment(withAlgorithm(document, row.settings));
        if (experiment) {
            DASGD_TRY(trainFor(*made.target, session, *experiment, row));
        } else {
            row.whyNot = experiment.error().message;
        }
    }
    return {};
}

Status checkTrainable(Value document) {
    put(document, "compute", "mode", Value(std::string("maths")));
    const auto trained = checkExperiment(document);
    if (!trained) return fail(trained.error().message + " (--target trains with maths)");
    return {};
}

bool balances(const Value& document) {
    const auto* balance = valueAt<std::string>(document, "train", "balance");
    return balance && *balance != "none";
}

// Changes `document` to a time-only run and begins a forecast for it. Errors: those of checking the changed document; a
// model that is cut into stages.
Result<Forecast> begin(Value& document, const ForecastOptions& options) {
    DASGD_TRY(refuseStages(document));
    if (options.target) DASGD_TRY(checkTrainable(document));
    // Nothing is trained to targets here, and there are no operators to profile; a target of the forecast's own is
    // trained to by runs of their own.
    leaveOutTargetsAndProfile(document);
    put(document, "compute", "mode", Value(std::string("time-only")));
    DASGD_ASSIGN(const CheckedExperiment timed, checkExperiment(document));
    // Some of the rows could not have it.
    leaveOutBalance(document);
    Forecast made{.targetSteps = timed.totalSteps, .target = options.target};
    made.byFormula = goesByFormula(document, timed.workers);
    if (made.byFormula) put(document, "network", "fidelity", Value(std::string("formula")));
    return made;
}

Status simulateAll(Forecast& made, RunSession& session, Value document, const std::vector<AlgorithmInfo>& algorithms) {
    const std::vector<Candidate> candidates = candidatesOf(made.advice, !made.byFormula, algorithms);
    Value train = sectionOf(document, "train");
    train.erase("epochs");
    train.set("steps", Value(timedSteps(made.advice.period)));
    document.set("train", std::move(train));
    // The steady state is timed.
    const auto* coding = valueAt<std::string>(document, "compression", "name");
    if (coding && *coding != "none") put(document, "compression", "start", Value(std::int64_t{0}));
    std::vector<ExpandedExperiment> timed;  // checked together, they share what is slow in it
    for (const Candidate& candidate : candidates) {
        timed.push_back({withAlgorithm(document, candidate.timed), inWords(candidate.settings)});
    }
    DASGD_ASSIGN(const auto experiments, checkExperiments(timed));
    for (std::size_t i = 0; i < experiments.size(); ++i) {
        DASGD_ASSIGN(ForecastRow row, simulate(session, experiments[i], candidates[i],
                                               std::to_string(i + 1) + "/" + std::to_string(experiments.size())));
        row.targetSeconds = row.stepSeconds * static_cast<double>(made.targetSteps) / row.effective;
        made.rows.push_back(std::move(row));
    }
    return {};
}

// Notes what [compression] makes of the averages of the advised algorithm, from `document`, and the algorithm's own
// passes for it. Errors: the algorithm refuses the operator, or no formula gives its time.
Status takeCompression(const Value& document, const std::vector<AlgorithmInfo>& algorithms, ClusterFacts& facts) {
    if (!document.find("compression")) return {};
    const auto advised = std::ranges::find(algorithms, ForecastRole::Advised,
                                           [](const AlgorithmInfo& one) { return one.communication.forecast; });
    DASGD_CHECK(advised != algorithms.end() && advised->communication.coding);
    Value settings;
    settings.set("name", Value(advised->name));
    const auto averaging = checkExperiment(withAlgorithm(document, std::move(settings)));
    if (!averaging) return fail(averaging.error().message + " (advise looks for averages of " + advised->name + ")");
    facts.compressed = averaging->compressed;
    facts.coding = *advised->communication.coding;
    if (facts.compressed && !facts.compressed->why.empty()) {
        return fail("there is no formula for [compression], as " + facts.compressed->why + ": remove it");
    }
    return {};
}

// Leaves out formulas of compressed exchanges for algorithms that refuse the experiment's operator.
void leaveOutRefused(std::vector<FormulaTime>& formulas, const Value& document) {
    std::vector<FormulaTime*> asked;
    std::vector<ExpandedExperiment> experiments;
    for (FormulaTime& one : formulas) {
        Value own = withAlgorithm(document, one.settings);
        if (!one.stepSeconds || !own.find("compression")) continue;
        asked.push_back(&one);
        experiments.push_back({std::move(own), inWords(one.settings)});
    }
    const auto checked = checkEach(experiments);
    for (std::size_t i = 0; i < asked.size(); ++i) {
        if (checked[i]) continue;
        *asked[i] = {.algorithm = asked[i]->algorithm,
                     .settings = asked[i]->settings,
                     .why = printable(checked[i].error().message)};
    }
}

}  // namespace

bool goesByFormula(const Value& document, int workers) {
    const auto* fidelity = valueAt<std::string>(document, "network", "fidelity");
    if (fidelity && *fidelity == "formula") return true;
    return workers > kMostRanksByMessages && !valueAt<Value::Table>(document, "network", "background");
}

std::optional<std::string> reasonAdviceIsNotFirst(const std::vector<ForecastRow>& rows) {
    const auto advised = std::ranges::find(rows, CandidateRole::Advised, &ForecastRow::role);
    if (advised == rows.end() || rows.front().role == CandidateRole::Alone) return std::nullopt;
    const std::optional<double> first = rows.front().targetSeconds, its = advised->targetSeconds;
    if (!first || (its && *its <= *first)) return std::nullopt;
    const std::string other = its ? " gets there after " + shortNumber(*its) + " s" : " never does";
    return inWords(rows.front().settings) + " gets there after " + shortNumber(*first) + " s, the advised setting" +
           other +
           ". The advice follows from the formulas above, which leave room for ranks that scatter and for contention; "
           "this forecast is one run of each row.";
}

Result<Forecast> forecast(RunSession& session, Value document, const ForecastOptions& options) {
    const bool isBalanced = balances(document);
    DASGD_ASSIGN(Forecast made, begin(document, options));
    const std::vector<AlgorithmInfo> algorithms = registeredAlgorithms();
    ClusterFacts compression;
    DASGD_TRY(takeCompression(document, algorithms, compression));
    DASGD_ASSIGN(const CheckedExperiment probe, probeExperimentOf(document));
    DASGD_ASSIGN(const Calibration calibration, runProbe(session, probe, "forecast: probe"));
    DASGD_TRY(fixStepTime(session, calibration, document));
    renameAsAdvice(document);
    made.probeRun = calibration.runId;
    DASGD_ASSIGN(made.facts, factsOf(session, calibration, probe));
    if (!options.contentionSeen) made.facts.contention.reset();
    made.facts.compressed = compression.compressed;
    made.facts.coding = compression.coding;
    if (made.facts.compressed && made.facts.link.beta <= 0) {
        return fail(
            "no link fits what the probe measured, so that no formula gives the time of compressed exchanges: "
            "remove [compression]");
    }
    made.advice = advise(made.facts, options.allowedOverhead, options.efficiency);
    made.uncertainty = uncertaintyOf(document);
    made.range = adviceRange(made.facts, made.uncertainty, options.allowedOverhead, made.advice);
    made.advice.why.push_back(inWords(made.range, made.uncertainty, made.advice));
    made.formulas = formulaTimes(made.facts, made.advice, algorithms);
    if (made.facts.compressed) leaveOutRefused(made.formulas, document);
    DASGD_TRY(simulateAll(made, session, document, algorithms));
    DASGD_TRY(adviseOnBuckets(made, algorithms));
    if (isBalanced) {
        made.advice.why.emplace_back(
            "All rows have equal batches: not each could have unequal ones, so that balance in [train] is left out.");
    }
    if (made.target) DASGD_TRY(trainAll(made, session, document));
    std::ranges::stable_sort(made.rows, {}, [](const ForecastRow& row) {
        return std::tuple(row.role == CandidateRole::Alone, !row.targetSeconds, row.targetSeconds);
    });
    if (auto why = reasonAdviceIsNotFirst(made.rows)) made.advice.why.push_back(*std::move(why));
    return made;
}

}  // namespace dasgd::experiments
