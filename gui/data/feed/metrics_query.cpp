#include "gui/data/feed/metrics_query.h"

#include <utility>

namespace dasgd::gui {

void MetricsQuery::want(const std::string& name) {
    wanted_.change([&](std::set<std::string>& names) { names.insert(name); });
}

Status MetricsQuery::refresh(LiveStore& store) {
    const auto [names, isMore] = wanted_.look();
    const bool all = fresh_.follow(store) || isMore || watch_ != store.watch();
    if (!all && !fresh_.due(store)) return {};
    fresh_.begin(store);
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
    watch_ = store.watch();
    // The first read of a run covers its whole record, so its cost says nothing about later reads.
    fresh_.end(!all);
    return {};
}

Status MetricsQuery::read(LiveStore& store, const Key& key, Cursor& cursor) {
    if (cursor.complete) return {};
    const auto& [run, name] = key;
    const bool live = store.isLive(run);
    DASGD_ASSIGN(
        storage::MetricAnswer answer,
        store.reader().metrics().samples({.runId = run.toStdString(), .name = name, .afterRowid = cursor.lastRowid}));
    cursor.complete = !live;
    if (answer.samples.empty()) return {};
    cursor.lastRowid = answer.lastRowid;
    deliver([this, batch = MetricBatch{run, name, std::move(answer.samples)}] { emit arrived(batch); });
    return {};
}

}  // namespace dasgd::gui
