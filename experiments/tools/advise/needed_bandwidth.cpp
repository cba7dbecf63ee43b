#include "experiments/tools/advise/needed_bandwidth.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

#include "core/base/schema/units.h"
#include "core/cost/bucket_plan.h"
#include "core/cost/compressed_exchange.h"
#include "experiments/config/document.h"
#include "experiments/tools/advise/advice.h"
#include "experiments/tools/advise/formula_times.h"
#include "experiments/tools/advise/known_cluster.h"

namespace dasgd::experiments {

namespace {

using Pattern = CommunicationPattern;

std::string textOf(const PatternValues& values, const char* field, const char* otherwise) {
    return values(field).value_or(otherwise);
}

// Refuses what the formula does not cover.
Status covers(const Pattern& pattern, const PatternValues& values) {
    if (pattern.kind == Pattern::Kind::Undeclared) return fail("it declares no communication pattern");
    if (pattern.kind == Pattern::Kind::NoFormula) return fail(pattern.why);
    for (const PatternLimit& limit : pattern.limits) {
        if (limit.field != "launch" && (values(limit.field) == limit.value) != limit.unless) return fail(limit.why);
    }
    if (patternNumber(pattern.peers, values) > 0 || patternNumber(pattern.servers, values) > 0) {
        return fail("it exchanges single messages with peers or servers, and the formula is one of collectives");
    }
    if (pattern.ownCoding) return fail("it codes its averages itself, and they have two stages");
    if (patternNumber(pattern.share, values) != 1) return fail("it sends a share of its weights, of no whole layers");
    return {};
}

// Seconds of a step and of its backward pass.
struct Step {
    double seconds = 0, backward = 0;
};
Result<Step> stepOf(const Value& resolved, std::vector<std::string>& assumes) {
    const auto* text = valueAt<std::string>(resolved, "compute", "step_time");
    const auto seconds = text ? parseDuration(*text) : Result<double>(fail("none"));
    if (!seconds) {
        return fail(
            "the time of a step is not given: set backend = \"virtual\" in [cluster] and step_time in [compute], "
            "as 60ms");
    }
    const auto* forward = valueAt<double>(resolved, "compute", "forward_share");
    const bool isGiven = forward && *forward > 0;
    if (!isGiven) assumes.push_back("A third of a step is its forward pass.");
    return Step{.seconds = *seconds, .backward = *seconds * (1 - (isGiven ? *forward : 1.0 / 3))};
}

// Refuses settings with which the formula's steps are others, and says what the bandwidth is of where links differ.
Status checkSettings(const Value& resolved, LaunchTime launch, std::vector<std::string>& assumes) {
    const auto* micro = valueAt<std::int64_t>(resolved, "train", "accumulate");
    if (micro && *micro > 1) {
        return fail("its step is of " + std::to_string(*micro) +
                    " micro-batches, of which step_time is one: set accumulate = 1 in [train] and the step_time of all "
                    "of them, or simulate it");
    }
    const auto* shares = valueAt<Value::Array>(resolved, "compute", "gradient_shares");
    if (launch == LaunchTime::Backward) {
        if (shares && !shares->empty()) {
            return fail(
                "the formula has layers take the backward pass by their weights, and gradient_shares says "
                "otherwise: remove it from [compute], or simulate it");
        }
        assumes.emplace_back(
            "Layers take the backward pass in proportion to their weights, as dense ones do: simulate convolutions.");
    }
    const auto* efficiency = valueAt<double>(resolved, "network", "efficiency");
    const auto* factors = valueAt<Value::Array>(resolved, "network", "bandwidth_factors");
    if ((efficiency && *efficiency != 1) || (factors && factors->size() > 1)) {
        assumes.emplace_back(
            "The bandwidth is what every link reaches: efficiency and bandwidth_factors are not in it.");
    }
    return {};
}

// Layers of these sizes, each with its share of the backward pass and of the messages.
std::vector<SentLayer> layersOf(const std::vector<double>& sizes, double backwardSeconds, double bytes) {
    const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    std::vector<SentLayer> layers;
    for (const double size : sizes) layers.push_back({backwardSeconds * size / all, bytes * size / all});
    return layers;
}

// Gradients leave in buckets under every backward pass; a bucket counts as a layer.
void takeGradients(const CheckedExperiment& experiment, const Pattern& pattern, const PatternValues& values,
                   std::vector<double>& sizes, UtilizationRound& round) {
    constexpr double kMebibyte = 1048576;
    std::vector<double> bytes;
    for (const std::int64_t size : experiment.parameterSizes) {
        bytes.push_back(static_cast<double>(size) * weightBytes(experiment.resolved));
    }
    const double first = patternNumber(pattern.firstBucketMb, values) * kMebibyte;
    const double other = std::strtod(textOf(values, "bucket_mb", "25").c_str(), nullptr) * kMebibyte;
    sizes.clear();
    for (const PlannedBucket& bucket : planBuckets(bytes, first, other)) sizes.push_back(bucket.bytes);
    std::ranges::reverse(sizes);
    round.launch = LaunchTime::Backward;
    round.fragments = stridedFragments(sizes.size(), 1);
}

Status takeAverages(const CheckedExperiment& experiment, const Pattern& pattern, const PatternValues& values,
                    UtilizationRound& round) {
    round.period = static_cast<std::int64_t>(patternNumber(pattern.period, values));
    round.delay = static_cast<std::int64_t>(patternNumber(pattern.delay, values));
    if (round.period < 1 || round.delay < 0 || experiment.fragments.empty()) {
        return fail("its fields give no number of steps and fragments");
    }
    if (textOf(values, "launch", "step") == nameOf(LaunchTime::Backward)) round.launch = LaunchTime::Backward;
    round.fragments = experiment.fragments;
    const auto count = static_cast<std::int64_t>(round.fragments.size());
    const std::int64_t most = round.period / count - (pattern.delayBelowInterval ? 1 : 0);
    if (round.delay <= most) return {};
    return fail("a delay of " + std::to_string(round.delay) +
                " steps has several of its exchanges under way at once, " + std::to_string(count) + " in " +
                std::to_string(round.period) +
                " steps, and the formula gives each the link to itself: set a delay of at most " +
                std::to_string(most) + ", or simulate it");
}

// The name of a case is in its label too.
std::string labelOf(const CheckedExperiment& experiment) {
    const std::size_t named = experiment.label.find(experiment.name);
    if (named != std::string::npos) return experiment.label.substr(named);
    return experiment.label.empty() ? experiment.name : experiment.name + ": " + experiment.label;
}

}  // namespace

Result<NeededRound> neededRound(const CheckedExperiment& experiment, const AlgorithmInfo& algorithm) {
    const Pattern& pattern = algorithm.communication;
    const Value settings = sectionOf(experiment.resolved, "algorithm");
    const PatternValues values = patternValues(algorithm, settings);
    DASGD_TRY(covers(pattern, values));
    NeededRound needed;
    DASGD_ASSIGN(const Step step, stepOf(experiment.resolved, needed.assumes));
    ClusterFacts facts{.workers = experiment.workers};
    takeKnown(experiment.resolved, std::nullopt, facts);
    if (!facts.allReduce || facts.link.beta <= 0) {
        return fail(
            "its network is no star with collectives of messages: set name = \"star\" and a collective such as "
            "\"ring\" in [network]");
    }
    needed.link = facts.link;
    needed.link.beta = 0;
    needed.round.stepSeconds = step.seconds;
    std::vector<double> sizes(experiment.layerSizes.begin(), experiment.layerSizes.end());
    if (pattern.kind == Pattern::Kind::Gradients) takeGradients(experiment, pattern, values, sizes, needed.round);
    if (pattern.kind == Pattern::Kind::Averages) {
        DASGD_TRY(takeAverages(experiment, pattern, values, needed.round));
        const auto first = static_cast<std::int64_t>(patternNumber(pattern.gradientSteps, values));
        if (first > 0) {
            needed.assumes.push_back("The first " + std::to_string(first) +
                                     " steps, which average gradients, are left out.");
        }
    }
    DASGD_TRY(checkSettings(experiment.resolved, needed.round.launch, needed.assumes));
    double bytes = static_cast<double>(experiment.parameters) * weightBytes(experiment.resolved);
    auto collective = CompressedExchange::Collective::AllReduce;
    if (experiment.compressed) {
        if (!experiment.compressed->why.empty()) return fail(experiment.compressed->why);
        if (experiment.compressed->stages.size() != 1) {
            return fail("its compressed exchanges have two stages: set scheme = \"gather\" in [compression]");
        }
        bytes = static_cast<double>(experiment.compressed->stages.front().bytes);
        collective = experiment.compressed->stages.front().collective;
        needed.assumes.push_back("Coding takes no time.");
    }
    needed.round.layers = layersOf(sizes, step.backward, bytes);
    needed.exchange = [kind = *facts.allReduce, ranks = experiment.workers, collective](const LinkCost& link,
                                                                                        double size) {
        return stageSeconds({collective, static_cast<std::int64_t>(std::llround(size))}, kind, link, ranks);
    };
    return needed;
}

std::vector<NeededBandwidth> neededBandwidths(const std::vector<CheckedExperiment>& experiments,
                                              const std::vector<double>& utilizations) {
    const std::vector<AlgorithmInfo> algorithms = registeredAlgorithms();
    std::vector<NeededBandwidth> all;
    for (const CheckedExperiment& experiment : experiments) {
        NeededBandwidth& one = all.emplace_back();
        one.label = labelOf(experiment);
        one.algorithm = experiment.algorithm;
        const auto needed =
            neededRound(experiment, *std::ranges::find(algorithms, experiment.algorithm, &AlgorithmInfo::name));
        if (!needed) {
            one.why = needed.error().message;
            continue;
        }
        one.assumes = needed->assumes;
        for (const double utilization : utilizations) {
            one.bytesPerSecond.push_back(bandwidthFor(needed->round, needed->exchange, needed->link, utilization));
        }
    }
    return all;
}

}  // namespace dasgd::experiments
