#include "core/analysis/timings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/analysis/statistics.h"

namespace dasgd {

namespace {

// A straggler is slower than the median by at least so much, and by so many standard errors.
constexpr double kLeastExcess = 0.01;
constexpr double kLeastErrors = 4;
constexpr std::int64_t kTimedStretches = 8;
constexpr std::int64_t kLeastStretches = 4;

using ComputeByRank = std::map<int, std::map<std::int64_t, double>>;  // time by step

ComputeByRank computeByRank(std::span<const RankSpan> spans) {
    ComputeByRank ranks;
    for (const auto& [rank, span] : spans) {
        if (isCompute(span.kind)) ranks[rank][span.step] += static_cast<double>(span.end - span.start);
    }
    return ranks;
}

// Mean time of the steps [from, to), by rank; ranks without such a step are left out.
std::vector<std::pair<double, int>> timePerStep(const ComputeByRank& ranks, std::int64_t from, std::int64_t to) {
    std::vector<std::pair<double, int>> times;
    for (const auto& [rank, steps] : ranks) {
        double sum = 0;
        int n = 0;
        for (auto at = steps.lower_bound(from); at != steps.end() && at->first < to; ++at, ++n) {
            sum += at->second;
        }
        if (n > 0) times.emplace_back(sum / n, rank);
    }
    return times;
}

double medianOf(const std::vector<std::pair<double, int>>& perStep) {
    std::vector<double> times;
    for (const auto& [time, rank] : perStep) times.push_back(time);
    return median(std::move(times));
}

std::optional<Straggler> slowestOf(const ComputeByRank& ranks, std::int64_t from, std::int64_t to) {
    const auto perStep = timePerStep(ranks, from, to);
    if (perStep.size() < 2) return std::nullopt;
    const double middle = medianOf(perStep);
    if (middle <= 0) return std::nullopt;
    const auto slowest = *std::max_element(perStep.begin(), perStep.end());
    return Straggler{.rank = slowest.second, .excess = slowest.first / middle - 1};
}

std::optional<double> excessOf(const ComputeByRank& ranks, int rank, std::int64_t from, std::int64_t to) {
    const auto perStep = timePerStep(ranks, from, to);
    const auto own = std::find_if(perStep.begin(), perStep.end(), [&](const auto& one) { return one.second == rank; });
    if (own == perStep.end() || perStep.size() < 2) return std::nullopt;
    const double middle = medianOf(perStep);
    return middle > 0 ? std::optional(own->first / middle - 1) : std::nullopt;
}

}  // namespace

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
    const ComputeByRank ranks = computeByRank(spans);
    if (ranks.size() < 2) return std::nullopt;
    std::int64_t first = ranks.begin()->second.begin()->first, last = first;
    for (const auto& [rank, steps] : ranks) {
        first = std::min(first, steps.begin()->first);
        last = std::max(last, steps.rbegin()->first);
    }
    // The first and the last step may be recorded in part only.
    ++first;
    --last;
    const std::int64_t stretches = std::min(kTimedStretches, last - first + 1);
    if (stretches < kLeastStretches) return std::nullopt;
    const auto slowest = slowestOf(ranks, first, last + 1);
    if (!slowest || slowest->excess < kLeastExcess) return std::nullopt;
    // A machine is slow for a while: consecutive steps are no independent measurements, stretches of them nearly are.
    std::vector<double> excesses;
    for (std::int64_t i = 0; i < stretches; ++i) {
        const std::int64_t from = first + (last - first + 1) * i / stretches;
        const std::int64_t to = first + (last - first + 1) * (i + 1) / stretches;
        if (const auto excess = excessOf(ranks, slowest->rank, from, to)) excesses.push_back(*excess);
    }
    if (excesses.size() < static_cast<std::size_t>(kLeastStretches)) return std::nullopt;
    const Sample sample = summarise(excesses);
    const double error = sample.std.value_or(0) / std::sqrt(static_cast<double>(std::max<std::size_t>(1, sample.n)));
    if (slowest->excess <= kLeastErrors * error) return std::nullopt;
    return slowest;
}

}  // namespace dasgd
