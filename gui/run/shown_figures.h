// Figures made from a page: the same runs, metric, axes and window.
#pragma once

#include <QObject>
#include <optional>

#include "gui/data/filter/filter_expression.h"
#include "gui/data/session/session.h"
#include "gui/figures/model/figure_runs.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/kit/curves/run_graph.h"
#include "gui/run/chart/chart_card.h"

namespace dasgd::gui {

// Figure of the current run's graph in a round; nullopt where it has none.
[[nodiscard]] inline std::optional<FigureSpec> figureOfGraph(Session& session, int round) {
    const RunItemPtr run = session.current();
    if (!run || !graphOf(run->row, round)) return std::nullopt;
    FigureSpec spec{.kind = FigureKind::Graph, .runs = {run->id}};
    spec.round = round;
    spec.title = QObject::tr("Graph of %1").arg(QString::fromStdString(run->row.algorithm));
    return spec;
}

// Figure of a chart: its runs, metric, axes and zoom. Errors: a chart that draws nothing.
[[nodiscard]] inline Result<FigureSpec> figureOfChart(ChartCard& chart, Session& session) {
    const bool ranks = chart.picker().byRank(), mean = chart.drawsMean();
    // A metric that stands in for one not recorded yet belongs to a single run; no other run is drawn beside it.
    const bool alone = !mean && chart.drawnRuns().size() <= 1;
    const std::string metric = alone ? chart.drawnMetric() : chart.picker().metric();
    // Metrics computed from spans exist for the current run only.
    QStringList ids = ranks || isFromSpans(metric) ? QStringList{session.currentId()} : chart.drawnRuns();
    const QString title = wordsOf(metric).title;
    if (ids.isEmpty()) {
        return fail(QObject::tr("No figure of %1: all of its curves are hidden.").arg(title.toLower()).toStdString());
    }
    if (mean) ids += chart.familyRuns();
    ids.removeDuplicates();
    const QString experiment = QString::fromStdString(session.shown().front()->row.experiment);
    const bool picked = ranks || isFromSpans(metric) || session.isComparing();
    FigureSpec spec;
    takeRuns(spec, ids, picked ? QString() : experimentFilter(experiment), session.runs().items());
    spec.lines = ranks ? FigureLines::Ranks : mean ? FigureLines::MeanAndSeeds : FigureLines::Seeds;
    // Single runs are drawn whatever their state; a mean takes the finished seeds.
    spec.members = mean ? FigureMembers::Finished : FigureMembers::AsFarAsAll;
    if (mean && chart.seeds().chosen() == 2) spec.band = FigureBand::Interval95;
    spec.metric = QString::fromStdString(metric);
    spec.x = static_cast<XAxis>(chart.axis().chosen());
    spec.logY = chart.scale().chosen() == 1;
    spec.smoothing = chart.smoothingWeight();
    if (chart.plot().shown().zoomed) {
        spec.xRange = FigureRange{chart.plot().shown().x.first, chart.plot().shown().x.second};
        spec.yRange = FigureRange{chart.plot().shown().y.first, chart.plot().shown().y.second};
    }
    spec.title = title + QStringLiteral(", ") + experiment;
    return spec;
}

}  // namespace dasgd::gui
