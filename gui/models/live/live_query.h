// A question that is asked of the store again and again while it grows: one class for each need of a page.
//
//   class StepsQuery final : public LiveQuery {
//       Q_OBJECT
//   public:
//       Status refresh(LiveStore& store) override;   // reads what is new, then deliver([this, …] { emit arrived(…); })
//   signals:
//       void arrived(std::int64_t steps);
//   };
//
// A page gets it by `session.feed().query<StepsQuery>()` and connects its signals. Nothing else names it.
#pragma once

#include <QObject>
#include <utility>

#include "core/base/result.h"
#include "gui/models/live/live_store.h"

namespace dasgd::gui {

// Owner: the Feed, which makes one of each class. Lives on the Feed's thread: there its signals are emitted, and its
// requests made. refresh() runs on the reader's thread; what both use is behind a mutex of the query.
class LiveQuery : public QObject {
    Q_OBJECT

public:
    // The order within a round.
    enum class Priority {
        LiveEdge,   // first: what moves the newest shown instant
        Records,    // rows and metrics
        Drawing,    // what is drawn of them
        Background  // what may be some rounds late
    };

    explicit LiveQuery(Priority priority) : priority_(priority) {}
    [[nodiscard]] Priority priority() const { return priority_; }

    // Once a round (kPollMs), and soon after ask(). Reads what is due, with the store open, and delivers it. Whoever
    // has much to read stops after some 50 ms and calls ask(), so that the live edge is not held up; whoever is
    // expensive has a RefreshInterval. Errors: the store is opened again, and refresh() is called again.
    virtual Status refresh(LiveStore& store) = 0;
    // In place of refresh() while nothing has been run in the workspace.
    virtual void refreshUnused() {}

signals:
    // From any thread: this query is to be refreshed before the next round.
    void asked();

protected:
    void ask() { emit asked(); }
    // From refresh(): runs `emitSignals` later, on the thread of this object.
    template <class Emit>
    void deliver(Emit&& emitSignals) {
        QMetaObject::invokeMethod(this, std::forward<Emit>(emitSignals), Qt::QueuedConnection);
    }

private:
    const Priority priority_;
};

}  // namespace dasgd::gui
