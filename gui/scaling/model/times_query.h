// Step times and evaluations of ended runs, from which the points of the Scaling view are computed.
#pragma once

#include <QStringList>
#include <string>
#include <utility>
#include <vector>

#include "gui/data/feed/live_query.h"
#include "storage/compare/scaling.h"

namespace dasgd::gui {

// By run id.
using TimesBatch = std::vector<std::pair<std::string, RunTimes>>;

class TimesQuery final : public LiveQuery {
    Q_OBJECT

public:
    TimesQuery() : LiveQuery(Priority::Background) {}
    // Delivers each run once, in this order, in parts. Replaces the rest of the former request.
    void request(const QStringList& runs) { runs_.set(runs); }
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::TimesBatch& batch);

private:
    Wishes<QStringList> runs_{this};
    QStringList left_;  // not read yet
};

}  // namespace dasgd::gui
