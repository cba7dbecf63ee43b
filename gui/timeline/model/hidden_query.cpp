#include "gui/timeline/model/hidden_query.h"

#include <algorithm>
#include <utility>

#include "gui/data/spans/span_cache.h"

namespace dasgd::gui {

namespace {

using Spans = std::vector<RankSpan>;

// A transfer that ends in the range may have begun before it, as may the spans that hide it.
TimeRange fromFirstTransfer(const Spans& spans, TimeRange range) {
    for (const RankSpan& one : spans) {
        if (one.span.kind == SpanKind::Transfer) range.start = std::min(range.start, one.span.start);
    }
    return range;
}

std::optional<Spans> unlessTooMany(Spans spans) {
    if (spans.size() > HiddenQuery::kMostSpans) return std::nullopt;
    return spans;
}

Result<std::optional<Spans>> readSpansThatEndIn(storage::SpanReader& reader, const std::string& id, TimeRange range) {
    constexpr std::size_t kMost = HiddenQuery::kMostSpans + 1;
    DASGD_ASSIGN(const std::optional<TimeRange> extent, reader.extent(id));
    DASGD_ASSIGN(const std::int64_t all, reader.count(id));
    if (!extent || extent->end <= extent->start) return Spans{};
    range = {std::max(range.start, extent->start), std::min(range.end, extent->end)};
    if (range.end <= range.start) return Spans{};
    // If the estimate is far above the limit, nothing is read at all.
    const double part = static_cast<double>(range.end - range.start) / static_cast<double>(extent->end - extent->start);
    if (part * static_cast<double>(all) > 2.0 * kMost) return std::nullopt;
    DASGD_ASSIGN(Spans spans, reader.touching(id, range, kMost));
    const TimeRange whole = fromFirstTransfer(spans, range);
    if (whole.start < range.start && spans.size() < kMost) {
        DASGD_ASSIGN(spans, reader.touching(id, whole, kMost));
    }
    return unlessTooMany(std::move(spans));
}

}  // namespace

void HiddenQuery::request(const QString& run, TimeRange range) { request_.set(std::pair(run, range)); }

void HiddenQuery::release() { request_.set(std::nullopt); }

Status HiddenQuery::refresh(LiveStore& store) {
    const auto [wanted, isNew] = request_.look();
    if (!wanted || wanted->first != store.watch().run || !store.runs().contains(wanted->first)) return {};
    if (!isNew && !fresh_.due(store)) return {};
    fresh_.begin(store);
    DASGD_ASSIGN(HiddenAnswer told, answer(store, wanted->first, wanted->second));
    fresh_.end();
    // The answer is repeated after the pause.
    if (lacksNewest_) fresh_.forget();
    deliver([this, told = std::move(told)] { emit arrived(told); });
    return {};
}

Result<HiddenAnswer> HiddenQuery::answer(LiveStore& store, const QString& run, TimeRange range) {
    HiddenAnswer told{.runId = run, .range = range};
    DASGD_ASSIGN(const auto spans, spansThatEndIn(store, run, range));
    told.tooMany = !spans;
    if (spans) told.steps = hiddenPerStep(*spans, range);
    return told;
}

// Spans of a live run that the timeline has read already are reused.
Result<std::optional<std::vector<RankSpan>>> HiddenQuery::spansThatEndIn(LiveStore& store, const QString& run,
                                                                         TimeRange range) {
    const SpanCache* drawn = store.spansOf(run.toStdString());
    lacksNewest_ = false;
    if (drawn && (drawn->isCurrent() || store.isLive(run))) {
        auto spans = drawn->spansIn(range, kMostSpans);
        const TimeRange whole = spans ? fromFirstTransfer(*spans, range) : range;
        if (whole.start < range.start) spans = drawn->spansIn(whole, kMostSpans);
        if (spans) {
            lacksNewest_ = !drawn->isCurrent();
            return spans;
        }
    }
    return readSpansThatEndIn(store.reader().spans(), run.toStdString(), range);
}

}  // namespace dasgd::gui
