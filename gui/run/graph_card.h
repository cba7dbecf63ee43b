// The graph over which the current run mixes, in one of its rounds; hidden for runs without one.
#pragma once

#include <QSpinBox>

#include "gui/data/session/session.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/plots/graph_plot.h"

namespace dasgd::gui {

class GraphCard : public Card {
    Q_OBJECT

public:
    GraphCard(Session& session, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] const GraphView& view() const { return *view_; }
    [[nodiscard]] QSpinBox& round() { return *round_; }

private:
    void showGraph();

    Session& session_;
    QLabel* note_;
    QSpinBox* round_;
    GraphView* view_;
};

}  // namespace dasgd::gui
