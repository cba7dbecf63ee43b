#include "experiments/forecast.h"

#include <algorithm>
#include <tuple>

#include "experiments/document.h"
#include "experiments/probe_experiment.h"
#include "experiments/run_summary.h"

namespace dasgd::experiments {

namespace {

// Collectives of more ranks than these are forecast by their formula: a ring is 2P(P−1) messages.
constexpr int kMostRanksByMessages = 64;
constexpr std::int64_t kFewestSteps = 60;

Value algorithm(const char* name, const std::vector<std::pair<const char*, Value>>& fields) {
    Value table;
    table.set("name", Value(std::string(name)));
    for (const auto& [key, value] : fields) table.set(key, value);
    return table;
}

ClusterFacts factsOf(const Calibration& calibration) {
    ClusterFacts facts{.workers = calibration.workers,
                       .stepSeconds = calibration.compute.stepSeconds,
                       .backwardShare = calibration.compute.backwardShare,
                       .bytes = calibration.bytes,
                       .jitter = calibration.compute.jitterDeviation,
                       .contention = calibration.compute.contention,
                       .memoryBytesPerSecond = calibration.memoryBytesPerSecond.value_or(0),
                       .batchSize = calibration.batchSize};
    if (calibration.link) facts.link = calibration.link->cost;
    for (const TimedCollective& timed : calibration.timed) {
        if (timed.kind == TimedCollective::Kind::AllReduce && timed.bytes == calibration.bytes) {
            facts.reduceSeconds = timed.seconds;
        }
    }
    return facts;
}

// The advised setting, and what a referee would ask about beside it.
Value::Array candidates(const Advice& advice) {
    const auto integer = [](std::int64_t value) { return Value(value); };
    const auto merge = [&](std::int64_t period, std::int64_t delay, double localWeight, double correction) {
        return algorithm("dasgd", {{"period", integer(period)},
                                   {"delay", integer(delay)},
                                   {"local_weight", Value(localWeight)},
                                   {"correction", Value(correction)}});
    };
    Value::Array all;
    for (const double bucket : {1.0, 5.0, 25.0, 100.0}) {
        all.push_back(algorithm("sync_sgd", {{"bucket_mb", Value(bucket)}}));
    }
    for (const std::int64_t period : {std::int64_t{4}, advice.period}) {
        if (period == 4 && advice.period == 4) continue;
        all.push_back(algorithm("local_sgd", {{"period", integer(period)}}));
    }
    all.push_back(merge(advice.period, advice.delay, advice.localWeight, advice.correction));
    if (advice.delay > 1) all.push_back(merge(advice.period, advice.delay - 1, advice.localWeight, advice.correction));
    all.push_back(merge(advice.period, advice.delay, 0.25, 0));
    if (advice.period != 4 || advice.delay != 1) all.push_back(merge(4, 1, 0.25, 0));
    all.push_back(algorithm("independent", {}));
    return all;
}

// So many that what counts (all but the first kWarmUpSteps) is whole rounds of τ and of 4 steps.
std::int64_t stepsFor(std::int64_t period) {
    const std::int64_t rounds = 4 * period;
    return kWarmUpSteps + rounds * ((kFewestSteps + rounds - 1) / rounds);
}

double shareOf(const Value& settings) {
    if (*settings.find("name")->as<std::string>() != "dasgd") return 1;
    return effectiveShare(*settings.find("period")->as<std::int64_t>(), *settings.find("delay")->as<std::int64_t>(),
                          *settings.find("local_weight")->as<double>(), *settings.find("correction")->as<double>());
}

Result<ForecastRow> simulate(RunSession& session, const CheckedExperiment& experiment, const Value& settings) {
    DASGD_ASSIGN(const std::string runId, session.runToTheEnd(experiment, "forecast: " + experiment.label));
    DASGD_ASSIGN(auto reader, session.reader());
    DASGD_ASSIGN(const RunSummary summary, summariseRun(reader, runId));
    if (!summary.stepMs) return fail("run " + runId + " recorded no time per step");
    return ForecastRow{.algorithm = experiment.algorithm,
                       .settings = settings,
                       .runId = runId,
                       .stepSeconds = *summary.stepMs * 1e-3,
                       .hidden = summary.row.hidden,
                       .effective = shareOf(settings)};
}

// Of the sizes of buckets only the best stays.
void keepBestBuckets(std::vector<ForecastRow>& rows) {
    const auto isSync = [](const ForecastRow& row) { return row.algorithm == "sync_sgd"; };
    double best = 0;
    for (const ForecastRow& row : rows) {
        if (isSync(row) && (best == 0 || row.stepSeconds < best)) best = row.stepSeconds;
    }
    bool kept = false;
    std::erase_if(rows, [&](const ForecastRow& row) {
        if (!isSync(row)) return false;
        const bool keep = !kept && row.stepSeconds == best;
        kept = kept || keep;
        return !keep;
    });
}

Status trainFor(const storage::Target& target, RunSession& session, const CheckedExperiment& experiment,
                ForecastRow& row) {
    DASGD_ASSIGN(row.targetRun, session.runToTheEnd(experiment, "to " + target.inWords() + ": " + experiment.label));
    DASGD_ASSIGN(auto reader, session.reader());
    DASGD_ASSIGN(const storage::RunTimes times, storage::readRunTimes(reader, row.targetRun));
    row.targetSeconds = storage::secondsTo(target, times);
    return {};
}

// The experiment as it is, once for every row, which all start from the same weights and see the same data.
Status trainAll(Forecast& made, RunSession& session, Value document) {
    put(document, "compute", "mode", Value(std::string("maths")));
    for (ForecastRow& row : made.rows) {
        row.targetSeconds.reset();
        if (row.algorithm == "independent") continue;
        document.set("algorithm", row.settings);
        DASGD_ASSIGN(const CheckedExperiment experiment, checkExperiment(document));
        DASGD_TRY(trainFor(*made.target, session, experiment, row));
    }
    return {};
}

}  // namespace

Result<Forecast> forecast(RunSession& session, Value document, const ForecastOptions& options) {
    put(document, "compute", "mode", Value(std::string("time-only")));
    Forecast made{.target = options.target};
    {
        DASGD_ASSIGN(const CheckedExperiment plain, checkExperiment(document));
        made.targetSteps = plain.totalSteps;
        made.byFormula = plain.workers > kMostRanksByMessages;
    }
    if (made.byFormula) put(document, "network", "fidelity", Value(std::string("formula")));
    const Value whole = document;
    DASGD_ASSIGN(const CheckedExperiment probe, probeExperimentOf(document));
    DASGD_ASSIGN(const Calibration calibration, runProbe(session, probe, "forecast: probe"));
    made.probeRun = calibration.runId;
    made.facts = factsOf(calibration);
    made.advice = advise(made.facts, options.allowedOverhead);

    const Value::Array settings = candidates(made.advice);
    Value sweep;
    sweep.set("algorithm", Value(settings));
    document.set("sweep", std::move(sweep));
    Value train = sectionOf(document, "train");
    train.erase("epochs");
    train.set("steps", Value(stepsFor(made.advice.period)));
    document.set("train", std::move(train));
    DASGD_ASSIGN(const auto experiments, checkExperiments(document, {}));
    for (std::size_t i = 0; i < experiments.size(); ++i) {
        DASGD_ASSIGN(ForecastRow row, simulate(session, experiments[i], settings[i]));
        row.targetSeconds = row.stepSeconds * static_cast<double>(made.targetSteps) / row.effective;
        made.rows.push_back(std::move(row));
    }
    keepBestBuckets(made.rows);
    if (made.target) DASGD_TRY(trainAll(made, session, whole));
    std::ranges::stable_sort(made.rows, {}, [](const ForecastRow& row) {
        return std::tuple(row.algorithm == "independent", !row.targetSeconds, row.targetSeconds);
    });
    return made;
}

}  // namespace dasgd::experiments
