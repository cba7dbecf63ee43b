#include "gui/models/curves/span_curve.h"

#include <algorithm>
#include <optional>

namespace dasgd::gui {

namespace {

constexpr double kSpansOfSlice = 20'000;

}  // namespace

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
    while (windows.next() < extent->end) {
        const TimeRange slice{windows.next(), std::min(extent->end, windows.next() + length)};
        DASGD_ASSIGN(std::vector<storage::SpanRow> spans, reader.spans(id, slice));
        // One that only touches the end belongs to the next slice.
        std::erase_if(spans, [&](const RankSpan& one) { return one.span.start >= slice.end; });
        windows.add(spans, slice);
    }
    return windows.curve(name, samplesOfStep(run), !isLive(run.row));
}

}  // namespace dasgd::gui
