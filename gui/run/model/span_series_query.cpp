#include "gui/run/model/span_series_query.h"

#include <chrono>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kSeriesBudget{40};

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
        slices_.reset();
        revision_ = -1;
        reading_ = false;
        interval_.hurry();
    }
    const bool live = store.isLive(run.id);
    if (std::exchange(live_, live) != live) interval_.hurry();
    if (!reading_ && (revision_ == store.revision() || !interval_.due())) {
        if (anew && slices_) tell(run, names);
        return {};
    }
    const qint64 begun = interval_.now();
    revision_ = store.revision();
    DASGD_ASSIGN(const std::optional<TimeRange> extent, store.reader().spanExtent(run.row.runId));
    if (extent && extent->end > extent->start) {
        if (!slices_) {
            DASGD_ASSIGN(slices_, SpanSlices::of(store.reader(), run.row.runId, *extent));
        }
        DASGD_ASSIGN(const bool done, read(store.reader(), run, *extent));
        reading_ = !done;
        if (reading_) return ask(), Status{};
        tell(run, names);
    }
    interval_.spent(interval_.now() - begun);
    return {};
}

Result<bool> SpanSeriesQuery::read(storage::RunReader& reader, const RunItem& run, TimeRange extent) {
    const auto deadline = std::chrono::steady_clock::now() + kSeriesBudget;
    while (std::chrono::steady_clock::now() < deadline) {
        DASGD_ASSIGN(const bool more, slices_->readNext(reader, run, extent, live_));
        if (!more) return true;
    }
    return false;
}

void SpanSeriesQuery::tell(const RunItem& run, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        RankBatch batch{run.id, name, true, slices_->windows().curve(name, samplesOfStep(run), !live_)};
        deliver([this, batch = std::move(batch)] { emit arrived(batch); });
    }
}

}  // namespace dasgd::gui
