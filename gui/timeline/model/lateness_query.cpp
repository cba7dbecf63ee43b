#include "gui/timeline/model/lateness_query.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/metric_names.h"

namespace dasgd::gui {

namespace {

constexpr std::chrono::milliseconds kLatenessBudget{40};

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

Result<bool> LatenessQuery::read(storage::RunReader& reader) {
    const auto deadline = std::chrono::steady_clock::now() + kLatenessBudget;
    for (;;) {
        DASGD_ASSIGN(const bool last, spans_.readPart(reader));
        if (last || std::chrono::steady_clock::now() > deadline) return last;
    }
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
        DASGD_ASSIGN(const bool any, spans_.begin(store.reader(), id));
        if (!any) {
            interval_.spent(0);
            tell({run, std::nullopt, false});
            return {};
        }
        spent_ = 0;
        reading_ = true;
    }
    DASGD_ASSIGN(const bool done, read(store.reader()));
    if (!done) {
        spent_ += interval_.now() - begun;
        return ask(), Status{};
    }
    reading_ = false;
    const bool newestOnly = spans_.newestOnly();
    DASGD_TRY(readClocks(store.reader(), id));
    const double clockErrorNs = clockErrorS_ * 1e9;
    tell({run, latenessOf(spans_.take(), known->second->row.workers, clockErrorNs), newestOnly, clockErrorNs});
    interval_.spent(spent_ + interval_.now() - begun);
    return {};
}

}  // namespace dasgd::gui
