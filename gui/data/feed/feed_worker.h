// The reader's thread of a Feed: repeated rounds of queries on one workspace.
#pragma once

#include <QObject>
#include <QTimer>
#include <mutex>
#include <string>
#include <vector>

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

inline constexpr int kPollMs = 50;

class FeedWorker : public QObject {
    Q_OBJECT

public:
    explicit FeedWorker(std::filesystem::path workspace) : store_(std::move(workspace)) {}

    // Called on any thread; both take effect from the next round or ask() on. `query` must outlive this object.
    void add(LiveQuery& query);
    void setWatch(Watch watch);

public slots:
    // Called on the reader's thread, whose priority it lowers.
    void start();
    // One round: every query, ordered by priority.
    void poll();
    // Refreshes this query alone, now.
    void ask(dasgd::gui::LiveQuery* query);

signals:
    // Error of the workspace with its remedy; "" when it can be read again.
    void errorOccurred(const QString& message);

private:
    bool prepare();
    void takeRequests();
    bool refresh(LiveQuery& query);
    void reportError(const std::string& message);

    LiveStore store_;
    QTimer* timer_ = nullptr;
    QString reported_;
    std::vector<LiveQuery*> queries_;

    std::mutex mutex_;  // guards the members below
    std::vector<LiveQuery*> added_;
    std::vector<Watch> watches_;  // not applied yet, in order
};

}  // namespace dasgd::gui
