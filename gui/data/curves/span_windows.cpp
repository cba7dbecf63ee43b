#include "gui/data/curves/span_windows.h"

#include <algorithm>
#include <optional>

#include "core/analysis/spans/overlap.h"

namespace dasgd::gui {

namespace {

constexpr Ns kFirstWindows = 256;       // number of windows that the extent is divided into at first
constexpr Ns kLeastWindow = 1'000'000;  // 1 ms

bool isEvaluation(SpanKind kind) { return kind == SpanKind::Eval || kind == SpanKind::Checkpoint; }

}  // namespace

bool isFromSpans(const std::string& metric) { return metric.starts_with("spans/"); }

SpanWindows::Sums& SpanWindows::Sums::operator+=(const Sums& more) {
    clean += more.clean;
    transfer += more.transfer;
    hidden += more.hidden;
    blocked += more.blocked;
    skew += more.skew;
    steps += more.steps;
    collectives += more.collectives;
    newest = std::max(newest, more.newest);
    return *this;
}

SpanWindows::SpanWindows(TimeRange extent)
    : origin_(extent.start),
      width_(std::max(kLeastWindow, (extent.end - extent.start + kFirstWindows - 1) / kFirstWindows)),
      next_(extent.start) {}

SpanWindows::Sums& SpanWindows::sumsAt(Rank& rank, Ns at) const {
    const std::size_t window = windowOf(at);
    if (rank.windows.size() <= window) rank.windows.resize(window + 1);
    return rank.windows[window];
}

void SpanWindows::add(std::span<const RankSpan> spans, TimeRange slice) {
    while (windowOf(slice.end) >= kMost) halve();
    for (const RankSpan& one : spans) {
        // A rank counts from its first span; earlier time counts as unrecorded.
        ranks_.try_emplace(one.rank);
    }
    for (auto& [number, rank] : ranks_) {
        const auto own = std::ranges::equal_range(spans, number, {}, &RankSpan::rank);
        const std::span<const RankSpan> its(own.begin(), own.end());
        const Intervals clean = cleanOf(rank, its, slice);
        count(rank, its, slice, clean);
        sum(rank, its, clean);
    }
    next_ = slice.end;
}

// The parts of the slice outside evaluations and what these disturbed.
Intervals SpanWindows::cleanOf(Rank& rank, std::span<const RankSpan> spans, TimeRange slice) const {
    Intervals clean;
    Ns from = slice.start;
    // A rank that never communicates has no transfer that could have arrived during an evaluation.
    const auto settle = [&](Ns at) {
        if (!rank.disturbed || rank.collects || rank.until > at) return;
        rank.disturbed = false;
        from = std::max(from, rank.until);
    };
    for (const auto& [number, span] : spans) {
        if (isEvaluation(span.kind)) {
            settle(span.start);
            if (!rank.disturbed && span.start > from) clean.push_back({from, std::min(span.start, slice.end)});
            rank.disturbed = true;
            rank.until = std::max(rank.until, span.end);
        } else if (isReduce(span.kind)) {
            settle(span.start);
            rank.collects = true;
            if (!rank.disturbed || span.start < rank.until) continue;
            rank.disturbed = false;
            from = std::max(from, span.start);
        }
    }
    settle(slice.end);
    if (!rank.disturbed && from < slice.end) clean.push_back({from, slice.end});
    return clean;
}

// Counts the steps and collectives that begin in the slice.
void SpanWindows::count(Rank& rank, std::span<const RankSpan> spans, TimeRange slice, const Intervals& clean) {
    for (const auto& [number, span] : spans) {
        if (span.start < slice.start || span.start >= slice.end) continue;
        const bool counts = std::ranges::any_of(
            clean, [&](const TimeRange& part) { return part.start <= span.start && span.start < part.end; });
        // A step of training has one of these spans; a rank that only serves has none.
        if ((span.kind == SpanKind::Forward || span.kind == SpanKind::Passes) && span.step > rank.step) {
            rank.step = span.step;
            Sums& sums = sumsAt(rank, span.start);
            sums.newest = span.step;
            if (counts) ++sums.steps;
        }
        if (span.kind == SpanKind::Transfer && counts) ++sumsAt(rank, span.start).collectives;
    }
}

void SpanWindows::sum(Rank& rank, std::span<const RankSpan> spans, const Intervals& clean) {
    std::vector<Span> near;  // spans that overlap the part
    auto next = spans.begin();
    for (const TimeRange& stretch : clean) {
        for (Ns from = stretch.start; from < stretch.end;) {
            const Ns edge = origin_ + static_cast<Ns>(windowOf(from) + 1) * width_;
            const TimeRange part{from, std::min(edge, stretch.end)};
            std::erase_if(near, [&](const Span& span) { return span.end <= part.start; });
            for (; next != spans.end() && next->span.start < part.end; ++next) {
                if (next->span.end > part.start) near.push_back(next->span);
            }
            const OverlapSummary overlap = summariseOverlap(near, part);
            Sums& sums = sumsAt(rank, from);
            sums.clean += part.end - part.start;
            sums.transfer += overlap.transfer;
            sums.hidden += overlap.hidden;
            sums.blocked += overlap.blocked;
            sums.skew += overlap.skew;
            from = part.end;
        }
    }
}

void SpanWindows::halve() {
    for (auto& [number, rank] : ranks_) {
        std::vector<Sums> wider((rank.windows.size() + 1) / 2);
        for (std::size_t window = 0; window < rank.windows.size(); ++window) wider[window / 2] += rank.windows[window];
        rank.windows = std::move(wider);
    }
    width_ *= 2;
}

// Number of windows in a point, so that a point has kLeastSteps steps or more on average. A power of two, so that
// points of a live run stay in place until pairs of them merge.
std::size_t SpanWindows::windowsOfPoint(std::size_t windows) const {
    std::int64_t steps = 0;
    for (const auto& [number, rank] : ranks_) {
        std::int64_t own = 0;
        for (std::size_t window = 0; window < std::min(windows, rank.windows.size()); ++window)
            own += rank.windows[window].steps;
        steps = std::max(steps, own);
    }
    std::size_t wide = 1;
    while (2 * wide <= windows &&
           steps * static_cast<std::int64_t>(wide) < kLeastSteps * static_cast<std::int64_t>(windows))
        wide *= 2;
    return wide;
}

std::vector<storage::MetricSample> SpanWindows::curve(const std::string& name, double batch, bool whole) const {
    std::vector<storage::MetricSample> samples;
    // A last window that is filled by less than half would be a point of almost nothing.
    const Ns reach = next_ - origin_ + (whole ? width_ / 2 : 0);
    auto windows = static_cast<std::size_t>(reach / width_);
    if (windows == 0) return samples;
    const std::size_t wide = windowsOfPoint(windows);
    // Points of one window have equal time only if the last window is full, up to rounding.
    const Ns cut = origin_ + static_cast<Ns>(windows) * width_ - next_;
    if (wide == 1 && windows > 1 && cut > width_ / 64) --windows;
    // An incomplete last point of a live run would still change, so it is left out. At the end of a run it would cover
    // less time than the others and be noisier, so all points share the rest.
    const std::size_t points = windows / wide;
    const auto beginOf = [&](std::size_t point) { return whole ? point * windows / points : point * wide; };
    const auto valueOf = [&](const Sums& sums) -> std::optional<double> {
        const auto ratio = [](Ns part, Ns all) {
            return all > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(all)) : std::nullopt;
        };
        if (name == kSpansHidden) return ratio(sums.hidden, sums.transfer);
        if (name == kSpansBlocked) return ratio(sums.blocked, sums.clean);
        if (name == kSpansSkewMs && sums.collectives > 0)
            return static_cast<double>(sums.skew) / 1e6 / static_cast<double>(sums.collectives);
        if (name != kSpansThroughput || batch <= 0 || sums.clean == 0) return std::nullopt;
        return batch * static_cast<double>(sums.steps) / (static_cast<double>(sums.clean) / 1e9);
    };
    std::map<int, std::int64_t> steps;  // last step that each rank has begun by then
    for (std::size_t point = 0; point < points; ++point) {
        const std::size_t first = beginOf(point), end = beginOf(point + 1);
        const Ns from = origin_ + static_cast<Ns>(first) * width_;
        const Ns at = std::min(next_, origin_ + static_cast<Ns>(end) * width_);
        storage::MetricSample all{.rank = -1, .wallS = static_cast<double>(at) / 1e9};
        Sums pooled;
        double throughput = 0;
        for (const auto& [number, rank] : ranks_) {
            Sums sums;
            for (std::size_t window = first; window < std::min(end, rank.windows.size()); ++window)
                sums += rank.windows[window];
            std::int64_t& step = steps[number];
            step = std::max(step, sums.newest);
            all.step = std::max(all.step, step);
            if (2 * sums.clean < at - from) continue;
            pooled += sums;
            const std::optional<double> value = valueOf(sums);
            // A rank that never trains only serves.
            if (!value || (name == kSpansThroughput && rank.step == 0)) continue;
            throughput += *value;
            samples.push_back({.rank = number, .step = step, .wallS = all.wallS, .value = *value});
        }
        const std::optional<double> value = valueOf(pooled);
        if (!value) continue;
        all.value = name == kSpansThroughput ? throughput : *value;
        samples.push_back(all);
    }
    return samples;
}

}  // namespace dasgd::gui
