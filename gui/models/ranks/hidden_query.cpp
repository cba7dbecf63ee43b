#include "gui/models/ranks/hidden_query.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

void HiddenQuery::request(const QString& run, TimeRange range) {
    {
        const std::lock_guard lock(mutex_);
        request_ = {run, range};
        released_ = false;
    }
    ask();
}

void HiddenQuery::release() {
    const std::lock_guard lock(mutex_);
    request_.reset();
    released_ = true;
}

Status HiddenQuery::refresh(LiveStore& store) {
    std::optional<std::pair<QString, TimeRange>> wanted;
    {
        const std::lock_guard lock(mutex_);
        std::swap(wanted, request_);
        if (released_) answered_.reset();
    }
    const bool again = !wanted && answered_ && revision_ != store.revision() && interval_.due();
    if (again) wanted = answered_;
    if (!wanted || wanted->first != store.watch().run || !store.runs().contains(wanted->first)) return {};
    const qint64 begun = interval_.now();
    revision_ = store.revision();
    DASGD_ASSIGN(HiddenAnswer told, answer(store.reader(), wanted->first, wanted->second));
    answered_ = std::move(wanted);
    interval_.spent(interval_.now() - begun);
    deliver([this, told = std::move(told)] { emit arrived(told); });
    return {};
}

Result<HiddenAnswer> HiddenQuery::answer(storage::RunReader& reader, const QString& run, TimeRange range) const {
    const std::string id = run.toStdString();
    HiddenAnswer told{.runId = run, .range = range};
    DASGD_ASSIGN(const std::optional<TimeRange> extent, reader.spanExtent(id));
    DASGD_ASSIGN(const std::int64_t all, reader.spanCount(id));
    if (!extent || extent->end <= extent->start) return told;
    range = {std::max(range.start, extent->start), std::min(range.end, extent->end)};
    if (range.end <= range.start) return told;
    // Far more than are read: not even the beginning of them is.
    const double part = static_cast<double>(range.end - range.start) / static_cast<double>(extent->end - extent->start);
    told.tooMany = part * static_cast<double>(all) > 2.0 * kMostSpans;
    if (told.tooMany) return told;
    DASGD_ASSIGN(std::vector<storage::SpanRow> spans, reader.spans(id, range, kMostSpans + 1));
    Ns first = range.start;
    for (const storage::SpanRow& row : spans) {
        if (row.span.kind == SpanKind::Transfer) first = std::min(first, row.span.start);
    }
    // A transfer that ends in the range may have begun before it, and so may what it was hidden behind.
    if (first < range.start && spans.size() <= kMostSpans) {
        DASGD_ASSIGN(spans, reader.spans(id, {first, range.end}, kMostSpans + 1));
    }
    told.tooMany = spans.size() > kMostSpans;
    if (!told.tooMany) told.steps = hiddenPerStep(spans, range);
    return told;
}

}  // namespace dasgd::gui
