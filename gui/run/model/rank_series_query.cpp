#include "gui/run/model/rank_series_query.h"

#include <utility>

namespace dasgd::gui {

void RankSeriesQuery::want(const std::string& name) {
    wished_.change([&](std::map<std::string, Wish>& all) {
        ++all[name].holders;
        ++all[name].version;
    });
}

void RankSeriesQuery::release(const std::string& name) {
    wished_.change([&](std::map<std::string, Wish>& all) {
        if (Wish& wish = all[name]; wish.holders > 0) --wish.holders;
    });
}

Status RankSeriesQuery::refresh(LiveStore& store) {
    const QString& run = store.watch().run;
    if (run.isEmpty() || !store.runs().contains(run)) return {};
    for (const auto& [name, wish] : wished_.look().first) {
        if (wish.holders == 0) continue;
        Cursor& cursor = cursors_[name];
        const bool first = cursor.version != wish.version || cursor.watchedSince != store.watchedSince();
        if (first) cursor = {.version = wish.version, .watchedSince = store.watchedSince()};
        if (cursor.revision == store.revision()) continue;
        DASGD_ASSIGN(storage::MetricAnswer answer,
                     store.reader().metrics().samples(
                         {.runId = run.toStdString(), .name = name, .afterRowid = cursor.lastRowid}));
        cursor.revision = store.revision();
        cursor.lastRowid = answer.lastRowid;
        if (answer.samples.empty() && !first) continue;
        deliver([this, batch = RankBatch{run, name, first, std::move(answer.samples)}] { emit arrived(batch); });
    }
    return {};
}

}  // namespace dasgd::gui
