#include "gui/data/feed/queue_query.h"

#include <string>
#include <utility>

#include "storage/queue/queue.h"

namespace dasgd::gui {

namespace {

// True if the run has not begun, or ended early, as by a reboot, and no process will resume it by itself.
Result<bool> isToGoOn(storage::RunReader& reader, const storage::QueueEntry& entry, bool worked) {
    if (entry.status == "queued") return true;
    if (worked) return false;
    if (entry.status != "running") return entry.status == "interrupted";
    DASGD_ASSIGN(const auto end, reader.lost(entry.runId));
    return end.has_value();
}

}  // namespace

Status QueueQuery::refresh(LiveStore& store) {
    if (!fresh_.isBehind(store) && !fresh_.due()) return {};
    fresh_.begin(store);
    DASGD_ASSIGN(const storage::Queue queue, store.reader().runs().queue());
    QueueState state{.paused = queue.paused};
    if (!queue.entries.empty()) {
        DASGD_ASSIGN(const std::string worker, store.reader().runs().queueWorker());
        state.worked = !worker.empty();
    }
    for (const storage::QueueEntry& entry : queue.entries) {
        if (entry.held || entry.cancelled) continue;
        DASGD_ASSIGN(const bool waits, isToGoOn(store.reader().runs(), entry, state.worked));
        state.waiting += waits ? 1 : 0;
    }
    if (state.waiting == 0) state.worked = false;
    fresh_.end();
    if (state == told_) return {};
    told_ = state;
    deliver([this, state] { emit changed(state); });
    return {};
}

}  // namespace dasgd::gui
