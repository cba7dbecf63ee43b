#include "gui/data/feed/detail_query.h"

#include <utility>

namespace dasgd::gui {

Status DetailQuery::refresh(LiveStore& store) {
    const QString& run = store.watch().run;
    if (std::exchange(watchedSince_, store.watchedSince()) != store.watchedSince()) {
        revision_ = -1;
        interval_.hurry();
    }
    if (std::exchange(endings_, store.endings()) != store.endings()) interval_.hurry();
    // A run may be watched before it is in the store.
    if (revision_ == store.revision() || !store.runs().contains(run) || !interval_.due()) return {};
    const qint64 begun = interval_.now();
    DASGD_ASSIGN(storage::RunDetail detail, store.reader().run(run.toStdString()));
    // The store does not know yet that a lost run has ended.
    if (!store.isLive(run) && isLive(detail.row)) detail.row.status = store.runs().at(run)->row.status;
    interval_.spent(interval_.now() - begun);
    revision_ = store.revision();
    deliver([this, detail = std::move(detail)] { emit arrived(detail); });
    return {};
}

}  // namespace dasgd::gui
