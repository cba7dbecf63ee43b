#include "gui/scaling/scaling_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/scaling/model/scaling_table_model.h"

namespace dasgd::gui {

ScalingCard::ScalingCard(const QString& title, ScalingPlot plot, ScalingBoard& board, const Look& look, QWidget* parent)
    : Card(parent), kind_(plot), board_(board), plot_(new PlotView(look)) {
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(title, "head"));
    QLabel* ideal = makeLabel(tr("┄ ideal"), "small");
    ideal->setToolTip(tr("As good as the smallest number of workers of a line"));
    head->addSpacing(10);
    head->addWidget(ideal);
    spread_ = makeLabel(tr("± std over seeds"), "small");
    spread_->setToolTip(kStdOverSeeds);
    head->addSpacing(10);
    head->addWidget(spread_);
    head->addStretch();
    if (kind_ != ScalingPlot::Efficiency) {
        scale_ = new Choice(tr("y axis"), {tr("linear"), tr("log")}, 1);
        head->addWidget(scale_);
        connect(scale_, &Choice::changed, this, &ScalingCard::refresh);
    }
    head->setContentsMargins(0, 0, -6, 0);
    head->addStrut(26);  // equal height with and without a choice
    body().setContentsMargins(kPadding, 10, kPadding, 8);
    body().addLayout(head);
    body().addWidget(plot_, 1);
    plot_->setMinimumSize(260, 230);
    plot_->setAccessibleName(title);
    plot_->setPointWords([this](PointPlace place) { return wordsOf(place); });
    connect(plot_, &PlotView::pointClicked, this,
            [this](PointPlace place) { emit pointClicked(place.curve, workersOf(place)); });
    connect(plot_, &PlotView::pointOpened, this,
            [this](PointPlace place) { emit pointOpened(place.curve, workersOf(place)); });
    connect(&board_, &ScalingBoard::drawnChanged, this, &ScalingCard::refresh);
    refresh();
}

void ScalingCard::refresh() {
    plot_->setAxes({.x = tr("workers"),
                    .y = scalingAxis(board_.drawn(), kind_, board_.target()),
                    .logY = scale_ && scale_->chosen() == 1,
                    .fromZero = true,
                    .log2X = true,
                    .legend = false});
    plot_->setEmptyText(board_.missing() > 0                 ? tr("Reading %1 runs …").arg(grouped(board_.missing()))
                        : board_.drawn().empty()             ? tr("Choose a configuration in the list below")
                        : kind_ == ScalingPlot::TimeToTarget ? tr("No configuration reached the target with all seeds")
                        : kind_ == ScalingPlot::Efficiency
                            ? tr("No configuration was timed at two numbers of workers: no efficiency to draw")
                            : tr("No step time recorded"));
    std::vector<Curve> curves = scalingCurves(board_.drawn(), kind_);
    spread_->setVisible(std::ranges::any_of(curves, [](const Curve& curve) { return !curve.deviation.empty(); }));
    plot_->setCurves(std::move(curves));
    placeMark();
}

FigureSpec ScalingCard::figure(const QString& target) const {
    FigureSpec spec{.kind = FigureKind::Scaling,
                    .runs = board_.runIds(),
                    .scaling = board_.scaling(),
                    .plot = kind_,
                    .target = target};
    if (scale_) spec.logY = scale_->chosen() == 1;
    if (plot_->shown().zoomed) {
        spec.xRange = FigureRange{plot_->shown().x.first, plot_->shown().x.second};
        spec.yRange = FigureRange{plot_->shown().y.first, plot_->shown().y.second};
    }
    return spec;
}

void ScalingCard::mark(std::size_t line, int workers) {
    marked_ = {line, workers};
    placeMark();
}

void ScalingCard::unmark() {
    marked_.reset();
    placeMark();
}

void ScalingCard::placeMark() {
    if (!marked_ || marked_->first >= plot_->curves().size()) return plot_->mark(std::nullopt);
    const auto& xs = plot_->curves()[marked_->first].line.x;
    const auto found = std::find(xs.begin(), xs.end(), marked_->second);
    if (found == xs.end()) return plot_->mark(std::nullopt);
    plot_->mark(PointPlace{marked_->first, static_cast<std::size_t>(found - xs.begin())});
}

int ScalingCard::workersOf(PointPlace place) const {
    return static_cast<int>(std::lround(plot_->curves()[place.curve].line.x[place.point]));
}

QString ScalingCard::wordsOf(PointPlace place) const {
    const int workers = workersOf(place);
    const DrawnLine& line = board_.drawn()[place.curve];
    const auto found = std::find_if(line.points.begin(), line.points.end(),
                                    [workers](const auto& point) { return point.workers == workers; });
    return found == line.points.end() ? QString() : pointTip(line, *found, board_.target());
}

}  // namespace dasgd::gui
