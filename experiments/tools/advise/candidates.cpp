#include "experiments/tools/advise/candidates.h"

#include <string>
#include <utility>

#include "core/cost/communication_pattern.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

constexpr std::int64_t kFewestCandidateSteps = 60;
// The published setting, arXiv 2006.00441.
constexpr std::int64_t kPublishedPeriod = 4, kPublishedDelay = 1;
constexpr double kPublishedWeight = 0.25;

using Fields = std::vector<std::pair<const char*, Value>>;

Candidate plain(const AlgorithmInfo& algorithm, const Fields& fields) {
    Value settings;
    settings.set("name", Value(algorithm.name));
    for (const auto& [key, value] : fields) settings.set(key, value);
    return {.settings = settings, .timed = settings};
}

Candidate merging(const AlgorithmInfo& algorithm, std::int64_t period, std::int64_t delay, double localWeight,
                  double correction) {
    Candidate one = plain(algorithm, {{"period", Value(period)},
                                      {"delay", Value(delay)},
                                      {"local_weight", Value(localWeight)},
                                      {"correction", Value(correction)}});
    one.timed.set("snapshot_at_zero", Value(true));
    one.effective = effectiveShare(period, delay, localWeight, correction);
    return one;
}

std::vector<Candidate> inBuckets(const AlgorithmInfo& algorithm) {
    std::vector<Candidate> all;
    for (const double bucket : {1.0, 5.0, 25.0, 100.0}) {
        all.push_back(plain(algorithm, {{"bucket_mb", Value(bucket)}}));
        all.back().role = CandidateRole::Buckets;
    }
    return all;
}

std::vector<Candidate> untrainable(const AlgorithmInfo& algorithm, CandidateRole role) {
    Candidate one = plain(algorithm, {});
    one.trainable = false;
    one.role = role;
    return {one};
}

std::vector<Candidate> blocking(const AlgorithmInfo& algorithm, const Advice& advice) {
    const char* period = algorithm.communication.period.field.c_str();
    std::vector<Candidate> all{plain(algorithm, {{period, Value(kPublishedPeriod)}})};
    if (advice.period != kPublishedPeriod) all.push_back(plain(algorithm, {{period, Value(advice.period)}}));
    return all;
}

std::vector<Candidate> advised(const AlgorithmInfo& algorithm, const Advice& advice) {
    std::vector<Candidate> all{merging(algorithm, advice.period, advice.delay, advice.localWeight, advice.correction)};
    all.back().role = CandidateRole::Advised;
    if (advice.delay > 1) {
        all.push_back(merging(algorithm, advice.period, advice.delay - 1, advice.localWeight, advice.correction));
    }
    all.push_back(merging(algorithm, advice.period, advice.delay, kPublishedWeight, 0));
    if (advice.period != kPublishedPeriod || advice.delay != kPublishedDelay) {
        all.push_back(merging(algorithm, kPublishedPeriod, kPublishedDelay, kPublishedWeight, 0));
    }
    return all;
}

std::vector<Candidate> ofRole(ForecastRole role, const AlgorithmInfo& algorithm, const Advice& advice) {
    switch (role) {
        case ForecastRole::Buckets: return inBuckets(algorithm);
        case ForecastRole::Messages: return untrainable(algorithm, CandidateRole::Other);
        case ForecastRole::Blocking: return blocking(algorithm, advice);
        case ForecastRole::Advised: return advised(algorithm, advice);
        case ForecastRole::None: break;
    }
    return untrainable(algorithm, CandidateRole::Alone);
}

bool onlyComputes(const AlgorithmInfo& algorithm) {
    return algorithm.communication.kind == CommunicationPattern::Kind::None;
}

}  // namespace

std::vector<Candidate> candidatesOf(const Advice& advice, bool byMessages,
                                    const std::vector<AlgorithmInfo>& algorithms) {
    std::vector<Candidate> all;
    for (const ForecastRole role : {ForecastRole::Buckets, ForecastRole::Messages, ForecastRole::Blocking,
                                    ForecastRole::Advised, ForecastRole::None}) {
        if (role == ForecastRole::Messages && !byMessages) continue;
        for (const AlgorithmInfo& algorithm : algorithms) {
            if (algorithm.communication.forecast != role) continue;
            if (role == ForecastRole::None && !onlyComputes(algorithm)) continue;
            for (Candidate& one : ofRole(role, algorithm, advice)) all.push_back(std::move(one));
        }
    }
    return all;
}

std::string inWords(const Value& settings) {
    std::string text = *settings.find("name")->as<std::string>();
    for (const auto& [key, value] : *settings.as<Value::Table>()) {
        if (key != "name") text += " " + key + "=" + value.toToml();
    }
    return text;
}

std::int64_t timedSteps(std::int64_t period) {
    const std::int64_t rounds = kPublishedPeriod * period;
    return kWarmUpSteps + rounds * ((kFewestCandidateSteps + rounds - 1) / rounds);
}

}  // namespace dasgd::experiments
