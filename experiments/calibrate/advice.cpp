#include "experiments/calibrate/advice.h"

#include <algorithm>
#include <cmath>

#include "core/cost/sizing.h"
#include "core/cost/step_time.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

// Passes over the weights of a snapshot that is kept twice (to send and to compare with) and of a delta merge.
constexpr double kPassesOfRound = 9;
constexpr int kMostWorkers = 1'000'000;

std::string milliseconds(double seconds) { return shortNumber(seconds * 1e3) + " ms"; }

// Contention stretches computing by κ while a collective transfers, T_m of every round.
double contentionSeconds(const ClusterFacts& facts) {
    const double contention = facts.countedContention();
    return facts.reduceSeconds * contention / (1 + contention);
}

double roundCost(const ClusterFacts& facts) {
    const double passes =
        facts.memoryBytesPerSecond > 0 ? kPassesOfRound * facts.bytes / facts.memoryBytesPerSecond : 0;
    return contentionSeconds(facts) + passes;
}

// Ranks meet once a round; until then their steps' scatter adds up.
double spreadOf(const ClusterFacts& facts, std::int64_t period) {
    return expectedMaximumNormal(0, facts.jitter * facts.stepSeconds * std::sqrt(static_cast<double>(period)),
                                 facts.workers);
}

std::int64_t delayFor(const ClusterFacts& facts, double spread) {
    return std::max(1, minimumDelay(facts.reduceSeconds, facts.stepSeconds, spread));
}

std::int64_t samplesThatCover(const ClusterFacts& facts, double share) {
    const double needed = static_cast<double>(facts.batchSize) * facts.reduceSeconds / (share * facts.stepSeconds);
    return static_cast<std::int64_t>(std::ceil(needed - 1e-9));
}

// The largest number whose ring is done within d·T_c; more ranks always take it longer.
int workersThatFit(const ClusterFacts& facts, std::int64_t delay) {
    const double room = static_cast<double>(delay) * facts.stepSeconds * (1 + 1e-9);
    const auto fits = [&](int workers) { return ringAllReduceSeconds(facts.link, facts.bytes, workers) <= room; };
    if (fits(kMostWorkers)) return 0;
    int most = 1, tooMany = kMostWorkers;
    while (tooMany - most > 1) {
        const int middle = most + (tooMany - most) / 2;
        (fits(middle) ? most : tooMany) = middle;
    }
    return most;
}

void explain(const ClusterFacts& facts, double allowedOverhead, Advice& advice) {
    const auto say = [&](std::string sentence) { advice.why.push_back(std::move(sentence)); };
    const std::string d = std::to_string(advice.delay), tau = std::to_string(advice.period);
    say("d = " + d + ": an average takes T_m = " + milliseconds(facts.reduceSeconds) +
        ", a step T_c = " + milliseconds(facts.stepSeconds) + ", and ranks are " + milliseconds(advice.spreadSeconds) +
        " apart when it leaves; d = ceil((T_m + spread) / T_c).");
    if (!advice.hides) {
        say("Even " + d + " steps do not cover it: this network is too slow for this model and batch.");
    } else if (advice.period > advice.delay) {
        say("τ = " + tau + ": a shorter period spends more than " + percent(allowedOverhead) +
            " of a step on contention (κ = " + shortNumber(facts.countedContention()) + "), snapshots and merges.");
    } else {
        say("τ = d: one average is under way at a time, and the next leaves when it has arrived.");
    }
    if (!facts.contention) say("How much a collective slows computing down was not seen: it counts as nothing.");
    say("ξ = 0, c = 1: this merge keeps every local step. The published blend (ξ = 0.25, c = 0) discards " +
        percent(1 - effectiveShare(advice.period, advice.delay, 0.25, 0)) + " of them at this τ and d.");
    say("Batch: with " + std::to_string(advice.delayBatch) +
        " samples a worker a delay of one step would do; synchronous "
        "SGD hides its gradients from " +
        std::to_string(advice.syncBatch) + " on.");
    if (advice.mostWorkers > 1) {
        say("Workers: this delay hides a ring's average up to " + std::to_string(advice.mostWorkers) + " of them.");
    }
    say("A parameter server in place of the ring would take " + std::to_string(advice.parameterServers) +
        (advice.parameterServers == 1 ? " host" : " hosts") + " of its own.");
}

}  // namespace

double effectiveShare(std::int64_t period, std::int64_t delay, double localWeight, double correction) {
    const double kept = localWeight + (1 - localWeight) * correction;
    return 1 - (1 - kept) * static_cast<double>(delay) / static_cast<double>(period);
}

Advice advise(const ClusterFacts& facts, double allowedOverhead) {
    Advice advice{.localWeight = 0, .correction = 1};
    const double affordable = roundCost(facts) / (allowedOverhead * facts.stepSeconds);
    // The spread grows with the period and the delay with the spread: few rounds settle it, and each only grows.
    for (advice.period = 1;;) {
        advice.spreadSeconds = spreadOf(facts, advice.period);
        advice.delay = std::min(delayFor(facts, advice.spreadSeconds), kLongestPeriod);
        const auto least = static_cast<std::int64_t>(std::ceil(affordable - 1e-9));
        const std::int64_t period = std::clamp(least, advice.delay, kLongestPeriod);
        if (period <= advice.period) break;
        advice.period = period;
    }
    advice.hides = static_cast<double>(advice.delay) * facts.stepSeconds >= facts.reduceSeconds;
    advice.overhead = roundCost(facts) / (static_cast<double>(advice.period) * facts.stepSeconds);
    const double passes = roundCost(facts) - contentionSeconds(facts);
    advice.stepSeconds = dasgdStepSeconds(facts.stepSeconds, facts.reduceSeconds, static_cast<int>(advice.period),
                                          static_cast<int>(advice.delay), facts.countedContention()) +
                         passes / static_cast<double>(advice.period);
    advice.delayBatch = samplesThatCover(facts, 1);
    advice.syncBatch = samplesThatCover(facts, std::max(facts.backwardShare, 1e-9));
    advice.mostWorkers = workersThatFit(facts, advice.delay);
    advice.parameterServers =
        facts.link.beta > 0 ? parameterServersNeeded(facts.bytes, facts.workers, 1 / facts.link.beta, facts.stepSeconds)
                            : 1;
    explain(facts, allowedOverhead, advice);
    return advice;
}

}  // namespace dasgd::experiments
