// The reader's thread behind Feed: rounds of queries against one workspace.
#pragma once

#include <QObject>
#include <QTimer>
#include <mutex>
#include <string>
#include <vector>

#include "gui/models/live/live_query.h"

namespace dasgd::gui {

inline constexpr int kPollMs = 50;

class FeedWorker : public QObject {
    Q_OBJECT

public:
    explicit FeedWorker(std::filesystem::path workspace) : store_(std::move(workspace)) {}

    // From any thread; both count from the next round or ask() on. `query` outlives this.
    void add(LiveQuery& query);
    void setWatch(Watch watch);

public slots:
    // On the reader's thread, of which it lowers the priority.
    void start();
    // A round: every query, by its priority.
    void poll();
    // This query alone, at once.
    void ask(dasgd::gui::LiveQuery* query);

signals:
    // What is wrong with the workspace, with the remedy; "" when it can be read again.
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

    std::mutex mutex_;  // guards what follows
    std::vector<LiveQuery*> added_;
    std::vector<Watch> watches_;  // not taken yet, in their order
};

}  // namespace dasgd::gui
