#include "gui/widgets/chart_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace dasgd::gui {

namespace {

constexpr int kRedrawMs = 80;
constexpr std::size_t kBuckets = 700;
constexpr std::array<double, 5> kWeights{0, 0.5, 0.9, 0.97, 0.99};
constexpr std::array<const char*, 5> kAxisLabels{"step", "epoch", "wall time [s]", "samples", "bytes sent per rank"};

}  // namespace

ChartCard::ChartCard(const ChartSpec& spec, Session& session, const Look& look, QWidget* parent)
    : Card(parent), spec_(spec), session_(session), plot_(new PlotView(look)) {
    session_.wantMetric(spec.metric);
    axis_ = new Choice(tr("x axis"), {tr("step"), tr("epoch"), tr("wall"), tr("samples"), tr("bytes sent")}, 0);
    scale_ = new Choice(tr("y axis"), {tr("linear"), tr("log")}, spec.logY ? 1 : 0);
    smoothing_ = new Choice(tr("Smoothing: weight of the moving average; the raw curve stays behind it"),
                            {tr("raw"), tr("smooth 0.5"), tr("smooth 0.9"), tr("smooth 0.97"), tr("smooth 0.99")}, 2);
    auto* head = new QHBoxLayout;
    head->setSpacing(2);
    head->addWidget(makeLabel(spec.title, "head"));
    head->addStretch();
    for (Choice* choice : {axis_, scale_, smoothing_}) {
        head->addWidget(choice);
        connect(choice, &Choice::changed, this, &ChartCard::updateAxes);
    }
    head->setContentsMargins(0, 0, -6, 0);
    body().setContentsMargins(kPadding, 10, kPadding, 8);
    body().addLayout(head);
    body().addWidget(plot_, 1);
    plot_->setMinimumSize(260, 170);
    plot_->setAccessibleName(spec.title);
    plot_->setEmptyText(tr("No %1 recorded").arg(spec.yLabel));
    pending_.setSingleShot(true);
    connect(&pending_, &QTimer::timeout, this, &ChartCard::refresh);
    connect(&session_, &Session::seriesChanged, this, &ChartCard::later);
    connect(&session_, &Session::shownChanged, this, &ChartCard::later);
    connect(&session_.selection(), &TimeSelection::windowChanged, this, &ChartCard::updateBand);
    connect(plot_, &PlotView::clickedAt, this, &ChartCard::goTo);
    updateAxes();
}

void ChartCard::later() {
    if (!pending_.isActive()) pending_.start(kRedrawMs);
}

void ChartCard::updateAxes() {
    plot_->setAxes({.x = QString::fromLatin1(kAxisLabels[static_cast<std::size_t>(axis_->chosen())]),
                    .y = spec_.yLabel,
                    .logY = scale_->chosen() == 1,
                    .fromZero = spec_.fromZero});
    refresh();
}

void ChartCard::refresh() {
    const auto xAxis = static_cast<XAxis>(axis_->chosen());
    const double weight = kWeights[static_cast<std::size_t>(smoothing_->chosen())];
    const auto& runs = session_.shown();
    std::vector<Curve> curves;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const Series& series = session_.series(runs[i]->id, spec_.metric);
        if (series.empty()) continue;
        Curve curve{.name = session_.shownNames()[static_cast<qsizetype>(i)],
                    .style = session_.styleOf(*runs[i]),
                    .primary = i == 0};
        Polyline raw = polylineOf(series, xAxis);
        Polyline line{raw.x, smoothed(raw.y, weight)};
        curve.line = thinned(line, kBuckets);
        if (weight > 0) curve.raw = thinned(raw, kBuckets);
        curves.push_back(std::move(curve));
    }
    // Nothing recorded in some runs (a throughput that comes once an epoch) must not hide the others.
    plot_->setCurves(std::move(curves));
    updateBand();
}

// Where the timeline's window lies on this x axis, by the current run's own points.
void ChartCard::updateBand() {
    const RunItemPtr run = session_.current();
    const auto& points = run ? session_.series(run->id, spec_.metric).points() : std::vector<SeriesPoint>{};
    if (points.size() < 2) {
        plot_->setBand(std::nullopt);
        return;
    }
    const Polyline line = polylineOf(session_.series(run->id, spec_.metric), static_cast<XAxis>(axis_->chosen()));
    const auto xAt = [&](Ns t) {
        const double wall = static_cast<double>(t) / 1e9;
        const auto at = std::lower_bound(points.begin(), points.end(), wall,
                                         [](const SeriesPoint& point, double w) { return point.wallS < w; });
        return at == points.end() ? line.x.back() : line.x[static_cast<std::size_t>(at - points.begin())];
    };
    const TimeRange window = session_.selection().window();
    plot_->setBand(std::pair(xAt(window.start), xAt(window.end)));
}

void ChartCard::goTo(double x) {
    const RunItemPtr run = session_.current();
    if (!run) return;
    const Series& series = session_.series(run->id, spec_.metric);
    const Polyline line = polylineOf(series, static_cast<XAxis>(axis_->chosen()));
    const auto at = std::lower_bound(line.x.begin(), line.x.end(), x);
    if (at == line.x.end()) return;
    const double wall = series.points()[static_cast<std::size_t>(at - line.x.begin())].wallS;
    const TimeRange window = session_.selection().window();
    const Ns half = (window.end - window.start) / 2;
    const Ns middle = static_cast<Ns>(wall * 1e9);
    session_.selection().setWindow({middle - half, middle + half});
}

}  // namespace dasgd::gui
