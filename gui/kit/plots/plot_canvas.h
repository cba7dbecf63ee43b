// Fills a QCustomPlot with curves. Private to gui/kit/plots.
#pragma once

#include <qcustomplot.h>

#include <QStringList>
#include <memory>
#include <vector>

#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

class PlotCanvas {
public:
    explicit PlotCanvas(QWidget* parent);

    [[nodiscard]] QCustomPlot& plot() { return *plot_; }
    void style(const PlotStyle& style);
    void axes(const PlotAxes& axes);
    void curves(const std::vector<Curve>& curves);
    // Arranges the names in this width in as few rows as possible, at most three; longer names are cut so that they
    // still differ. Up to five rows are used if cut names would otherwise need numbers. Call it after curves().
    void fitLegend(int width);
    // Breaks the name of the y axis into two lines if it is longer than `height`. Call it after axes().
    void fitYLabel(int height);
    // Moves the tinted band of x. `now`: draws the band's layer at once instead of with the next full replot.
    void band(std::optional<std::pair<double, double>> band, bool now);
    // Name of the band in the legend, taken over by the next curves(); it is shown even if no curve is named.
    void nameBand(const QString& name) { bandName_ = name; }
    [[nodiscard]] QStringList legendNames() const;
    // Moves the vertical cursor line; drawn at once, without drawing the curves again.
    void cursor(std::optional<double> x);
    // Draws a ring around this point; nullopt removes it.
    void mark(std::optional<QPointF> at, const QColor& color);
    void draw(bool now);

private:
    void addBand(const Curve& curve, const QPen& pen);
    QCPGraph* addLine(const Curve& curve, const QPen& pen);
    // `legendOwner`: the line whose legend entry shows the marker; null where there is none.
    void addMarkers(const Curve& curve, QCPGraph* legendOwner);
    [[nodiscard]] bool isDense(const std::vector<Curve>& curves) const;
    void addBars(const Curve& curve, QCPGraph& graph, const QPen& pen);
    [[nodiscard]] QPen penOf(const Curve& curve) const;
    // Draws a layer, unless a full replot is queued: QCustomPlot would draw everything now and again in the replot.
    void drawLayer(const QString& name);
    void fitX(double left, double right);
    void fit(const std::vector<Curve>& curves);

    QCustomPlot* plot_;
    bool queued_ = false;  // true while a full replot is queued
    QStringList names_;    // names of the legend, uncut
    PlotStyle style_;
    PlotAxes axes_;
    QCPItemRect* band_ = nullptr;
    QString bandName_;
    QCPItemStraightLine* cursor_ = nullptr;
    QCPItemEllipse* ring_ = nullptr;
    QCPItemTracer* ringCentre_ = nullptr;
};

}  // namespace dasgd::gui
