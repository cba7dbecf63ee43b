#include "core/analysis/spans/trace_diff.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "core/analysis/spans/intervals.h"

namespace dasgd {

namespace {

using KindSets = std::array<Intervals, kSpanKindNames.size()>;

struct RankSums {
    Intervals windows;
    std::int64_t steps = 0;
    KindSets kinds;
};

std::size_t placeOf(SpanKind kind) { return static_cast<std::size_t>(kind); }

struct RankSteps {
    std::map<std::int64_t, Ns> starts;         // when each step begins
    std::set<std::int64_t> merges, snapshots;  // steps with one
    // True where step `step` begins a round.
    [[nodiscard]] bool beginsRound(std::int64_t step) const {
        const auto& ends = merges.empty() ? snapshots : merges;
        return ends.empty() || ends.contains(step - 1);
    }
};

bool beginsStep(SpanKind kind) {
    return kind == SpanKind::Forward || kind == SpanKind::Backward || kind == SpanKind::Update ||
           kind == SpanKind::Compute || kind == SpanKind::Passes;
}

// Adds the whole rounds inside a window that the stretch cuts. The first step that is seen may have begun outside.
void addWholeRounds(RankSums& parts, TimeRange window, TimeRange stretch, const RankSteps& steps) {
    const bool cutLeft = window.start<stretch.start, cutRight = window.end> stretch.end;
    std::vector<std::pair<std::int64_t, Ns>> inside;
    for (const auto& [step, start] : steps.starts) {
        if (start >= std::max(window.start, stretch.start) && start < std::min(window.end, stretch.end)) {
            inside.emplace_back(step, start);
        }
    }
    if (cutLeft && !inside.empty()) inside.erase(inside.begin());
    const auto isCut = [&](const auto& step) { return steps.beginsRound(step.first); };
    const auto from = cutLeft ? std::ranges::find_if(inside, isCut) : inside.begin();
    auto to = inside.end();
    if (cutRight) {
        while (to != from && !isCut(*std::prev(to))) --to;
        if (to != from) --to;
    }
    if (from == to) return;
    const TimeRange whole{cutLeft ? from->second : window.start, cutRight ? to->second : window.end};
    parts.windows.push_back(whole);
    parts.steps += to - from;
}

std::map<int, RankSteps> stepsByRank(std::span<const RankSpan> spans, std::span<const RankSpan> rounds) {
    std::map<int, RankSteps> ranks;
    for (const auto& [rank, span] : spans) {
        if (!beginsStep(span.kind)) continue;
        const auto [known, fresh] = ranks[rank].starts.try_emplace(span.step, span.start);
        if (!fresh) known->second = std::min(known->second, span.start);
    }
    for (const std::span<const RankSpan> some : {spans, rounds}) {
        for (const auto& [rank, span] : some) {
            if (span.kind == SpanKind::Merge) ranks[rank].merges.insert(span.step);
            if (span.kind == SpanKind::Snapshot) ranks[rank].snapshots.insert(span.step);
        }
    }
    return ranks;
}

std::map<int, RankSums> partsByRank(std::span<const RankSpan> spans, TimeRange stretch,
                                    std::span<const RankSpan> rounds) {
    std::map<int, RankSums> ranks;
    const std::map<int, RankSteps> steps = stepsByRank(spans, rounds);
    for (const auto& [rank, span] : spans) {
        if (span.kind != SpanKind::Window || span.start >= stretch.end || span.end <= stretch.start) continue;
        RankSums& parts = ranks[rank];
        if (span.start >= stretch.start && span.end <= stretch.end) {
            parts.windows.push_back({span.start, span.end});
            parts.steps += span.bytes;
        } else if (const auto known = steps.find(rank); known != steps.end()) {
            addWholeRounds(parts, {span.start, span.end}, stretch, known->second);
        }
    }
    for (const auto& [rank, span] : spans) {
        if (span.kind == SpanKind::Window) continue;
        const auto known = ranks.find(rank);
        if (known != ranks.end()) known->second.kinds[placeOf(span.kind)].push_back({span.start, span.end});
    }
    std::erase_if(ranks, [](const auto& entry) { return entry.second.steps <= 0; });
    return ranks;
}

void add(StepParts& sum, RankSums& parts) {
    const double steps = static_cast<double>(parts.steps);
    const Intervals windows = unionOf(std::move(parts.windows));
    Intervals compute, transfer;
    for (std::size_t kind = 0; kind < parts.kinds.size(); ++kind) {
        const Intervals inside = intersectionOf(unionOf(std::move(parts.kinds[kind])), windows);
        sum.kindNs[kind] += static_cast<double>(lengthOf(inside)) / steps;
        Intervals* all = isCompute(static_cast<SpanKind>(kind)) ? &compute : nullptr;
        if (static_cast<SpanKind>(kind) == SpanKind::Transfer) all = &transfer;
        if (all) all->insert(all->end(), inside.begin(), inside.end());
    }
    compute = unionOf(std::move(compute));
    transfer = unionOf(std::move(transfer));
    ++sum.ranks;
    sum.steps += parts.steps;
    sum.stepNs += static_cast<double>(lengthOf(windows)) / steps;
    sum.computeNs += static_cast<double>(lengthOf(compute)) / steps;
    sum.transferNs += static_cast<double>(lengthOf(transfer)) / steps;
    sum.hiddenNs += static_cast<double>(lengthOfCommon(compute, transfer)) / steps;
}

bool isOfAStep(SpanKind kind) { return kind != SpanKind::Window && kind != SpanKind::Passes; }

}  // namespace

std::optional<double> StepParts::hidden() const {
    if (ranks == 0 || transferNs <= 0) return std::nullopt;
    return hiddenNs / transferNs;
}

std::optional<double> StepParts::blocked() const {
    if (ranks == 0 || stepNs <= 0) return std::nullopt;
    return blockedNs / stepNs;
}

TimeRange windowsAround(std::span<const RankSpan> spans, TimeRange stretch) {
    TimeRange around = stretch;
    for (const auto& [rank, span] : spans) {
        if (span.kind != SpanKind::Window || span.start >= stretch.end || span.end <= stretch.start) continue;
        around.start = std::min(around.start, span.start);
        around.end = std::max(around.end, span.end);
    }
    return around;
}

StepParts stepPartsOf(std::span<const RankSpan> spans, TimeRange stretch, std::span<const RankSpan> rounds) {
    StepParts mean;
    for (auto& [rank, parts] : partsByRank(spans, stretch, rounds)) add(mean, parts);
    if (mean.ranks == 0) return mean;
    const double count = mean.ranks;
    for (double& ns : mean.kindNs) ns /= count;
    for (double* ns : {&mean.stepNs, &mean.computeNs, &mean.transferNs, &mean.hiddenNs}) *ns /= count;
    mean.blockedNs = mean.kindNs[placeOf(SpanKind::Wait)];
    return mean;
}

std::optional<double> PartDifference::difference() const {
    if (!a || !b) return std::nullopt;
    return *b - *a;
}

std::optional<double> PartDifference::ratio() const {
    if (!a || !b || *a == 0) return std::nullopt;
    return *b / *a;
}

std::vector<PartDifference> differencesOf(const StepParts& a, KnownTimes aKnown, const StepParts& b,
                                          KnownTimes bKnown) {
    using What = PartDifference::What;
    std::vector<PartDifference> lines;
    if (a.ranks == 0 && b.ranks == 0) return lines;
    const auto of = [](const StepParts& run, double value) {
        return run.ranks > 0 ? std::optional(value) : std::nullopt;
    };
    lines.push_back({.what = What::Step, .a = of(a, a.stepNs), .b = of(b, b.stepNs)});
    for (std::size_t place = 0; place < a.kindNs.size(); ++place) {
        const auto kind = static_cast<SpanKind>(place);
        if (!isOfAStep(kind) || (a.kindNs[place] <= 0 && b.kindNs[place] <= 0)) continue;
        const bool wait = kind == SpanKind::Wait;
        lines.push_back({.what = What::Kind,
                         .kind = kind,
                         .a = wait && !aKnown.waits ? std::nullopt : of(a, a.kindNs[place]),
                         .b = wait && !bKnown.waits ? std::nullopt : of(b, b.kindNs[place])});
    }
    if (a.hidden() || b.hidden()) lines.push_back({.what = What::Hidden, .a = a.hidden(), .b = b.hidden()});
    lines.push_back({.what = What::Blocked,
                     .a = aKnown.waits ? a.blocked() : std::nullopt,
                     .b = bKnown.waits ? b.blocked() : std::nullopt});
    if (!lines.back().a && !lines.back().b) lines.pop_back();
    return lines;
}

}  // namespace dasgd
