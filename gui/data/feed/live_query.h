// A query repeated on the growing store: one class for each need of a page.
//
//   class StepsQuery final : public LiveQuery {
//       Q_OBJECT
//   public:
//       Status refresh(LiveStore& store) override;   // reads what is new, then deliver([this, …] { emit arrived(…); })
//   signals:
//       void arrived(std::int64_t steps);
//   };
//
// A page gets it by `session.feed().query<StepsQuery>()` and connects its signals. It is registered nowhere else.
#pragma once

#include <QObject>
#include <mutex>
#include <utility>

#include "core/base/result.h"
#include "gui/data/feed/live_store.h"

namespace dasgd::gui {

// How far a query has read, and when it reads on: after a commit, and after a pause that grows with the cost of the
// last read. Reader's thread.
class Freshness : public RefreshInterval {
public:
    using RefreshInterval::RefreshInterval;
    // Call it first in each refresh(). True if another run is watched than before, so that what was read does not
    // count. Another run and the end of one cut the pause short.
    bool follow(const LiveStore& store) {
        if (std::exchange(endings_, store.endings()) != store.endings()) hurry();
        if (std::exchange(watchedSince_, store.watchedSince()) == store.watchedSince()) return false;
        forget();
        hurry();
        return true;
    }
    // Drops what was read: the next read comes after the pause, even if nothing was committed.
    void forget() { revision_ = -1; }
    // Skips everything that is in the store by now.
    void pass(const LiveStore& store) { revision_ = store.revision(); }
    [[nodiscard]] bool isBehind(const LiveStore& store) const { return revision_ != store.revision(); }
    using RefreshInterval::due;
    [[nodiscard]] bool due(const LiveStore& store) const { return isBehind(store) && due(); }
    // The two enclose a read, which may take several refreshes. The pause follows from its time, unless that says
    // nothing about later reads. After an error the store is opened anew, so that nothing of it counts as read.
    void begin(const LiveStore& store) {
        pass(store);
        begun_ = now();
    }
    void end(bool isUsual = true) { spent(isUsual ? now() - begun_ : 0); }

private:
    std::int64_t revision_ = -1, watchedSince_ = -1, endings_ = 0;
    qint64 begun_ = 0;
};

// Owned by the Feed, which makes one of each class. Lives on the Feed's thread, where its signals are emitted and its
// requests made. refresh() runs on the reader's thread, which takes what the pages want from Wishes.
class LiveQuery : public QObject {
    Q_OBJECT

public:
    // Order within a round.
    enum class Priority {
        LiveEdge,   // first: queries that move the newest shown instant
        Records,    // rows and metrics
        Drawing,    // data for drawing
        Background  // may be some rounds late
    };

    explicit LiveQuery(Priority priority) : priority_(priority) {}
    [[nodiscard]] Priority priority() const { return priority_; }

    // Called once per round (kPollMs), and soon after ask(), with the store open. Reads what is due and delivers it. A
    // query with much to read stops after about 50 ms and calls ask(), so that the live edge is not held up; an
    // expensive one has a RefreshInterval. After an error the store is reopened and refresh() is called again.
    virtual Status refresh(LiveStore& store) = 0;
    // Called instead of refresh() while nothing has been run in the workspace.
    virtual void refreshUnused() {}

signals:
    // Requests a refresh of this query before the next round. Emitted on any thread.
    void asked();

protected:
    void ask() { emit asked(); }
    // Called by refresh(): runs `emitSignals` later, on the thread of this object.
    template <class Emit>
    void deliver(Emit&& emitSignals) {
        QMetaObject::invokeMethod(this, std::forward<Emit>(emitSignals), Qt::QueuedConnection);
    }

    // Mailbox with the wishes of the pages for a query. Any thread; a change is followed by ask().
    template <class T>
    class Wishes {
    public:
        explicit Wishes(LiveQuery* query) : query_(*query) {}
        void set(T value) {
            change([&](T& wishes) { wishes = std::move(value); });
        }
        template <class Change>
        void change(Change&& change) {
            {
                const std::lock_guard lock(mutex_);
                change(wishes_);
                isNew_ = true;
            }
            query_.ask();
        }
        // The wishes, which stay, and whether they were changed since the last look.
        [[nodiscard]] std::pair<T, bool> look() {
            const std::lock_guard lock(mutex_);
            return {wishes_, std::exchange(isNew_, false)};
        }
        // Leaves no wish behind.
        [[nodiscard]] T take() {
            const std::lock_guard lock(mutex_);
            return std::exchange(wishes_, T{});
        }

    private:
        LiveQuery& query_;
        std::mutex mutex_;
        T wishes_{};  // guarded by mutex_, as is isNew_
        bool isNew_ = false;
    };

private:
    const Priority priority_;
};

}  // namespace dasgd::gui
