// The rows of all runs, as they change.
#pragma once

#include <QStringList>
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

    RunItemMaker maker_;
    RefreshInterval interval_{250, 50};
    std::int64_t revision_ = -1;
    std::int64_t notesRevision_ = 0;
    bool reported_ = false;
};

}  // namespace dasgd::gui
