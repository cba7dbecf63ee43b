// A row for each rank of the run that is looked at: timed so far, and just now.
#pragma once

#include <QTableView>

#include "gui/models/live/session.h"
#include "gui/models/ranks/rank_states_query.h"
#include "gui/models/ranks/rank_table_model.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

class RankCard : public Card {
    Q_OBJECT

public:
    explicit RankCard(Session& session, QWidget* parent = nullptr);
    [[nodiscard]] QTableView& table() { return *table_; }

private:
    void take(const RankStates& states);

    Session& session_;
    RankTableModel model_;
    QLabel* note_;
    QTableView* table_;
};

}  // namespace dasgd::gui
