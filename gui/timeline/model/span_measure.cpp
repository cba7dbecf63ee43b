#include "gui/timeline/model/span_measure.h"

#include <algorithm>
#include <utility>

#include "core/analysis/spans/intervals.h"

namespace dasgd::gui {

namespace {

constexpr double kSpansOfSlice = 60'000;

void addTo(OverlapSummary& sum, const OverlapSummary& more) {
    for (Ns OverlapSummary::*part :
         {&OverlapSummary::transfer, &OverlapSummary::skew, &OverlapSummary::reduce, &OverlapSummary::compute,
          &OverlapSummary::hidden, &OverlapSummary::blocked, &OverlapSummary::idle}) {
        sum.*part += more.*part;
    }
}

}  // namespace

Result<bool> SpanMeasure::read(storage::SpanReader& reader, std::chrono::milliseconds budget) {
    const auto deadline = std::chrono::steady_clock::now() + budget;
    if (slice_ == 0) {
        DASGD_ASSIGN(const std::int64_t spans, reader.count(runId_));
        DASGD_ASSIGN(const std::optional<TimeRange> extent, reader.extent(runId_));
        // Time before and after the run does not count as idle.
        const TimeRange within{std::max(range_.start, extent ? extent->start : range_.start),
                               std::min(range_.end, extent ? extent->end : range_.end)};
        if (within.start < within.end) counted_ = within;
        next_ = counted_.start;
        const double all = extent ? static_cast<double>(extent->end - extent->start) : 0;
        slice_ = std::max<Ns>(1, static_cast<Ns>(all * kSpansOfSlice / static_cast<double>(std::max<Ns>(1, spans))));
        // The stretch without spans before the run is read in one slice.
        stride_ = extent && next_ < extent->start ? std::max(slice_, extent->start - next_) : slice_;
    }
    while (next_ < counted_.end) {
        const TimeRange slice{next_, std::min(counted_.end, next_ + stride_)};
        DASGD_ASSIGN(const std::vector<storage::SpanRow> spans, reader.touching(runId_, slice));
        // Stretches far outside the run are skipped quickly.
        stride_ = spans.empty() ? 2 * stride_ : slice_;
        take(slice, spans);
        keepForPath(slice, spans);
        next_ = slice.end;
        if (next_ < counted_.end && std::chrono::steady_clock::now() > deadline) return false;
    }
    return true;
}

void SpanMeasure::take(TimeRange slice, const std::vector<storage::SpanRow>& spans) {
    std::vector<Span> own;
    std::array<Intervals, kSpanKindNames.size()> kinds;
    // `spans` are ordered by rank. A rank without a span in this slice is idle in it.
    const Ns idle = slice.end - slice.start;
    for (RankSums& sums : ranks_) {
        sums.overlap.idle += idle;
        sums.idle.unexplained += idle;
    }
    for (std::size_t i = 0; i < spans.size();) {
        const auto rank = static_cast<std::size_t>(spans[i].rank);
        own.clear();
        for (Intervals& kind : kinds) kind.clear();
        for (; i < spans.size() && spans[i].rank == static_cast<int>(rank); ++i) {
            const Span& span = spans[i].span;
            own.push_back(span);
            kinds[static_cast<std::size_t>(span.kind)].push_back(
                {std::max(span.start, slice.start), std::min(span.end, slice.end)});
        }
        if (ranks_.size() <= rank) ranks_.resize(rank + 1);
        RankSums& sums = ranks_[rank];
        if (!sums.seen) sums.overlap.idle = sums.idle.unexplained = slice.end - counted_.start;  // idle until now
        sums.seen = true;
        sums.overlap.idle -= idle;
        sums.idle.unexplained -= idle;
        IdleBreakdown causes = idleOf(own, slice);
        if (imported_) causes.transfer += std::exchange(causes.messages, 0);
        sums.idle += causes;
        addTo(sums.overlap, summariseOverlap(own, slice));
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            sums.byKind[kind] += lengthOf(unionOf(std::move(kinds[kind])));
        }
    }
}

// A span that began in an earlier slice was kept with it. Collectives stay whole: where they began and ended decides
// how long the others waited.
void SpanMeasure::keepForPath(TimeRange slice, const std::vector<storage::SpanRow>& spans) {
    for (const storage::SpanRow& row : spans) {
        if (path_.size() > kMostOfPath) return;
        const bool isKept = row.span.start < slice.start && slice.start > counted_.start;
        if (isKept) continue;
        RankSpan& kept = path_.emplace_back(row);
        if (isReduce(row.span.kind)) continue;
        kept.span.start = std::max(kept.span.start, counted_.start);
        kept.span.end = std::min(kept.span.end, counted_.end);
    }
}

Measure SpanMeasure::result() const {
    Measure measure{.runId = runId_, .range = range_, .counted = counted_, .workers = workers_};
    measure.hasLongPath = path_.size() > kMostOfPath;
    if (!measure.hasLongPath) measure.path = criticalPathOf(path_);
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const RankSums& sums = ranks_[rank];
        if (!sums.seen) continue;
        ++measure.ranks;
        addTo(measure.mean, sums.overlap);
        measure.idle += sums.idle;
        for (std::size_t part = 0; part < kIdleParts.size(); ++part) {
            const Ns own = sums.idle.*kIdleParts[part];
            if (own <= measure.mostIdle.*kIdleParts[part]) continue;
            measure.mostIdle.*kIdleParts[part] = own;
            measure.mostIdleRank[part] = static_cast<int>(rank);
        }
        for (std::size_t kind = 0; kind < sums.byKind.size(); ++kind) {
            measure.byKind[kind] += sums.byKind[kind];
            if (sums.byKind[kind] <= measure.mostByKind[kind]) continue;
            measure.mostByKind[kind] = sums.byKind[kind];
            measure.mostRank[kind] = static_cast<int>(rank);
        }
    }
    if (measure.ranks == 0) {
        measure.mean.idle = measure.idle.unexplained = counted_.end - counted_.start;
        return measure;
    }
    for (Ns OverlapSummary::*part :
         {&OverlapSummary::transfer, &OverlapSummary::skew, &OverlapSummary::reduce, &OverlapSummary::compute,
          &OverlapSummary::hidden, &OverlapSummary::blocked, &OverlapSummary::idle}) {
        measure.mean.*part /= measure.ranks;
    }
    for (Ns IdleBreakdown::*part : kIdleParts) measure.idle.*part /= measure.ranks;
    for (Ns& sum : measure.byKind) sum /= measure.ranks;
    return measure;
}

}  // namespace dasgd::gui
