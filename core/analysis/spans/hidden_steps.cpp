#include "core/analysis/spans/hidden_steps.h"

#include <algorithm>
#include <map>

#include "core/analysis/spans/intervals.h"

namespace dasgd {

namespace {

struct RankParts {
    Intervals compute, windows;
    std::vector<std::pair<Ns, std::int64_t>> steps;  // starts of spans of computing
    Intervals transfers;
};

std::map<int, RankParts> partsOf(std::span<const RankSpan> spans, TimeRange range) {
    std::map<int, RankParts> ranks;
    for (const auto& [rank, span] : spans) {
        RankParts& parts = ranks[rank];
        const TimeRange own{span.start, span.end};
        if (isCompute(span.kind)) {
            parts.compute.push_back(own);
            parts.steps.emplace_back(span.start, span.step);
        } else if (span.kind == SpanKind::Window) {
            parts.windows.push_back(own);
        } else if (span.kind == SpanKind::Transfer && span.end > range.start && span.end <= range.end) {
            parts.transfers.push_back(own);
        }
    }
    for (auto& [rank, parts] : ranks) {
        parts.compute = unionOf(std::move(parts.compute));
        parts.windows = unionOf(std::move(parts.windows));
        std::ranges::sort(parts.steps);
    }
    return ranks;
}

std::int64_t stepAt(const RankParts& parts, Ns instant) {
    const auto after = std::ranges::upper_bound(parts.steps, instant, {}, &std::pair<Ns, std::int64_t>::first);
    return after == parts.steps.begin() ? 0 : std::prev(after)->second;
}

}  // namespace

std::vector<HiddenStep> hiddenPerStep(std::span<const RankSpan> spans, TimeRange range) {
    const std::map<int, RankParts> ranks = partsOf(spans, range);
    std::map<std::int64_t, std::vector<double>> shares;  // by step, one value for each rank
    for (const auto& [rank, parts] : ranks) {
        std::map<std::int64_t, Intervals> ended;
        for (const TimeRange& transfer : parts.transfers) {
            const Ns length = transfer.end - transfer.start;
            if (length <= 0 || coveredOf(transfer, parts.windows) < length) continue;
            const std::int64_t step = stepAt(parts, transfer.end - 1);
            if (step > 0) ended[step].push_back(transfer);
        }
        for (auto& [step, transfers] : ended) {
            transfers = unionOf(std::move(transfers));
            shares[step].push_back(static_cast<double>(lengthOfCommon(transfers, parts.compute)) /
                                   static_cast<double>(lengthOf(transfers)));
        }
    }
    std::vector<HiddenStep> steps;
    for (const auto& [step, ofRanks] : shares) {
        double sum = 0;
        for (const double share : ofRanks) sum += share;
        steps.push_back({step, sum / static_cast<double>(ofRanks.size()), static_cast<int>(ofRanks.size())});
    }
    return steps;
}

}  // namespace dasgd
