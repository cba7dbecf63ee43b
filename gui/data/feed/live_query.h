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
#include <utility>

#include "core/base/result.h"
#include "gui/data/feed/live_store.h"

namespace dasgd::gui {

// Owned by the Feed, which makes one of each class. Lives on the Feed's thread, where its signals are emitted and its
// requests made. refresh() runs on the reader's thread; shared members are guarded by a mutex of the query.
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

private:
    const Priority priority_;
};

}  // namespace dasgd::gui
