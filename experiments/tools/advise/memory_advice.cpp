#include "experiments/tools/advise/memory_advice.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>

#include "core/cost/communication_pattern.h"
#include "experiments/base/text.h"
#include "experiments/config/document.h"
#include "experiments/tools/advise/formula_times.h"
#include "experiments/tools/advise/known_cluster.h"

namespace dasgd::experiments {

namespace {

constexpr const char* kDividedUpdate = "zero_sgd";

// Rows of an algorithm with the values of its fields; none where its copies are not known.
std::vector<MemoryRow> rowsOf(const AlgorithmInfo& algorithm, const Value& settings, const MemoryAdvice& advice) {
    const PatternValues values = patternValues(algorithm, settings);
    const auto row = [&](const std::string& name, const RankMemory& memory) {
        return MemoryRow{.name = name, .algorithm = algorithm.name, .memory = memory};
    };
    const bool averagesState = values("optimizer_state") == "average";
    switch (algorithm.communication.forecast) {
        case ForecastRole::Buckets:
            return {
                row("data parallel", dividedState(advice.state, Division::Nothing, advice.parameters, advice.ranks))};
        case ForecastRole::Blocking:
            return {row("averages, blocking",
                        delayedMerge(advice.state, advice.parameters, false, false, false, averagesState))};
        case ForecastRole::Advised: {
            const bool isDelayed = patternNumber(ofField("delay"), values) > 0,
                       isLocal = patternNumber(ofField("local_weight"), values) > 0;
            const auto merge = [&](bool isCorrected) {
                return delayedMerge(advice.state, advice.parameters, isDelayed, isLocal, isCorrected, averagesState);
            };
            const bool isCorrected = patternNumber(ofField("correction"), values) > 0;
            const std::string name = isDelayed ? "averages, delayed" : "averages, blocking";
            return {row(name + (isCorrected ? ", corrected" : ""), merge(isCorrected)),
                    row(name + (isCorrected ? "" : ", corrected"), merge(!isCorrected))};
        }
        default: break;
    }
    if (algorithm.name == kDividedUpdate && patternNumber(ofField("stage"), values) == 3) {
        return {row("everything divided",
                    dividedState(advice.state, Division::Everything, advice.parameters, advice.ranks))};
    }
    if (algorithm.name == kDividedUpdate) {
        return {row("divided update", dividedUpdate(advice.state, advice.parameters, advice.ranks))};
    }
    return {};
}

double sumOf(const std::vector<std::int64_t>& sizes) {
    return static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}));
}

// Memory of a rank of this engine that has a stage: weights and gradients of the whole model, of which it trains its
// own, the optimiser's state of that, and with fdg a copy of its weights for each of the 2(K−1−k) passes that are kept.
// The stage that takes most.
MemoryRow staged(const std::string& algorithm, const MemoryAdvice& advice, const StageSizes& stages) {
    MemoryRow most{.name = {}, .algorithm = algorithm, .memory = {}};
    for (std::size_t k = 0; k < stages.size(); ++k) {
        const double own = sumOf(stages[k]);
        const double kept = algorithm == "fdg" ? 2.0 * static_cast<double>(stages.size() - 1 - k) : 0;
        const RankMemory memory{.weights = advice.state.weights * advice.wholeParameters,
                                .gradients = advice.state.gradients * advice.wholeParameters,
                                .optimizer = advice.state.optimizer * own,
                                .copies = advice.state.weights * own * kept};
        if (k > 0 && memory.sum() <= most.memory.sum()) continue;
        most.memory = memory;
        most.name = "stage " + std::to_string(k + 1) + " of " + std::to_string(stages.size()) + ", in this engine";
    }
    return most;
}

std::vector<MemoryRow> publishedRows(const StateBytes& state, double parameters, int ranks) {
    constexpr std::array kStages{
        std::pair{"data parallel", Division::Nothing}, std::pair{"ZeRO-1", Division::Optimizer},
        std::pair{"ZeRO-2", Division::OptimizerAndGradients}, std::pair{"ZeRO-3", Division::Everything}};
    std::vector<MemoryRow> rows;
    for (const auto& [name, division] : kStages) {
        rows.push_back({.name = name, .algorithm = {}, .memory = dividedState(state, division, parameters, ranks)});
    }
    return rows;
}

Result<MemoryPlan> planFor(const CheckedExperiment& experiment, const MemoryAdvice& advice,
                           const std::vector<std::int64_t>& sizes, double limitBytes) {
    ClusterFacts facts{.workers = advice.ranks};
    if (experiment.layout.timeSimulated) takeKnown(experiment.resolved, std::nullopt, facts);
    MemoryPlan plan{.limitBytes = limitBytes, .isTimed = facts.link.beta > 0};
    const LinkCost link = plan.isTimed ? facts.link : LinkCost{.beta = 1};
    std::vector<PlannedLayer> layers;
    for (const std::int64_t size : sizes) {
        plan.parameters.push_back(static_cast<double>(size));
        layers.push_back(plannedLayer(static_cast<double>(size), advice.state, advice.ranks, link));
    }
    auto chosen = planShards(layers, limitBytes);
    if (!chosen) {
        const ShardPlan least = leastMemory(layers);
        return fail("--limit is " + byteCount(limitBytes) + ", and the least that the state takes on each of " +
                    std::to_string(advice.ranks) + " ranks is " + byteCount(least.bytes) +
                    ": allow as much, or set more workers");
    }
    plan.chosen = std::move(*chosen);
    plan.whole = planOf(layers, std::vector<bool>(layers.size(), false));
    plan.divided = planOf(layers, std::vector<bool>(layers.size(), true));
    return plan;
}

}  // namespace

Result<MemoryAdvice> memoryAdvice(const CheckedExperiment& experiment, const std::vector<AlgorithmInfo>& algorithms,
                                  std::optional<double> limitBytes, const StageSizes& stages) {
    MemoryAdvice advice{.ranks = experiment.trainers,
                        .parameters = static_cast<double>(experiment.parameters),
                        .wholeParameters = static_cast<double>(experiment.parameters),
                        .optimizerTensors = static_cast<double>(experiment.optimizerTensors)};
    const auto largest = std::ranges::max_element(stages, {}, sumOf);
    if (!stages.empty()) {
        advice.ranks = experiment.workers / static_cast<int>(stages.size());
        advice.parameters = sumOf(*largest);
        advice.stages = static_cast<int>(stages.size());
        advice.stage = static_cast<int>(largest - stages.begin()) + 1;
    }
    advice.state = stateOfOneType(weightBytes(experiment.resolved), advice.optimizerTensors);
    const Value own = sectionOf(experiment.resolved, "algorithm");
    bool isKnown = false;
    for (const AlgorithmInfo& algorithm : algorithms) {
        const bool isExperiments = algorithm.name == experiment.algorithm;
        std::vector<MemoryRow> rows = isExperiments && !stages.empty()
                                          ? std::vector{staged(algorithm.name, advice, stages)}
                                          : rowsOf(algorithm, isExperiments ? own : Value(), advice);
        if (isExperiments && !rows.empty()) rows.front().isExperiments = isKnown = true;
        advice.rows.insert(advice.rows.end(), rows.begin(), rows.end());
    }
    for (MemoryRow& row : publishedRows(advice.state, advice.parameters, advice.ranks)) {
        if (row.name != "data parallel") advice.rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(advice.rows, std::greater<>(), [](const MemoryRow& row) { return row.memory.sum(); });
    advice.published = publishedRows(kMixedAdam, advice.parameters, advice.ranks);
    advice.remarks.emplace_back(
        "Activations, data, buffers of the model and what libraries allocate come on top: nothing here knows them. "
        "With "
        "ZeRO-3 the layers that are gathered at a time do, too.");
    if (!stages.empty()) {
        advice.remarks.push_back("The model is cut: rows count stage " + std::to_string(advice.stage) + " of " +
                                 std::to_string(advice.stages) +
                                 ", which has the most parameters, and divide it among its " +
                                 std::to_string(advice.ranks) +
                                 " replicas. In this engine each rank holds the whole model and trains its stage.");
    }
    if (!isKnown) {
        advice.remarks.push_back(
            "The file's algorithm, " + experiment.algorithm +
            ", has no row: what it keeps beside weights, gradients and optimiser is not declared.");
    }
    if (experiment.compressed) {
        advice.remarks.emplace_back("[compression] keeps what it has not sent besides; that is not counted.");
    }
    if (limitBytes) {
        auto plan = planFor(experiment, advice, stages.empty() ? experiment.parameterSizes : *largest, *limitBytes);
        if (!plan) return tl::unexpected(std::move(plan).error());
        advice.plan = std::move(*plan);
    }
    return advice;
}

}  // namespace dasgd::experiments
