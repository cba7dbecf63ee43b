#include "storage/run_timings.h"

#include <algorithm>
#include <map>
#include <vector>

namespace dasgd::storage {

namespace {

constexpr double kCovered = 0.9;
constexpr double kUncovered = 0.1;

struct RankSpans {
    std::vector<Span> all;
    std::map<std::int64_t, std::vector<TimeRange>> computeOfStep;
};

struct Mean {
    double sum = 0;
    std::int64_t count = 0;
    void add(double value) {
        sum += value;
        ++count;
    }
    [[nodiscard]] double value() const { return sum / static_cast<double>(count); }
};

std::map<int, RankSpans> byRank(std::span<const SpanRow> spans) {
    std::map<int, RankSpans> ranks;
    for (const SpanRow& row : spans) {
        RankSpans& rank = ranks[row.rank];
        rank.all.push_back(row.span);
        if (isCompute(row.span.kind)) rank.computeOfStep[row.span.step].push_back({row.span.start, row.span.end});
    }
    return ranks;
}

std::optional<double> meanSkew(std::span<const SpanRow> spans, std::size_t ranks) {
    std::map<std::uint64_t, std::map<int, Ns>> arrivals;
    for (const SpanRow& row : spans) {
        if (row.span.kind != SpanKind::Reduce || row.span.collective == 0) continue;
        arrivals[row.span.collective].emplace(row.rank, row.span.start);
    }
    Mean skew;
    for (const auto& [collective, starts] : arrivals) {
        if (starts.size() < ranks || ranks < 2) continue;
        Ns last = starts.begin()->second;
        for (const auto& [rank, start] : starts) last = std::max(last, start);
        for (const auto& [rank, start] : starts) skew.add(static_cast<double>(last - start) / 1e9);
    }
    if (skew.count == 0) return std::nullopt;
    return skew.value();
}

void sortSteps(const RankSpans& rank, Mean& during, Mean& apart) {
    std::vector<TimeRange> ranges;
    for (const Span& span : rank.all) {
        if (span.kind == SpanKind::Reduce) ranges.push_back({span.start, span.end});
    }
    std::sort(ranges.begin(), ranges.end(), [](TimeRange a, TimeRange b) { return a.start < b.start; });
    RecentIntervals reduces;
    for (const TimeRange& range : ranges) reduces.add(range);
    for (const auto& [step, parts] : rank.computeOfStep) {
        Ns total = 0;
        Ns covered = 0;
        for (const TimeRange& part : parts) {
            total += part.end - part.start;
            covered += reduces.covered(part);
        }
        const double share = total > 0 ? static_cast<double>(covered) / static_cast<double>(total) : 0;
        if (total > 0 && share >= kCovered) during.add(static_cast<double>(total));
        if (total > 0 && share <= kUncovered) apart.add(static_cast<double>(total));
    }
}

}  // namespace

RunTimings timingsOf(std::span<const SpanRow> spans) {
    const auto ranks = byRank(spans);
    RunTimings timings{.skewS = meanSkew(spans, ranks.size())};
    Mean during, apart;
    std::vector<std::pair<double, int>> perStep;
    for (const auto& [number, rank] : ranks) {
        sortSteps(rank, during, apart);
        Mean step;
        for (const auto& [ignored, parts] : rank.computeOfStep) {
            Ns total = 0;
            for (const TimeRange& part : parts) total += part.end - part.start;
            step.add(static_cast<double>(total));
        }
        if (step.count > 0) perStep.emplace_back(step.value(), number);
    }
    if (during.count > 0 && apart.count > 0) timings.inflation = during.value() / apart.value();
    if (perStep.size() < 2) return timings;
    std::sort(perStep.begin(), perStep.end());
    const std::size_t half = perStep.size() / 2;
    const double median =
        perStep.size() % 2 == 1 ? perStep[half].first : (perStep[half - 1].first + perStep[half].first) / 2;
    if (median <= 0) return timings;
    timings.stragglerRank = perStep.back().second;
    timings.stragglerExcess = perStep.back().first / median - 1;
    return timings;
}

}  // namespace dasgd::storage
