#include "gui/data/feed/metrics_query.h"

#include <utility>

namespace dasgd::gui {

void MetricsQuery::want(const std::string& name) {
    {
        const std::lock_guard lock(mutex_);
        if (!wanted_.insert(name).second) return;
    }
    ask();
}

Status MetricsQuery::refresh(LiveStore& store) {
    std::set<std::string> names;
    {
        const std::lock_guard lock(mutex_);
        names = wanted_;
    }
    const bool rewatched = std::exchange(watchedSince_, store.watchedSince()) != store.watchedSince();
    const bool all = rewatched || names_ != names.size() || watch_ != store.watch();
    const bool ended = std::exchange(endings_, store.endings()) != store.endings();
    if (ended || all) {
        interval_.hurry();
    } else if (revision_ == store.revision() || !interval_.due()) {
        return {};
    }
    const qint64 begun = interval_.now();
    std::erase_if(cursors_, [&](const auto& entry) { return !store.watch().contains(entry.first.first); });
    for (const QString& run : store.watch().runs()) {
        // A run is not drawn before its row has been delivered.
        if (!store.runs().contains(run)) continue;
        for (const std::string& name : names) {
            const Key key{run, name};
            Cursor& cursor = cursors_[key];
            const std::int64_t since = store.watchedSince(run);
            if (cursor.watchedSince != since) cursor = {.watchedSince = since};
            DASGD_TRY(read(store, key, cursor));
        }
    }
    revision_ = store.revision();
    names_ = names.size();
    watch_ = store.watch();
    // The first read of a run covers its whole record, so its cost says nothing about later reads.
    interval_.spent(all ? 0 : interval_.now() - begun);
    return {};
}

Status MetricsQuery::read(LiveStore& store, const Key& key, Cursor& cursor) {
    if (cursor.complete) return {};
    const auto& [run, name] = key;
    const bool live = store.isLive(run);
    DASGD_ASSIGN(storage::MetricAnswer answer,
                 store.reader().metrics({.runId = run.toStdString(), .name = name, .afterRowid = cursor.lastRowid}));
    cursor.complete = !live;
    if (answer.samples.empty()) return {};
    cursor.lastRowid = answer.lastRowid;
    deliver([this, batch = MetricBatch{run, name, std::move(answer.samples)}] { emit arrived(batch); });
    return {};
}

}  // namespace dasgd::gui
