#include "gui/data/feed/detail_query.h"

#include <utility>

namespace dasgd::gui {

Status DetailQuery::refresh(LiveStore& store) {
    const QString& run = store.watch().run;
    fresh_.follow(store);
    // A run may be watched before it is in the store.
    if (!fresh_.due(store) || !store.runs().contains(run)) return {};
    fresh_.begin(store);
    DASGD_ASSIGN(storage::RunDetail detail, store.reader().runs().detail(run.toStdString()));
    // The store does not know yet that a lost run has ended.
    if (!store.isLive(run) && isLive(detail.row)) detail.row.status = store.runs().at(run)->row.status;
    fresh_.end();
    deliver([this, detail = std::move(detail)] { emit arrived(detail); });
    return {};
}

}  // namespace dasgd::gui
