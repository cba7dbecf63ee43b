#include "storage/read/lateness_spans.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/metric_names.h"

namespace dasgd::storage {

namespace {

constexpr double kSpansOfRead = 40'000;

// Removes collectives that begin before `edge`: some of their spans may be missing.
void dropCut(std::vector<RankSpan>& spans, Ns edge) {
    std::set<std::uint64_t> cut;
    for (const RankSpan& one : spans) {
        if (one.span.collective != 0 && one.span.start <= edge) cut.insert(one.span.collective);
    }
    std::erase_if(spans, [&](const RankSpan& one) { return cut.contains(one.span.collective); });
}

}  // namespace

Result<bool> LatenessSpans::begin(SpanReader& reader, const std::string& runId) {
    run_ = runId;
    kept_.clear();
    DASGD_ASSIGN(const std::optional<TimeRange> extent, reader.extent(runId));
    DASGD_ASSIGN(const std::int64_t spans, reader.count(runId));
    if (!extent || spans == 0) return false;
    extent_ = *extent;
    next_ = extent_.end;
    const auto all = static_cast<double>(extent_.end - extent_.start);
    slice_ = std::max<Ns>(1, static_cast<Ns>(all * std::min(1.0, kSpansOfRead / static_cast<double>(spans))));
    return true;
}

Result<bool> LatenessSpans::readPart(SpanReader& reader) {
    const TimeRange slice{std::max(extent_.start, next_ - slice_), next_};
    DASGD_ASSIGN(const std::vector<SpanRow> spans,
                 reader.ofKinds(run_, slice, {SpanKind::Skew, SpanKind::Transfer, SpanKind::Window}));
    kept_.insert(kept_.end(), spans.begin(), spans.end());
    next_ = slice.start;
    return next_ <= extent_.start || kept_.size() >= kMostSpans;
}

std::vector<RankSpan> LatenessSpans::take() {
    if (newestOnly()) dropCut(kept_, next_);
    return std::exchange(kept_, {});
}

Result<std::optional<Lateness>> readLateness(WorkspaceReader& reader, const RunRow& run) {
    LatenessSpans spans;
    DASGD_ASSIGN(const bool any, spans.begin(reader.spans(), run.runId));
    if (!any) return std::optional<Lateness>();
    for (bool last = false; !last;) {
        DASGD_ASSIGN(last, spans.readPart(reader.spans()));
    }
    DASGD_ASSIGN(const MetricAnswer bounds,
                 reader.metrics().samples({.runId = run.runId, .name = metrics::kClockErrorS}));
    double clockErrorS = 0;
    for (const MetricSample& sample : bounds.samples) clockErrorS = std::max(clockErrorS, sample.value);
    return latenessOf(spans.take(), run.workers, clockErrorS * 1e9);
}

}  // namespace dasgd::storage
