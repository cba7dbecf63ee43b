#include "gui/data/curves/span_curve.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/base/metric_names.h"
#include "gui/data/curves/instants.h"
#include "gui/kit/curves/series.h"

namespace dasgd::gui {

namespace {

constexpr double kSpansOfSlice = 20'000;
constexpr Ns kGivenUp = 10'000'000'000;  // ns of silence after which the others no longer wait for a rank

// Time by which a span is recorded after its start. Rare, long spans such as evaluations do not count.
Ns delayOf(const Span& span) {
    const bool rare = span.kind == SpanKind::Window || span.kind == SpanKind::Eval || span.kind == SpanKind::Checkpoint;
    return rare ? 0 : span.end - span.start;
}

}  // namespace

Result<SpanSlices> SpanSlices::of(storage::SpanReader& reader, const std::string& runId, TimeRange extent) {
    DASGD_ASSIGN(const std::int64_t spans, reader.count(runId));
    const auto all = static_cast<double>(extent.end - extent.start);
    const double length = all * kSpansOfSlice / static_cast<double>(std::max<std::int64_t>(1, spans));
    return SpanSlices(extent, std::max<Ns>(1, static_cast<Ns>(length)));
}

Result<bool> SpanSlices::readNext(storage::SpanReader& reader, const RunItem& run, TimeRange extent, bool live) {
    // Spans are recorded when they end, so the last stretch of a live run may still lack some.
    const auto limit = [&] { return live ? extent.end - 2 * longest_ : extent.end; };
    while (windows_.next() < limit()) {
        const TimeRange slice{windows_.next(), std::min(limit(), windows_.next() + length_)};
        DASGD_ASSIGN(std::vector<storage::SpanRow> spans, reader.touching(run.row.runId, slice));
        // A span that only touches the end belongs to the next slice.
        std::erase_if(spans, [&](const RankSpan& one) { return one.span.start >= slice.end; });
        for (const RankSpan& one : spans) longest_ = std::max(longest_, delayOf(one.span));
        if (slice.end > limit()) continue;
        if (live && slice.end > extent.end - kGivenUp) {
            DASGD_ASSIGN(const bool whole, isWhole(reader, run, slice, extent));
            if (!whole) return false;
        }
        windows_.add(spans, slice);
        return true;
    }
    return false;
}

Result<bool> SpanSlices::isWhole(storage::SpanReader& reader, const RunItem& run, TimeRange slice,
                                 TimeRange extent) const {
    const TimeRange beyond{slice.end, std::min(extent.end, slice.end + std::max(length_, 2 * longest_))};
    DASGD_ASSIGN(const std::vector<storage::SpanRow> spans, reader.touching(run.row.runId, beyond));
    std::set<int> reported;
    for (const RankSpan& one : spans) reported.insert(one.rank);
    return static_cast<int>(reported.size()) >= run.row.workers;
}

Result<std::vector<storage::MetricSample>> readSpanCurve(storage::WorkspaceReader& reader, const RunItem& run,
                                                         const std::string& name) {
    const std::string& id = run.row.runId;
    DASGD_ASSIGN(const std::optional<TimeRange> extent, reader.spans().extent(id));
    if (!extent || extent->end <= extent->start) return std::vector<storage::MetricSample>();
    DASGD_ASSIGN(SpanSlices slices, SpanSlices::of(reader.spans(), id, *extent));
    const bool live = isLive(run.row);
    for (bool more = true; more;) {
        DASGD_ASSIGN(more, slices.readNext(reader.spans(), run, *extent, live));
    }
    std::vector<storage::MetricSample> curve = slices.windows().curve(name, samplesOfStep(run), !live);
    DASGD_ASSIGN(const storage::MetricAnswer losses,
                 reader.metrics().samples({.runId = id, .name = metrics::kTrainLoss}));
    Series loss(alongOf(metrics::kTrainLoss));
    loss.add(losses.samples);
    for (storage::MetricSample& record : curve) placeAmong(loss.points(), record);
    return curve;
}

}  // namespace dasgd::gui
