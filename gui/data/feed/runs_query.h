// The rows of all runs, delivered as they change. A run that is stored as running but has no process is shown with the
// end that the next writer of the workspace will give it.
#pragma once

#include <QStringList>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

class RunsQuery final : public LiveQuery {
    Q_OBJECT

public:
    RunsQuery() : LiveQuery(Priority::Records) {}
    Status refresh(LiveStore& store) override;
    void refreshUnused() override;

signals:
    // Runs that are new or whose row changed, large numbers of them in parts. Emitted once, empty, for a workspace
    // without runs.
    void changed(const std::vector<dasgd::gui::RunItemPtr>& changed, const QStringList& removed);

private:
    void report(std::vector<RunItemPtr> changed, QStringList removed);
    // True if a run that is stored as running has lost its process.
    Result<bool> anyLost(LiveStore& store);
    // Gives a lost run the end that the Store will write.
    Status settle(LiveStore& store, storage::RunRow& row, bool isNew);

    RunItemMaker maker_;
    Freshness fresh_{400, 50};
    // The death of a process commits nothing, so it is checked at intervals.
    RefreshInterval heartbeat_{1000, 100};
    // By run id, with the start of the lost run: a run that is resumed has another start.
    std::map<std::string, std::pair<std::string, storage::LostRun>> lost_;
    std::int64_t notesRevision_ = 0;
    bool reported_ = false;
};

}  // namespace dasgd::gui
