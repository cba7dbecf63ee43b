// Access of the window to the store: a thread that repeats the queries of the pages and delivers new results. Never
// blocks the UI thread.
#pragma once

#include <QObject>
#include <QStringList>
#include <QThread>
#include <filesystem>
#include <map>
#include <memory>
#include <typeindex>

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

class FeedWorker;

class Feed : public QObject {
    Q_OBJECT

public:
    explicit Feed(std::filesystem::path workspace, QObject* parent = nullptr);
    ~Feed() override;

    [[nodiscard]] const std::filesystem::path& workspace() const { return workspace_; }

    // The query of this class; it runs from the first call on. Its signals arrive on the thread of the Feed, after the
    // caller has returned to the event loop.
    template <class Query>
    Query& query() {
        std::unique_ptr<LiveQuery>& place = queries_[std::type_index(typeid(Query))];
        if (!place) {
            place = std::make_unique<Query>();
            add(*place);
        }
        return static_cast<Query&>(*place);
    }

    // Sets the watched run and the others drawn with it, the subject of the queries.
    void watch(const QString& run, const QStringList& others);

signals:
    // Error of the workspace with its remedy; "" when it can be read again.
    void errorOccurred(const QString& message);

private:
    void add(LiveQuery& query);

    std::filesystem::path workspace_;
    QThread thread_;
    FeedWorker* worker_ = nullptr;  // lives on thread_, which deletes it
    std::map<std::type_index, std::unique_ptr<LiveQuery>> queries_;
};

}  // namespace dasgd::gui
