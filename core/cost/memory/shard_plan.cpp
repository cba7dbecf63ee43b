#include "core/cost/memory/shard_plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/base/check.h"

namespace dasgd {

namespace {

constexpr std::size_t kMostChoices = 65'536;
constexpr double kCells = 16'384;

// A choice for the layers so far.
struct Choice {
    double bytes = 0, seconds = 0;
    std::uint32_t before = 0;  // place of the choice that it extends, among those for the layers before
    bool isDivided = false;    // the newest layer
    bool gathersAny = false;   // some layer is divided, and the gathered bytes of the largest such layer are counted
};

// Layers by what is gathered, the largest first: the first that is divided is then the largest, and its gathered bytes
// the most that any takes.
std::vector<std::size_t> byGathered(std::span<const PlannedLayer> layers) {
    std::vector<std::size_t> order(layers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t layer) { return layers[layer].gatheredBytes; });
    return order;
}

// Drops choices that another one beats. Those in which nothing is divided yet have still to pay for what is gathered,
// so they are compared with each other alone.
std::vector<Choice> withoutBeaten(std::vector<Choice> choices, double limitBytes) {
    std::ranges::sort(choices, {},
                      [](const Choice& one) { return std::tuple(one.gathersAny, one.bytes, one.seconds); });
    std::vector<Choice> kept;
    for (const Choice& choice : choices) {
        const bool isFirst = kept.empty() || kept.back().gathersAny != choice.gathersAny;
        if (isFirst || choice.seconds < kept.back().seconds) kept.push_back(choice);
    }
    if (kept.size() <= kMostChoices) return kept;
    const auto cellOf = [&](const Choice& choice) {
        return std::pair(choice.gathersAny, std::floor(choice.bytes / limitBytes * kCells));
    };
    std::vector<Choice> thinned;
    for (const Choice& choice : kept) {
        // The last one of a cell is its fastest, and no less than any other can it take the layers to come.
        if (!thinned.empty() && cellOf(thinned.back()) == cellOf(choice)) thinned.pop_back();
        thinned.push_back(choice);
    }
    return thinned;
}

}  // namespace

PlannedLayer plannedLayer(double parameters, const StateBytes& state, int ranks, const LinkCost& link) {
    const double weights = parameters * state.weights, gradients = parameters * state.gradients;
    const double others = 1 - 1.0 / ranks;
    return {.wholeBytes = parameters * state.sum(),
            .dividedBytes = parameters * state.sum() / ranks,
            .gatheredBytes = (weights + gradients) * others,
            .wholeSeconds = ringAllReduceSeconds(link, gradients, ranks),
            .dividedSeconds =
                2 * allGatherSeconds(link, weights / ranks, ranks) + reduceScatterSeconds(link, gradients, ranks)};
}

ShardPlan planOf(std::span<const PlannedLayer> layers, std::vector<bool> isDivided) {
    ShardPlan plan{.isDivided = std::move(isDivided)};
    double gathered = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const PlannedLayer& layer = layers[i];
        plan.bytes += plan.isDivided[i] ? layer.dividedBytes : layer.wholeBytes;
        plan.seconds += plan.isDivided[i] ? layer.dividedSeconds : layer.wholeSeconds;
        if (plan.isDivided[i]) gathered = std::max(gathered, layer.gatheredBytes);
    }
    plan.bytes += gathered;
    return plan;
}

ShardPlan leastMemory(std::span<const PlannedLayer> layers) {
    std::vector<bool> isDivided(layers.size(), true);
    ShardPlan least = planOf(layers, isDivided);
    for (const std::size_t layer : byGathered(layers)) {
        isDivided[layer] = false;
        if (ShardPlan plan = planOf(layers, isDivided); plan.bytes < least.bytes) least = std::move(plan);
    }
    return least;
}

Result<ShardPlan> planShards(std::span<const PlannedLayer> layers, double limitBytes) {
    if (leastMemory(layers).bytes > limitBytes) return fail("no choice of layers fits");
    const std::vector<std::size_t> order = byGathered(layers);
    // Layers that are still to come take at least their divided bytes.
    std::vector<double> toCome(layers.size() + 1, 0.0);
    for (std::size_t i = layers.size(); i-- > 0;) {
        const PlannedLayer& layer = layers[order[i]];
        toCome[i] = toCome[i + 1] + std::min(layer.dividedBytes, layer.wholeBytes);
    }
    std::vector<Choice> choices{Choice{}};
    std::vector<std::vector<std::pair<std::uint32_t, bool>>> history;  // Choice::before and isDivided of each layer's
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const PlannedLayer& layer = layers[order[i]];
        std::vector<Choice> next;
        const auto add = [&](const Choice& choice) {
            // The same bytes added in another order may differ by rounding.
            if (choice.bytes + toCome[i + 1] <= limitBytes * (1 + 1e-12)) next.push_back(choice);
        };
        for (std::uint32_t from = 0; from < choices.size(); ++from) {
            const Choice& before = choices[from];
            add({before.bytes + layer.wholeBytes, before.seconds + layer.wholeSeconds, from, false, before.gathersAny});
            const double gathered = before.gathersAny ? 0 : layer.gatheredBytes;
            add({before.bytes + layer.dividedBytes + gathered, before.seconds + layer.dividedSeconds, from, true,
                 true});
        }
        choices = withoutBeaten(std::move(next), limitBytes);
        history.emplace_back();
        for (const Choice& choice : choices) history.back().emplace_back(choice.before, choice.isDivided);
    }
    const auto best = std::ranges::min_element(choices, {}, &Choice::seconds);
    DASGD_CHECK(best != choices.end() && "the choice of least memory fits");
    std::vector<bool> isDivided(layers.size());
    auto place = static_cast<std::uint32_t>(best - choices.begin());
    for (std::size_t i = layers.size(); i-- > 0;) {
        const auto [before, divided] = history[i][place];
        isDivided[order[i]] = divided;
        place = before;
    }
    return planOf(layers, std::move(isDivided));
}

}  // namespace dasgd
