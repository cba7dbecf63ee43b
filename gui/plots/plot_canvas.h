// Fills a QCustomPlot with our curves. Private to gui/plots.
#pragma once

#include <qcustomplot.h>

#include <QStringList>
#include <memory>
#include <vector>

#include "gui/plots/plot_view.h"

namespace dasgd::gui {

class PlotCanvas {
public:
    explicit PlotCanvas(QWidget* parent);

    [[nodiscard]] QCustomPlot& plot() { return *plot_; }
    void style(const PlotStyle& style);
    void axes(const PlotAxes& axes);
    void curves(const std::vector<Curve>& curves);
    // Lines under the axes.
    void notes(const QStringList& lines, const QFont& font);
    // At most three rows of names in this width, in as few as they take; names too long for that are cut so that they
    // still differ. After curves().
    void fitLegend(int width);
    // The name of the y axis on two lines where it is longer than this. After axes().
    void fitYLabel(int height);
    // `now`: not with the next picture of all of it.
    void band(std::optional<std::pair<double, double>> band, bool now);
    // In the legend of the next curves(), with which it is drawn even where that names none of them.
    void nameBand(const QString& name) { bandName_ = name; }
    [[nodiscard]] QStringList legendNames() const;
    // A thin line from bottom to top; drawn at once, the curves are not drawn again.
    void cursor(std::optional<double> x);
    // A ring around this value.
    void mark(std::optional<QPointF> at, const QColor& color);
    void draw(bool now);

private:
    void addBand(const Curve& curve, const QPen& pen);
    QCPGraph* addLine(const Curve& curve, const QPen& pen);
    // `legendOwner`: the line; null where there is none.
    void addMarkers(const Curve& curve, QCPGraph* legendOwner);
    [[nodiscard]] bool isDense(const std::vector<Curve>& curves) const;
    void addBars(const Curve& curve, QCPGraph& graph, const QPen& pen);
    [[nodiscard]] QPen penOf(const Curve& curve) const;
    // Not while a picture of all of it waits for its turn: QCustomPlot would draw everything for the layer, and then
    // again.
    void drawLayer(const QString& name);
    void fitX(double left, double right);
    void fit(const std::vector<Curve>& curves);

    QCustomPlot* plot_;
    bool queued_ = false;  // a picture of all of it
    QStringList names_;    // of the legend, whole
    PlotStyle style_;
    PlotAxes axes_;
    QCPItemRect* band_ = nullptr;
    QString bandName_;
    QCPItemStraightLine* cursor_ = nullptr;
    QCPItemEllipse* ring_ = nullptr;
    QCPItemTracer* ringCentre_ = nullptr;
};

}  // namespace dasgd::gui
