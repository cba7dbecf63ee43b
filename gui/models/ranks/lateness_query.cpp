#include "gui/models/ranks/lateness_query.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "core/base/metric_names.h"

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kLatenessBudget{40};
constexpr double kSpansOfRead = 40'000;

// Of a collective that reaches beyond `edge` a part may be missing.
void dropCut(std::vector<RankSpan>& spans, Ns edge) {
    std::set<std::uint64_t> cut;
    for (const RankSpan& one : spans) {
        if (one.span.collective != 0 && one.span.start <= edge) cut.insert(one.span.collective);
    }
    std::erase_if(spans, [&](const RankSpan& one) { return cut.contains(one.span.collective); });
}

}  // namespace

void LatenessQuery::want(const void* viewer) {
    {
        const std::lock_guard lock(mutex_);
        if (!viewers_.insert(viewer).second) return;
        wantedAnew_ = true;
    }
    ask();
}

void LatenessQuery::release(const void* viewer) {
    const std::lock_guard lock(mutex_);
    viewers_.erase(viewer);
}

void LatenessQuery::tell(const LatenessAnswer& answer) {
    told_ = answer;
    deliver([this, answer] { emit arrived(answer); });
}

void LatenessQuery::startOver(TimeRange extent) {
    extent_ = extent;
    next_ = extent.end;
    spent_ = 0;
    kept_.clear();
    reading_ = true;
}

Result<bool> LatenessQuery::read(storage::RunReader& reader, const std::string& run) {
    const auto deadline = std::chrono::steady_clock::now() + kLatenessBudget;
    while (next_ > extent_.start && kept_.size() < kMostSpans) {
        const TimeRange slice{std::max(extent_.start, next_ - slice_), next_};
        DASGD_ASSIGN(const std::vector<storage::SpanRow> spans,
                     reader.spansOf(run, slice, {SpanKind::Skew, SpanKind::Transfer, SpanKind::Window}));
        kept_.insert(kept_.end(), spans.begin(), spans.end());
        next_ = slice.start;
        if (std::chrono::steady_clock::now() > deadline) break;
    }
    return next_ <= extent_.start || kept_.size() >= kMostSpans;
}

Status LatenessQuery::readClocks(storage::RunReader& reader, const std::string& run) {
    DASGD_ASSIGN(const storage::MetricAnswer bounds,
                 reader.metrics({.runId = run, .name = metrics::kClockErrorS, .afterRowid = clocksRead_}));
    if (bounds.samples.empty()) return {};
    clocksRead_ = bounds.lastRowid;
    for (const storage::MetricSample& sample : bounds.samples) clockErrorS_ = std::max(clockErrorS_, sample.value);
    return {};
}

Status LatenessQuery::refresh(LiveStore& store) {
    bool anew = false;
    {
        const std::lock_guard lock(mutex_);
        if (viewers_.empty()) return {};
        anew = std::exchange(wantedAnew_, false);
    }
    const QString& run = store.watch().run;
    const auto known = store.runs().find(run);
    if (std::exchange(watchedSince_, store.watchedSince()) != store.watchedSince()) {
        revision_ = -1;
        clocksRead_ = 0;
        clockErrorS_ = 0;
        told_.reset();
        reading_ = false;
        interval_.hurry();
    }
    if (anew && told_) tell(*told_);
    if (known == store.runs().end() || (!reading_ && (revision_ == store.revision() || !interval_.due()))) return {};
    const qint64 begun = interval_.now();
    const std::string id = run.toStdString();
    if (!reading_) {
        revision_ = store.revision();
        DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spanExtent(id));
        DASGD_ASSIGN(const std::int64_t spans, store.reader().spanCount(id));
        if (!extent || spans == 0) {
            interval_.spent(0);
            tell({run, std::nullopt, false});
            return {};
        }
        startOver(*extent);
        const auto all = static_cast<double>(extent->end - extent->start);
        slice_ = std::max<Ns>(1, static_cast<Ns>(all * std::min(1.0, kSpansOfRead / static_cast<double>(spans))));
    }
    DASGD_ASSIGN(const bool done, read(store.reader(), id));
    if (!done) {
        spent_ += interval_.now() - begun;
        return ask(), Status{};
    }
    reading_ = false;
    const bool newestOnly = next_ > extent_.start;
    if (newestOnly) dropCut(kept_, next_);
    DASGD_TRY(readClocks(store.reader(), id));
    const double clockErrorNs = clockErrorS_ * 1e9;
    tell({run, latenessOf(kept_, known->second->row.workers, clockErrorNs), newestOnly, clockErrorNs});
    kept_ = {};
    interval_.spent(spent_ + interval_.now() - begun);
    return {};
}

}  // namespace dasgd::gui
