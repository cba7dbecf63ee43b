#include "gui/run/graph_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace dasgd::gui {

namespace {

constexpr int kMostRound = 999'999;  // of a graph that is drawn anew in each

}  // namespace

GraphCard::GraphCard(Session& session, const Look& look, QWidget* parent)
    : Card(parent),
      session_(session),
      note_(makeElasticLabel("small")),
      round_(new QSpinBox),
      view_(new GraphView(look)) {
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Graph"), "head"));
    head->addWidget(note_, 1);
    round_->setPrefix(tr("round "));
    round_->setAccessibleName(tr("Round of the graph"));
    round_->setToolTip(tr("Round of exchanges that is drawn, counted from 0"));
    head->addWidget(round_);
    body().addLayout(head);
    body().addWidget(view_, 1);
    connect(round_, &QSpinBox::valueChanged, this, &GraphCard::showGraph);
    connect(&session_, &Session::currentChanged, this, [this] {
        const QSignalBlocker quiet(round_);
        round_->setValue(0);
        showGraph();
    });
    connect(&session_, &Session::shownChanged, this, &GraphCard::showGraph);
    showGraph();
}

void GraphCard::showGraph() {
    const RunItemPtr run = session_.current();
    const auto graph = run ? graphOf(run->row, round_->value()) : std::nullopt;
    setVisible(graph.has_value());
    if (!graph) return;
    const QSignalBlocker quiet(round_);
    round_->setVisible(graph->period != 1);
    round_->setMaximum(graph->period > 0 ? static_cast<int>(graph->period) - 1 : kMostRound);
    note_->setText(graph->inWords());
    view_->setGraph(*graph);
}

}  // namespace dasgd::gui
