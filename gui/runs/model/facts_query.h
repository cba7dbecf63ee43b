// The full records and files of a few runs chosen for closer inspection.
#pragma once

#include <vector>

#include "gui/data/feed/live_query.h"
#include "gui/runs/model/run_files.h"

namespace dasgd::gui {

struct RunFacts {
    storage::RunDetail detail;
    RunFiles files;
};

class FactsQuery final : public LiveQuery {
    Q_OBJECT

public:
    static constexpr int kMostRuns = 2;

    FactsQuery() : LiveQuery(Priority::Background) {}
    // Sets the wanted runs, at most kMostRuns.
    void want(const QStringList& runs);
    Status refresh(LiveStore& store) override;

signals:
    // The wanted runs that are in the store, in their order; emitted again when they record more.
    void arrived(const std::vector<dasgd::gui::RunFacts>& runs);

private:
    Wishes<QStringList> wanted_{this};
    Freshness fresh_{1000, 20};
};

}  // namespace dasgd::gui
