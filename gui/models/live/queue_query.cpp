#include "gui/models/live/queue_query.h"

#include <algorithm>
#include <utility>

#include "storage/queue.h"

namespace dasgd::gui {

Status QueueQuery::refresh(LiveStore& store) {
    const bool committed = std::exchange(revision_, store.revision()) != store.revision();
    if (!committed && !interval_.due()) return {};
    const qint64 begun = interval_.now();
    DASGD_ASSIGN(const storage::Queue queue, store.reader().queue());
    QueueState state{.paused = queue.paused};
    state.waiting = static_cast<int>(std::ranges::count_if(queue.entries, [](const storage::QueueEntry& entry) {
        return entry.status == "queued" && !entry.held && !entry.cancelled;
    }));
    if (state.waiting > 0) {
        DASGD_ASSIGN(const std::string worker, store.reader().queueWorker());
        state.worked = !worker.empty();
    }
    interval_.spent(interval_.now() - begun);
    if (state == told_) return {};
    told_ = state;
    deliver([this, state] { emit changed(state); });
    return {};
}

}  // namespace dasgd::gui
