#include "core/analysis/spans/timings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "core/analysis/statistics.h"

namespace dasgd {

namespace {

// A straggler is slower than the median by at least so much, and by so many standard errors.
constexpr double kLeastExcess = 0.01;
constexpr double kLeastErrors = 4;
constexpr std::int64_t kTimedStretches = 8;
constexpr std::int64_t kLeastStretches = 4;

// Time of each whole step, in order. Ranks may make unequal numbers of steps: then as much of one rank's steps as of
// another's is about the same stretch of time.
using ComputeByRank = std::map<int, std::vector<double>>;

ComputeByRank computeByRank(std::span<const RankSpan> spans) {
    std::map<int, std::map<std::int64_t, double>> bySteps;
    for (const auto& [rank, span] : spans) {
        if (isCompute(span.kind)) bySteps[rank][span.step] += static_cast<double>(span.end - span.start);
    }
    ComputeByRank ranks;
    for (const auto& [rank, steps] : bySteps) {
        std::vector<double>& times = ranks[rank];
        // The first and the last step may be recorded in part only.
        for (auto at = std::next(steps.begin()); at != steps.end() && std::next(at) != steps.end(); ++at) {
            times.push_back(at->second);
        }
    }
    return ranks;
}

// Mean time of a step in part `part` of `parts` equal ones, by rank; ranks without a step there are left out.
std::vector<std::pair<double, int>> timePerStep(const ComputeByRank& ranks, std::int64_t part, std::int64_t parts) {
    std::vector<std::pair<double, int>> times;
    for (const auto& [rank, steps] : ranks) {
        const std::int64_t from = std::ssize(steps) * part / parts, to = std::ssize(steps) * (part + 1) / parts;
        if (from == to) continue;
        const double sum = std::accumulate(steps.begin() + from, steps.begin() + to, 0.0);
        times.emplace_back(sum / static_cast<double>(to - from), rank);
    }
    return times;
}

double medianOf(const std::vector<std::pair<double, int>>& perStep) {
    std::vector<double> times;
    for (const auto& [time, rank] : perStep) times.push_back(time);
    return median(std::move(times));
}

std::optional<Straggler> slowestOf(const ComputeByRank& ranks) {
    const auto perStep = timePerStep(ranks, 0, 1);
    if (perStep.size() < 2) return std::nullopt;
    const double middle = medianOf(perStep);
    if (middle <= 0) return std::nullopt;
    const auto slowest = *std::max_element(perStep.begin(), perStep.end());
    return Straggler{.rank = slowest.second, .excess = slowest.first / middle - 1};
}

std::optional<double> excessOf(const ComputeByRank& ranks, int rank, std::int64_t part, std::int64_t parts) {
    const auto perStep = timePerStep(ranks, part, parts);
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
    std::int64_t stretches = kTimedStretches;
    for (const auto& [rank, steps] : ranks) stretches = std::min(stretches, std::ssize(steps));
    if (stretches < kLeastStretches) return std::nullopt;
    const auto slowest = slowestOf(ranks);
    if (!slowest || slowest->excess < kLeastExcess) return std::nullopt;
    // A machine is slow for a while: consecutive steps are no independent measurements, stretches of them nearly are.
    std::vector<double> excesses;
    for (std::int64_t i = 0; i < stretches; ++i) {
        if (const auto excess = excessOf(ranks, slowest->rank, i, stretches)) excesses.push_back(*excess);
    }
    if (excesses.size() < static_cast<std::size_t>(kLeastStretches)) return std::nullopt;
    const Sample sample = summarise(excesses);
    const double error = sample.std.value_or(0) / std::sqrt(static_cast<double>(std::max<std::size_t>(1, sample.n)));
    if (slowest->excess <= kLeastErrors * error) return std::nullopt;
    return slowest;
}

}  // namespace dasgd
