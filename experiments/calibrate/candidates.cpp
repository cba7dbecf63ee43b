#include "experiments/calibrate/candidates.h"

#include <string>
#include <utility>

#include "experiments/report/run_summary.h"

namespace dasgd::experiments {

namespace {

constexpr std::int64_t kFewestCandidateSteps = 60;
// Of the published setting, arXiv 2006.00441.
constexpr std::int64_t kPublishedPeriod = 4, kPublishedDelay = 1;
constexpr double kPublishedWeight = 0.25;

Candidate plain(const char* name, const std::vector<std::pair<const char*, Value>>& fields) {
    Value settings;
    settings.set("name", Value(std::string(name)));
    for (const auto& [key, value] : fields) settings.set(key, value);
    return {.settings = settings, .timed = settings};
}

Candidate dasgd(std::int64_t period, std::int64_t delay, double localWeight, double correction) {
    Candidate one = plain("dasgd", {{"period", Value(period)},
                                    {"delay", Value(delay)},
                                    {"local_weight", Value(localWeight)},
                                    {"correction", Value(correction)}});
    one.timed.set("snapshot_at_zero", Value(true));
    one.effective = effectiveShare(period, delay, localWeight, correction);
    return one;
}

}  // namespace

std::vector<Candidate> candidatesOf(const Advice& advice, bool byMessages) {
    std::vector<Candidate> all;
    for (const double bucket : {1.0, 5.0, 25.0, 100.0}) {
        all.push_back(plain("sync_sgd", {{"bucket_mb", Value(bucket)}}));
        all.back().role = CandidateRole::Buckets;
    }
    if (byMessages) {
        all.push_back(plain("hybrid_sgd", {}));
        all.back().trainable = false;
    }
    all.push_back(plain("local_sgd", {{"period", Value(kPublishedPeriod)}}));
    if (advice.period != kPublishedPeriod) all.push_back(plain("local_sgd", {{"period", Value(advice.period)}}));
    all.push_back(dasgd(advice.period, advice.delay, advice.localWeight, advice.correction));
    all.back().role = CandidateRole::Advised;
    if (advice.delay > 1) {
        all.push_back(dasgd(advice.period, advice.delay - 1, advice.localWeight, advice.correction));
    }
    all.push_back(dasgd(advice.period, advice.delay, kPublishedWeight, 0));
    if (advice.period != kPublishedPeriod || advice.delay != kPublishedDelay) {
        all.push_back(dasgd(kPublishedPeriod, kPublishedDelay, kPublishedWeight, 0));
    }
    all.push_back(plain("independent", {}));
    all.back().trainable = false;
    all.back().role = CandidateRole::Alone;
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
