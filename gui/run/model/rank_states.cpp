#include "gui/run/model/rank_states.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/analysis/spans/overlap.h"

namespace dasgd::gui {

namespace {

using SpansByRank = std::map<int, std::vector<Span>>;

SpansByRank byRank(std::span<const RankSpan> spans) {
    SpansByRank ranks;
    for (const auto& [rank, span] : spans) ranks[rank].push_back(span);
    return ranks;
}

bool isPause(SpanKind kind) { return kind == SpanKind::Eval || kind == SpanKind::Checkpoint; }

// The newest stretch that no evaluation touched or disturbed; nullopt if there is none.
std::optional<TimeRange> undisturbed(const std::vector<Span>& spans, TimeRange recent) {
    Ns disturbedUntil = recent.start, newest = recent.start;
    bool disturbed = false;
    for (const Span& span : spans) {
        newest = std::max(newest, std::min(span.end, recent.end));
        if (!isPause(span.kind)) continue;
        disturbed = true;
        disturbedUntil = std::max(disturbedUntil, span.end);
    }
    if (disturbed) {
        Ns next = newest;
        for (const Span& span : spans) {
            if (isReduce(span.kind) && span.start >= disturbedUntil) next = std::min(next, span.start);
        }
        disturbedUntil = next;
    }
    return newest > disturbedUntil ? std::optional(TimeRange{disturbedUntil, newest}) : std::nullopt;
}

using BeginOfStep = std::map<std::int64_t, Ns>;

void takeEarliest(BeginOfStep& begun, const Span& span) {
    const auto known = begun.try_emplace(span.step, span.start).first;
    known->second = std::min(known->second, span.start);
}

struct StepRate {
    double perS = 0, seconds = 0;
};

std::optional<StepRate> rateBetween(const BeginOfStep& begun) {
    if (begun.size() < 2) return std::nullopt;
    const auto& [first, from] = *begun.begin();
    const auto& [last, to] = *begun.rbegin();
    if (to <= from) return std::nullopt;
    const double seconds = static_cast<double>(to - from) / 1e9;
    return StepRate{static_cast<double>(last - first) / seconds, seconds};
}

std::optional<StepRate> stepRate(BeginOfStep steps, const BeginOfStep& launches, bool isPart) {
    if (steps.empty()) return std::nullopt;
    if (launches.size() > 1) return rateBetween(launches);
    if (isPart && !launches.empty()) return std::nullopt;
    // The first step may be covered only in part.
    if (steps.begin()->first > 1) steps.erase(steps.begin());
    return rateBetween(steps);
}

RankNow nowOf(int rank, const std::vector<Span>& spans, TimeRange range, TimeRange recent) {
    const OverlapSummary sum = summariseOverlap(spans, range);
    const auto length = static_cast<double>(range.end - range.start);
    RankNow now{.rank = rank, .seconds = length / 1e9, .blocked = static_cast<double>(sum.blocked) / length};
    if (sum.transfer > 0) now.hidden = sum.hiddenFraction();
    BeginOfStep steps, launches;
    std::set<std::uint64_t> collectives;
    Ns compute = 0, skew = 0;
    std::optional<Ns> begun;
    std::optional<Span> pause;
    for (const Span& span : spans) {
        if (isReduce(span.kind)) takeEarliest(launches, span);
        if (isCompute(span.kind) && span.step <= 1) begun = std::min(begun.value_or(span.start), span.start);
        if (isPause(span.kind) && (!pause || span.end > pause->end)) pause = span;
        if (span.start < range.start || span.end > range.end) continue;
        if (isCompute(span.kind)) {
            takeEarliest(steps, span);
            compute += span.end - span.start;
        }
        if (span.kind == SpanKind::Transfer) collectives.insert(span.collective);
        if (span.kind == SpanKind::Skew) skew += span.end - span.start;
    }
    now.isPart = begun || range.start > recent.start;
    if (pause && (!begun || pause->end > *begun)) now.pause = pause->kind;
    if (!steps.empty()) now.computeMs = static_cast<double>(compute) / 1e6 / static_cast<double>(steps.size());
    if (!collectives.empty()) now.skewMs = static_cast<double>(skew) / 1e6 / static_cast<double>(collectives.size());
    std::erase_if(launches, [&](const auto& launch) { return launch.second < range.start; });
    now.trains = !steps.empty();
    now.wholeRounds = now.trains && launches.size() > 1;
    if (const auto rate = stepRate(std::move(steps), launches, now.isPart)) {
        now.stepsPerS = rate->perS;
        now.rateSeconds = rate->seconds;
    }
    return now;
}

}  // namespace

std::vector<RankNow> ranksNow(std::span<const RankSpan> spans, TimeRange recent) {
    std::vector<RankNow> now;
    for (const auto& [rank, own] : byRank(spans)) {
        if (const auto range = undisturbed(own, recent)) now.push_back(nowOf(rank, own, *range, recent));
    }
    return now;
}

bool needsMore(const std::vector<RankNow>& ranks, bool hasRounds) {
    return std::ranges::any_of(ranks, [&](const RankNow& rank) {
        return rank.trains && !rank.isPart && !(hasRounds ? rank.wholeRounds : rank.stepsPerS.has_value());
    });
}

bool tellsAsMuch(const std::vector<RankNow>& part, const std::vector<RankNow>& whole, bool hasRounds) {
    return !needsMore(part, hasRounds) && std::ranges::equal(part, whole, [](const RankNow& own, const RankNow& all) {
        return own.rank == all.rank && own.trains == all.trains;
    });
}

void forgetRatesOfSteps(std::vector<RankNow>& ranks) {
    for (RankNow& rank : ranks) {
        if (!rank.wholeRounds) rank.stepsPerS = std::nullopt;
    }
}

std::optional<double> samplesNow(const std::vector<RankNow>& ranks, double batch) {
    double sum = 0;
    for (const RankNow& rank : ranks) {
        if (rank.trains && !rank.stepsPerS) return std::nullopt;
        sum += batch * rank.stepsPerS.value_or(0);
    }
    return sum > 0 ? std::optional(sum) : std::nullopt;
}

std::optional<double> hiddenNow(std::span<const RankSpan> spans, TimeRange recent) {
    Ns hidden = 0, transfer = 0;
    for (const auto& [rank, own] : byRank(spans)) {
        const auto range = undisturbed(own, recent);
        if (!range) continue;
        const OverlapSummary sum = summariseOverlap(own, *range);
        hidden += sum.hidden;
        transfer += sum.transfer;
    }
    if (transfer == 0) return std::nullopt;
    return static_cast<double>(hidden) / static_cast<double>(transfer);
}

}  // namespace dasgd::gui
