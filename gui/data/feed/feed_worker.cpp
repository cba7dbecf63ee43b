#include "gui/data/feed/feed_worker.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

// On a shared core, painting and ranks should come before this thread. Linux keeps a nice value per thread, and raising
// it is always permitted. With 5, pictures took twice as long to become sharp.
constexpr int kNicer = 2;
void giveWay() { [[maybe_unused]] const int now = ::nice(kNicer); }

}  // namespace

void FeedWorker::add(LiveQuery& query) {
    const std::lock_guard lock(mutex_);
    added_.push_back(&query);
}

void FeedWorker::setWatch(Watch watch) {
    const std::lock_guard lock(mutex_);
    watches_.push_back(std::move(watch));
}

void FeedWorker::start() {
    giveWay();
    timer_ = new QTimer(this);
    timer_->setTimerType(Qt::PreciseTimer);
    connect(timer_, &QTimer::timeout, this, &FeedWorker::poll);
    timer_->start(kPollMs);
    poll();
}

void FeedWorker::takeRequests() {
    const std::lock_guard lock(mutex_);
    for (LiveQuery* query : std::exchange(added_, {})) {
        const auto after = std::upper_bound(queries_.begin(), queries_.end(), query,
                                            [](LiveQuery* a, LiveQuery* b) { return a->priority() < b->priority(); });
        queries_.insert(after, query);
    }
    for (Watch& watch : std::exchange(watches_, {})) store_.setWatch(std::move(watch));
}

// True if the store is open, so that queries can be refreshed.
bool FeedWorker::prepare() {
    takeRequests();
    const auto state = store_.open();
    if (!state) {
        reportError(state.error().message);
    } else if (*state == LiveStore::State::Unused) {
        reportError("");
        for (LiveQuery* query : queries_) query->refreshUnused();
    }
    return state && *state == LiveStore::State::Open;
}

bool FeedWorker::refresh(LiveQuery& query) {
    const Status done = query.refresh(store_);
    if (done) return true;
    reportError(done.error().message);
    store_.close();
    return false;
}

void FeedWorker::poll() {
    if (!prepare()) return;
    if (const Status updated = store_.update(); !updated) {
        reportError(updated.error().message);
        store_.close();
        return;
    }
    for (LiveQuery* query : queries_) {
        if (!refresh(*query)) return;
    }
    reportError("");
}

void FeedWorker::ask(LiveQuery* query) {
    if (prepare()) refresh(*query);
}

void FeedWorker::reportError(const std::string& message) {
    const QString text = QString::fromStdString(message);
    if (std::exchange(reported_, text) != text) emit errorOccurred(text);
}

}  // namespace dasgd::gui
