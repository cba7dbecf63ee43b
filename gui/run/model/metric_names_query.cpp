#include "gui/run/model/metric_names_query.h"

#include <utility>

namespace dasgd::gui {

Status MetricNamesQuery::refresh(LiveStore& store) {
    if (watch_ != store.watch()) fresh_.hurry();
    watch_ = store.watch();
    if (!fresh_.due(store)) return {};
    fresh_.begin(store);
    std::erase_if(known_, [&](const auto& entry) { return !store.watch().contains(entry.first); });
    RecordedMetrics recorded;
    for (const QString& run : store.watch().runs()) {
        if (!store.runs().contains(run)) continue;
        Known& known = known_[run];
        if (!known.complete || known.watchedSince != store.watchedSince(run)) {
            const bool live = store.isLive(run);
            DASGD_ASSIGN(known.names, store.reader().metrics().names(run.toStdString()));
            known.complete = !live;
            known.watchedSince = store.watchedSince(run);
        }
        ++recorded.drawn;
        for (const std::string& name : known.names) ++recorded.runs[name];
    }
    fresh_.end();
    if (recorded == delivered_) return {};
    delivered_ = recorded;
    deliver([this, recorded = std::move(recorded)] { emit arrived(recorded); });
    return {};
}

}  // namespace dasgd::gui
