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
    viewers_.change([&](std::set<const void*>& all) { all.insert(viewer); });
}

void LatenessQuery::release(const void* viewer) {
    viewers_.change([&](std::set<const void*>& all) { all.erase(viewer); });
}

void LatenessQuery::tell(const LatenessAnswer& answer) {
    told_ = answer;
    deliver([this, answer] { emit arrived(answer); });
}

Result<bool> LatenessQuery::read(storage::SpanReader& reader) {
    const auto deadline = std::chrono::steady_clock::now() + kLatenessBudget;
    for (;;) {
        DASGD_ASSIGN(const bool last, spans_.readPart(reader));
        if (last || std::chrono::steady_clock::now() > deadline) return last;
    }
}

Status LatenessQuery::readClocks(storage::MetricReader& reader, const std::string& run) {
    DASGD_ASSIGN(const storage::MetricAnswer bounds,
                 reader.samples({.runId = run, .name = metrics::kClockErrorS, .afterRowid = clocksRead_}));
    if (bounds.samples.empty()) return {};
    clocksRead_ = bounds.lastRowid;
    for (const storage::MetricSample& sample : bounds.samples) clockErrorS_ = std::max(clockErrorS_, sample.value);
    return {};
}

Status LatenessQuery::refresh(LiveStore& store) {
    const auto [viewers, areNew] = viewers_.look();
    if (viewers.empty()) return {};
    const QString& run = store.watch().run;
    const auto known = store.runs().find(run);
    if (fresh_.follow(store)) {
        clocksRead_ = 0;
        clockErrorS_ = 0;
        told_.reset();
        reading_ = false;
    }
    if (areNew && told_) tell(*told_);
    if (known == store.runs().end() || (!reading_ && !fresh_.due(store))) return {};
    const std::string id = run.toStdString();
    if (!reading_) {
        fresh_.begin(store);
        DASGD_ASSIGN(const bool any, spans_.begin(store.reader().spans(), id));
        if (!any) {
            fresh_.end();
            tell({run, std::nullopt, false});
            return {};
        }
        reading_ = true;
    }
    DASGD_ASSIGN(const bool done, read(store.reader().spans()));
    if (!done) return ask(), Status{};
    reading_ = false;
    const bool newestOnly = spans_.newestOnly();
    DASGD_TRY(readClocks(store.reader().metrics(), id));
    const double clockErrorNs = clockErrorS_ * 1e9;
    tell({run, latenessOf(spans_.take(), known->second->row.workers, clockErrorNs), newestOnly, clockErrorNs});
    fresh_.end();
    return {};
}

}  // namespace dasgd::gui
