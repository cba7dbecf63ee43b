#include "gui/models/curves/span_curve.h"

#include <algorithm>
#include <optional>

#include "core/base/metric_names.h"
#include "gui/models/curves/instants.h"
#include "gui/models/live/series.h"

namespace dasgd::gui {

namespace {

constexpr double kSpansOfSlice = 20'000;

}  // namespace

Ns delayOf(const Span& span) {
    const bool rare = span.kind == SpanKind::Window || span.kind == SpanKind::Eval || span.kind == SpanKind::Checkpoint;
    return rare ? 0 : span.end - span.start;
}

Result<Ns> sliceOfSpans(storage::RunReader& reader, const std::string& runId, TimeRange extent) {
    DASGD_ASSIGN(const std::int64_t spans, reader.spanCount(runId));
    const auto all = static_cast<double>(extent.end - extent.start);
    return std::max<Ns>(1, static_cast<Ns>(all * kSpansOfSlice / static_cast<double>(std::max<Ns>(1, spans))));
}

Result<std::vector<storage::MetricSample>> readSpanCurve(storage::RunReader& reader, const RunItem& run,
                                                         const std::string& name) {
    const std::string& id = run.row.runId;
    DASGD_ASSIGN(const std::optional<TimeRange> extent, reader.spanExtent(id));
    if (!extent || extent->end <= extent->start) return std::vector<storage::MetricSample>();
    DASGD_ASSIGN(const Ns length, sliceOfSpans(reader, id, *extent));
    SpanWindows windows(*extent);
    const bool live = isLive(run.row);
    Ns longest = 0;
    for (Ns limit = extent->end; windows.next() < limit;) {
        // Spans are recorded when they end: shortly before the newest of them some are still to come.
        if (live) limit = std::min(limit, extent->end - 2 * longest);
        const TimeRange slice{windows.next(), std::min(limit, windows.next() + length)};
        if (slice.end <= slice.start) break;
        DASGD_ASSIGN(std::vector<storage::SpanRow> spans, reader.spans(id, slice));
        // One that only touches the end belongs to the next slice.
        std::erase_if(spans, [&](const RankSpan& one) { return one.span.start >= slice.end; });
        for (const RankSpan& one : spans) longest = std::max(longest, delayOf(one.span));
        if (live && slice.end > extent->end - 2 * longest) continue;
        windows.add(spans, slice);
    }
    std::vector<storage::MetricSample> curve = windows.curve(name, samplesOfStep(run), !live);
    DASGD_ASSIGN(const storage::MetricAnswer losses, reader.metrics({.runId = id, .name = metrics::kTrainLoss}));
    Series loss(alongOf(metrics::kTrainLoss));
    loss.add(losses.samples);
    for (storage::MetricSample& record : curve) placeAmong(loss.points(), record);
    return curve;
}

}  // namespace dasgd::gui
