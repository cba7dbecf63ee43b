#include "gui/run/model/rank_series_query.h"

#include <utility>

namespace dasgd::gui {

void RankSeriesQuery::want(const std::string& name) {
    {
        const std::lock_guard lock(mutex_);
        Wish& wish = wished_[name];
        ++wish.holders;
        ++wish.version;
    }
    ask();
}

void RankSeriesQuery::release(const std::string& name) {
    const std::lock_guard lock(mutex_);
    if (Wish& wish = wished_[name]; wish.holders > 0) --wish.holders;
}

Status RankSeriesQuery::refresh(LiveStore& store) {
    std::map<std::string, Wish> wished;
    {
        const std::lock_guard lock(mutex_);
        wished = wished_;
    }
    const QString& run = store.watch().run;
    if (run.isEmpty() || !store.runs().contains(run)) return {};
    for (const auto& [name, wish] : wished) {
        if (wish.holders == 0) continue;
        Cursor& cursor = cursors_[name];
        const bool first = cursor.version != wish.version || cursor.watchedSince != store.watchedSince();
        if (first) cursor = {.version = wish.version, .watchedSince = store.watchedSince()};
        if (cursor.revision == store.revision()) continue;
        DASGD_ASSIGN(
            storage::MetricAnswer answer,
            store.reader().metrics({.runId = run.toStdString(), .name = name, .afterRowid = cursor.lastRowid}));
        cursor.revision = store.revision();
        cursor.lastRowid = answer.lastRowid;
        if (answer.samples.empty() && !first) continue;
        deliver([this, batch = RankBatch{run, name, first, std::move(answer.samples)}] { emit arrived(batch); });
    }
    return {};
}

}  // namespace dasgd::gui
