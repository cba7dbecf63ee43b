#include "gui/models/curves/span_series_query.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "gui/models/curves/span_curve.h"

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kSeriesBudget{40};
constexpr Ns kGivenUp = 10'000'000'000;  // a rank that is silent for longer no longer holds up the others

}  // namespace

void SpanSeriesQuery::want(const std::string& name) {
    {
        const std::lock_guard lock(mutex_);
        ++wished_[name];
        wishedAnew_ = true;
    }
    ask();
}

void SpanSeriesQuery::release(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (int& holders = wished_[name]; holders > 0) --holders;
}

Status SpanSeriesQuery::refresh(LiveStore& store) {
    std::vector<std::string> names;
    bool anew = false;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [name, holders] : wished_) {
            if (holders > 0) names.push_back(name);
        }
        anew = std::exchange(wishedAnew_, false);
    }
    const auto known = store.runs().find(store.watch().run);
    if (names.empty() || known == store.runs().end()) return {};
    const RunItem& run = *known->second;
    if (std::exchange(watchedSince_, store.watchedSince()) != store.watchedSince()) {
        windows_.reset();
        revision_ = -1;
        reading_ = false;
        interval_.hurry();
    }
    const bool live = store.isLive(run.id);
    if (std::exchange(live_, live) != live) interval_.hurry();
    if (!reading_ && (revision_ == store.revision() || !interval_.due())) {
        if (anew && windows_) tell(run, names);
        return {};
    }
    const qint64 begun = interval_.now();
    revision_ = store.revision();
    DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spanExtent(run.row.runId));
    if (extent && extent->end > extent->start) {
        if (!windows_) DASGD_TRY(startOver(store, run));
        DASGD_ASSIGN(const bool done, read(store.reader(), run, *extent));
        reading_ = !done;
        if (reading_) return ask(), Status{};
        tell(run, names);
    }
    interval_.spent(interval_.now() - begun);
    return {};
}

Status SpanSeriesQuery::startOver(LiveStore& store, const RunItem& run) {
    DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spanExtent(run.row.runId));
    DASGD_ASSIGN(slice_, sliceOfSpans(store.reader(), run.row.runId, *extent));
    windows_.emplace(*extent);
    longest_ = 0;
    return {};
}

Result<bool> SpanSeriesQuery::read(storage::RunReader& reader, const RunItem& run, TimeRange extent) {
    const auto deadline = std::chrono::steady_clock::now() + kSeriesBudget;
    for (Ns limit = extent.end; windows_->next() < limit;) {
        if (live_) limit = std::min(limit, extent.end - 2 * longest_);
        const TimeRange slice{windows_->next(), std::min(limit, windows_->next() + slice_)};
        if (slice.end <= slice.start) return true;
        DASGD_ASSIGN(std::vector<storage::SpanRow> spans, reader.spans(run.row.runId, slice));
        // One that only touches the end belongs to the next slice.
        std::erase_if(spans, [&](const RankSpan& one) { return one.span.start >= slice.end; });
        for (const RankSpan& one : spans) longest_ = std::max(longest_, delayOf(one.span));
        // Spans are recorded when they end: shortly before the newest of them some are still to come.
        if (live_ && slice.end > extent.end - 2 * longest_) continue;
        if (live_ && slice.end > extent.end - kGivenUp) {
            DASGD_ASSIGN(const bool whole, isWhole(reader, run, slice, extent));
            if (!whole) return true;
        }
        windows_->add(spans, slice);
        if (std::chrono::steady_clock::now() > deadline) return windows_->next() >= limit;
    }
    return true;
}

Result<bool> SpanSeriesQuery::isWhole(storage::RunReader& reader, const RunItem& run, TimeRange slice,
                                      TimeRange extent) const {
    const TimeRange beyond{slice.end, std::min(extent.end, slice.end + std::max(slice_, 2 * longest_))};
    DASGD_ASSIGN(const std::vector<storage::SpanRow> spans, reader.spans(run.row.runId, beyond));
    std::set<int> reported;
    for (const RankSpan& one : spans) reported.insert(one.rank);
    return static_cast<int>(reported.size()) >= run.row.workers;
}

void SpanSeriesQuery::tell(const RunItem& run, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        RankBatch batch{run.id, name, true, windows_->curve(name, samplesOfStep(run), !live_)};
        deliver([this, batch = std::move(batch)] { emit arrived(batch); });
    }
}

}  // namespace dasgd::gui
