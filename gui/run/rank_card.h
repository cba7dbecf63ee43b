// Table of the current run's ranks: numbers of the timed windows so far, and of the newest spans.
#pragma once

#include <QTableView>
#include <QTimer>

#include "gui/data/session/session.h"
#include "gui/kit/parts/parts.h"
#include "gui/run/model/rank_states_query.h"
#include "gui/run/model/rank_table_model.h"
#include "gui/timeline/model/lateness_query.h"

namespace dasgd::gui {

class RankCard : public Card {
    Q_OBJECT

public:
    RankCard(Session& session, const Look& look, QWidget* parent = nullptr);
    ~RankCard() override;
    [[nodiscard]] QTableView& table() { return *table_; }

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void take(const RankStates& states);
    void takeLateness(const LatenessAnswer& answer);
    void showSilence();
    void showNow(bool live);

    Session& session_;
    LatenessQuery& lateness_;
    RankTableModel model_;
    QLabel* note_;
    QTableView* table_;
    QLabel* silence_;
    QTimer look_;  // updates the time since the last record, while nothing is recorded
    LastHeardOfRanks heard_;
};

}  // namespace dasgd::gui
