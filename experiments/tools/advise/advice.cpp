#include "experiments/tools/advise/advice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/cost/bucket_plan.h"
#include "core/cost/communication_pattern.h"
#include "core/cost/memory/memory_passes.h"
#include "core/cost/memory/sizing.h"
#include "core/cost/step_time.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

// The merge that is recommended: ξ = 0, c = 1.
constexpr double kPassesOfRound = passesOfSnapshot(true) + passesOfMerge(false, true);
constexpr int kMostWorkers = 1'000'000;

std::string milliseconds(double seconds) { return shortNumber(seconds * 1e3) + " ms"; }

// One exchange of all weights. Of a compressed one the transfers are by formula, in the ratio in which T_m stands to
// its own.
ExchangeSeconds exchangeOfAll(const ClusterFacts& facts) {
    if (!facts.compressed) return {.first = facts.reduceSeconds};
    const AllReduceKind kind = facts.allReduce.value_or(AllReduceKind{});
    CommunicationRound round{.compressed = facts.compressed};
    round.compressed->passes.encode += facts.coding.encode;
    round.compressed->passes.decode += facts.coding.decode;
    ExchangeSeconds exchange = exchangeSeconds(round, checkAllReduce(kind, facts.workers) ? kind : AllReduceKind{},
                                               facts.link, facts.bytes, facts.workers, facts.memoryBytesPerSecond);
    const double formula = allReduceByFormula(facts, facts.bytes, facts.workers);
    const double ratio = formula > 0 ? facts.reduceSeconds / formula : 1;
    exchange.first *= ratio;
    exchange.second *= ratio;
    return exchange;
}

// Contention stretches computing by κ while a collective transfers, T_m of every round.
double contentionSeconds(const ClusterFacts& facts) {
    const double contention = facts.countedContention();
    return exchangeOfAll(facts).transfers() * contention / (1 + contention);
}

double roundCost(const ClusterFacts& facts) {
    const double passes =
        facts.memoryBytesPerSecond > 0 ? kPassesOfRound * facts.bytes / facts.memoryBytesPerSecond : 0;
    return contentionSeconds(facts) + passes + exchangeOfAll(facts).coding();
}

// Expected lag of the last rank behind the mean, in seconds. Ranks meet once per round; until then the deviations of
// their steps add up.
double spreadOf(const ClusterFacts& facts, std::int64_t period) {
    return expectedMaximumNormal(0, facts.jitter * facts.stepSeconds * std::sqrt(static_cast<double>(period)),
                                 facts.workers);
}

// T_m for other sizes and numbers of workers: by formula, in the ratio in which T_m stands to its own.
double exchangeOf(const ClusterFacts& facts, double bytes, int workers) {
    const double own = allReduceByFormula(facts, facts.bytes, facts.workers);
    return own > 0 ? facts.reduceSeconds * allReduceByFormula(facts, bytes, workers) / own : 0;
}

// True where each stage fits into the steps of the delay that pass beside it.
bool fitsIntoDelay(const ClusterFacts& facts, const Advice& advice) {
    const ExchangeSeconds& exchange = advice.exchange;
    const StageDelays delays = stageDelays(exchange, static_cast<int>(advice.delay));
    const auto fits = [&](double transfer, int steps) {
        return Delivery{transfer, advice.spreadSeconds}.fitsInto(steps * facts.stepSeconds);
    };
    return fits(exchange.first, delays.first) && (exchange.second == 0 || fits(exchange.second, delays.second));
}

std::int64_t samplesThatCover(const ClusterFacts& facts, const Delivery& delivery, double share) {
    return minimumDelay(delivery.needs(), share * facts.stepSeconds / static_cast<double>(facts.batchSize));
}

// The largest number whose average fits into d steps, with ranks as far apart as they are now.
int workersThatFit(const ClusterFacts& facts, const Advice& advice) {
    if (!facts.allReduce || facts.compressed) return 0;
    const double room = static_cast<double>(advice.delay) * facts.stepSeconds;
    const auto fits = [&](int workers) {
        return Delivery{exchangeOf(facts, facts.bytes, workers), advice.spreadSeconds}.fitsInto(room);
    };
    if (fits(kMostWorkers)) return 0;
    int most = 1, tooMany = kMostWorkers;
    while (tooMany - most > 1) {
        const int middle = most + (tooMany - most) / 2;
        (fits(middle) ? most : tooMany) = middle;
    }
    return most;
}

// R: one exchange of all weights, of which nothing is hidden, ÷ the computing of all workers' batches.
double blockingRatio(const ClusterFacts& facts, const Advice& advice) {
    const double whole = facts.stepSeconds * facts.workers;
    return whole > 0 ? (advice.exchange.transfers() + advice.exchange.coding()) / whole : 0;
}

std::string efficiencyInWords(const ClusterFacts& facts, const Advice& advice) {
    const std::string share = percent(advice.efficiency) + " of a linear speed-up",
                      batch = "the batch of all " + std::to_string(facts.workers) + " workers",
                      formula = ": (1 + R) / (1 + G R), with R = " + shortNumber(blockingRatio(facts, advice)) +
                                ", an average ÷ the computing of that batch.";
    if (advice.efficientWorkers == 1) {
        return "Efficiency: two workers that divide " + batch +
               " and wait for an average in each step keep less than " + share + formula;
    }
    const std::string most =
        advice.efficientWorkers > 0 ? "at most " + std::to_string(advice.efficientWorkers) : "any number of";
    return "Efficiency: " + share + " where " + batch + " is divided among " + most +
           " workers that wait for an average in each step" + formula;
}

// More servers than workers speed nothing up: each worker's own port is the limit then.
int serversThatFit(const ClusterFacts& facts, const Advice& advice) {
    const double room = static_cast<double>(advice.delay) * facts.stepSeconds;
    for (int servers = 1; servers <= facts.workers; ++servers) {
        const CommunicationRound round{.servers = servers};
        const double exchange = exchangeSeconds(round, {}, facts.link, facts.bytes, facts.workers + servers).first;
        if (Delivery{exchange, advice.spreadSeconds}.fitsInto(room)) return servers;
    }
    return 0;
}

std::string serversInWords(int servers) {
    const std::string within = " to exchange all weights within these steps.";
    if (servers == 0) return "No number of parameter servers in place of the all-reduce would do" + within;
    return "Parameter servers in place of the all-reduce would take " + std::to_string(servers) +
           (servers == 1 ? " host of their own" : " hosts of their own") + within;
}

std::string delayInWords(const ClusterFacts& facts, const Advice& advice) {
    const ExchangeSeconds& exchange = advice.exchange;
    const bool twice = exchange.second > 0;
    return "d = " + std::to_string(advice.delay) + ": " + (facts.compressed ? "a compressed" : "an") +
           " average takes " +
           (twice ? "T_1 = " + milliseconds(exchange.first) + " and then T_2 = " + milliseconds(exchange.second)
                  : "T_m = " + milliseconds(exchange.first)) +
           ", a step T_c = " + milliseconds(facts.stepSeconds) + ", and ranks are " +
           milliseconds(advice.spreadSeconds) + " apart when it leaves; " +
           (twice ? "the first ceil(d / 2) steps cover T_1 and the spread, the others T_2 and the spread."
                  : "d = ceil((T_m + spread) / T_c).");
}

void explain(const ClusterFacts& facts, double allowedOverhead, Advice& advice) {
    const auto say = [&](std::string sentence) { advice.why.push_back(std::move(sentence)); };
    const std::string d = std::to_string(advice.delay), tau = std::to_string(advice.period);
    say(delayInWords(facts, advice));
    if (!advice.hides) {
        say("Even " + d + " steps do not cover it: this network is too slow for this model and batch.");
    } else if (advice.period > advice.delay) {
        say("τ = " + tau + ": a shorter period spends more than " + percent(allowedOverhead) +
            " of a step on contention (κ = " + shortNumber(facts.countedContention()) + "), " +
            (facts.compressed ? "coding, " : "") + "snapshots and merges.");
    } else {
        say("τ = d: one average is under way at a time, and the next leaves when it has arrived.");
    }
    if (!facts.contention) say("How much a collective slows computing down was not seen: it counts as nothing.");
    say("ξ = 0, c = 1: this merge keeps every local step. The published blend (ξ = 0.25, c = 0) discards " +
        percent(1 - effectiveShare(advice.period, advice.delay, 0.25, 0)) + " of them at this τ and d.");
    const std::string apart = advice.spreadSeconds > 0 ? ", with ranks as far apart as now" : "";
    if (advice.delayBatch > 0) {
        say("Batch: from " + std::to_string(advice.delayBatch) + " samples a worker on a delay of one step would do" +
            apart + ".");
    }
    if (advice.mostWorkers > 1) {
        say("Workers: this delay hides an average of up to " + std::to_string(advice.mostWorkers) + " of them" + apart +
            ".");
    }
    if (facts.stepSeconds > 0) say(efficiencyInWords(facts, advice));
    if (facts.link.beta > 0 && !facts.compressed) say(serversInWords(advice.parameterServers));
}

}  // namespace

double allReduceByFormula(const ClusterFacts& facts, double bytes, int workers) {
    const AllReduceKind kind = facts.allReduce.value_or(AllReduceKind{});
    return allReduceSeconds(checkAllReduce(kind, workers) ? kind : AllReduceKind{}, facts.link, bytes, workers);
}

double effectiveShare(std::int64_t period, std::int64_t delay, double localWeight, double correction) {
    const double kept = localWeight + (1 - localWeight) * correction;
    return 1 - (1 - kept) * static_cast<double>(delay) / static_cast<double>(period);
}

double stepByFormula(const ClusterFacts& facts, std::int64_t period, std::int64_t delay) {
    const ExchangeSeconds exchange = exchangeOfAll(facts);
    const double passes = roundCost(facts) - contentionSeconds(facts) - exchange.coding();
    return exchangeStepSeconds(facts.stepSeconds, exchange, static_cast<int>(period), static_cast<int>(delay),
                               facts.countedContention()) +
           passes / static_cast<double>(period);
}

Advice advise(const ClusterFacts& facts, double allowedOverhead, double efficiency) {
    Advice advice{.localWeight = 0, .correction = 1, .exchange = exchangeOfAll(facts), .efficiency = efficiency};
    const ExchangeSeconds& exchange = advice.exchange;
    const double affordable = roundCost(facts) / (allowedOverhead * facts.stepSeconds);
    // The spread grows with the period and the delay with the spread: few rounds settle it, and each only grows.
    for (advice.period = 1;;) {
        advice.spreadSeconds = spreadOf(facts, advice.period);
        advice.delay = std::clamp<std::int64_t>(minimumDelay(exchange, facts.stepSeconds, advice.spreadSeconds), 1,
                                                kLongestPeriod);
        const auto least = static_cast<std::int64_t>(std::ceil(affordable - 1e-9));
        const std::int64_t period = std::clamp(least, advice.delay, kLongestPeriod);
        if (period <= advice.period) break;
        advice.period = period;
    }
    advice.hides = fitsIntoDelay(facts, advice);
    advice.overhead = roundCost(facts) / (static_cast<double>(advice.period) * facts.stepSeconds);
    advice.stepSeconds = stepByFormula(facts, advice.period, advice.delay);
    // A second stage has no step of its own where the delay is one.
    if (exchange.second == 0) {
        advice.delayBatch = samplesThatCover(facts, {exchange.first, advice.spreadSeconds}, 1);
    }
    advice.mostWorkers = workersThatFit(facts, advice);
    advice.efficientWorkers = workersForEfficiency(blockingRatio(facts, advice), efficiency).value_or(0);
    if (!facts.compressed) advice.parameterServers = serversThatFit(facts, advice);
    explain(facts, allowedOverhead, advice);
    return advice;
}

std::optional<SyncHiding> syncHiding(const ClusterFacts& facts, double firstLimit, double limit) {
    const bool known = !facts.gradientBytes.empty() && facts.gradientShares.size() == facts.gradientBytes.size() &&
                       facts.allReduce && facts.backwardShare > 0;
    if (!known || facts.compressed) return std::nullopt;
    const std::vector<PlannedBucket> buckets = planBuckets(facts.gradientBytes, firstLimit, limit);
    const double spread = spreadOf(facts, 1);
    std::vector<double> transfers, left;  // left: share of the backward pass after the last gradient of each bucket
    for (const PlannedBucket& bucket : buckets) {
        transfers.push_back(exchangeOf(facts, bucket.bytes, facts.workers));
        left.push_back(std::accumulate(facts.gradientShares.begin(),
                                       facts.gradientShares.begin() + static_cast<std::ptrdiff_t>(bucket.first), 0.0));
    }
    SyncHiding hiding{.buckets = buckets.size()};
    double hidden = 0;
    // Buckets leave one after the other: what the pass still lasts after one has to hold its transfer and those of all
    // that leave behind it, but for what leaves when the pass has ended.
    for (std::size_t i = buckets.size(); i-- > 0;) {
        if (left[i] <= 0) continue;
        hidden += transfers[i];
        hiding.batch = std::max(hiding.batch, samplesThatCover(facts, {hidden, spread}, left[i] * facts.backwardShare));
    }
    const double all = std::accumulate(transfers.begin(), transfers.end(), 0.0);
    if (all > 0) hiding.most = hidden / all;
    return hiding;
}

std::string inWords(const SyncHiding& hiding) {
    if (hiding.buckets == 1) {
        return "Synchronous SGD hides nothing with any batch: its gradients are one bucket, which leaves when the "
               "backward pass has ended.";
    }
    if (hiding.batch == 0) {
        return "Synchronous SGD hides nothing with any batch: its buckets leave when the backward pass has ended.";
    }
    return "Synchronous SGD hides at most " + percent(hiding.most) + " of its transfers, from " +
           std::to_string(hiding.batch) +
           " samples a worker on: the last of its buckets leaves when the backward pass has ended.";
}

}  // namespace dasgd::experiments
