#include "core/analysis/timings.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/analysis/statistics.h"

namespace dasgd {

DividedReduce divideReduce(const Span& reduce, Ns lastArrival) {
    const Ns end = std::max(reduce.start, reduce.end);
    const Ns arrived = std::clamp(lastArrival, reduce.start, end);
    DividedReduce divided{.transfer = reduce};
    divided.transfer.kind = SpanKind::Transfer;
    divided.transfer.start = arrived;
    divided.transfer.end = end;
    if (arrived > reduce.start) {
        divided.skew = reduce;
        divided.skew->kind = SpanKind::Skew;
        divided.skew->end = arrived;
    }
    return divided;
}

std::optional<RunRate> rateOf(std::span<const RankRate> ranks, double batch) {
    if (ranks.empty()) return std::nullopt;
    double rates = 0;
    for (const RankRate& rank : ranks) {
        if (!rank.known()) return std::nullopt;
        rates += static_cast<double>(rank.steps) / rank.seconds;
    }
    return RunRate{.stepSeconds = static_cast<double>(ranks.size()) / rates, .samplesPerS = batch * rates};
}

std::optional<Straggler> stragglerOf(std::span<const RankSpan> spans) {
    struct Computed {
        std::set<std::int64_t> steps;
        Ns time = 0;
    };
    std::map<int, Computed> ranks;
    for (const auto& [rank, span] : spans) {
        if (!isCompute(span.kind)) continue;
        ranks[rank].steps.insert(span.step);
        ranks[rank].time += span.end - span.start;
    }
    if (ranks.size() < 2) return std::nullopt;
    std::vector<std::pair<double, int>> perStep;
    for (const auto& [rank, computed] : ranks) {
        perStep.emplace_back(static_cast<double>(computed.time) / static_cast<double>(computed.steps.size()), rank);
    }
    std::vector<double> times;
    for (const auto& [time, rank] : perStep) times.push_back(time);
    const double middle = median(std::move(times));
    if (middle <= 0) return std::nullopt;
    const auto slowest = *std::max_element(perStep.begin(), perStep.end());
    return Straggler{.rank = slowest.second, .excess = slowest.first / middle - 1};
}

}  // namespace dasgd
