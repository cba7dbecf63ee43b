// The rows of all runs, as they change. One that is stored as under way and that no process runs has the end that the
// next program that writes to the workspace gives it.
#pragma once

#include <QStringList>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/live/live_query.h"

namespace dasgd::gui {

class RunsQuery final : public LiveQuery {
    Q_OBJECT

public:
    RunsQuery() : LiveQuery(Priority::Records) {}
    Status refresh(LiveStore& store) override;
    void refreshUnused() override;

signals:
    // Runs that are new or whose row changed; large numbers of them in parts. Also once, empty, for a workspace that
    // has no runs.
    void changed(const std::vector<dasgd::gui::RunItemPtr>& changed, const QStringList& removed);

private:
    void report(std::vector<RunItemPtr> changed, QStringList removed);
    // Whether runs that were under way have lost the process that ran them.
    Result<bool> anyLost(LiveStore& store);
    // Gives a run that is lost the end that the Store will write.
    Status settle(LiveStore& store, storage::RunRow& row, bool isNew);

    RunItemMaker maker_;
    RefreshInterval interval_{400, 50};
    // That a process dies is committed nowhere.
    RefreshInterval heartbeat_{1000, 100};
    // By run id, with the start of what was lost: a run that is taken up again starts anew.
    std::map<std::string, std::pair<std::string, storage::LostRun>> lost_;
    std::int64_t revision_ = -1;
    std::int64_t notesRevision_ = 0;
    bool reported_ = false;
};

}  // namespace dasgd::gui
