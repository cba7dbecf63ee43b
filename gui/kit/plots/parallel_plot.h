// Parallel coordinates: an axis for each setting or number, a line for each configuration. Painted from plain data.
#pragma once

#include <QRectF>
#include <QStringList>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/kit/plots/chart_view.h"

namespace dasgd::gui {

struct ParallelAxis {
    enum class Kind { Number, Log, Category };
    std::string key;  // unique among the axes of a plot; "": the title is
    QString title;    // short title
    Kind kind = Kind::Number;
    QStringList categories;    // Category only: the value of a line is an index into this list
    double low = 0, high = 1;  // Number and Log only: ends of the axis
    bool operator==(const ParallelAxis&) const = default;
};

struct ParallelLine {
    QString name;
    CurveStyle style;
    std::vector<std::optional<double>> values;  // by axis; absent ones lie below the axis
    bool primary = false;
    bool operator==(const ParallelLine&) const = default;
};

// Lower and upper end of a brush, in values of the axis; for categories in indices.
using ParallelBrush = std::optional<std::pair<double, double>>;

struct ParallelPlot {
    std::vector<ParallelAxis> axes;
    std::vector<ParallelLine> lines;
    std::vector<ParallelBrush> brushes;  // by axis
    // True if the line passes every brush; an absent value passes no brush of its axis.
    [[nodiscard]] bool passes(const ParallelLine& line) const;
    bool operator==(const ParallelPlot&) const = default;
};

void paintParallelPlot(QPainter& painter, const QRectF& area, const ParallelPlot& plot, const PlotStyle& style);
// Mapping of a plot's axes and values to x and y in `area`, in units of the device. The labels of the first axis are
// measured once, by the constructor.
class ParallelScale {
public:
    ParallelScale(const QRectF& area, const ParallelPlot& plot, const PlotStyle& style);
    [[nodiscard]] double x(std::size_t axis) const;
    [[nodiscard]] double gap() const;  // distance of two axes
    [[nodiscard]] double y(const ParallelAxis& axis, const std::optional<double>& value) const;
    [[nodiscard]] double valueAt(const ParallelAxis& axis, double y) const;
    [[nodiscard]] double wordRoom() const { return wordRoom_; }  // width for labels left of the first axis
    [[nodiscard]] double bottom() const { return bottom_; }      // lower end of the axes
    [[nodiscard]] double top() const { return top_; }
    // Number of rows of titles: 2 if a title is too long for one row; every other title is then in the lower row and
    // has twice the width.
    [[nodiscard]] int titleRows() const { return titleRows_; }

private:
    std::size_t axes_ = 0;
    int titleRows_ = 1;
    double wordRoom_ = 0, left_ = 0, right_ = 0, bottom_ = 0, top_ = 0, absent_ = 0, width_ = 0;
};

// Parallel coordinates as a widget: a drag along an axis brushes it, a click clears its brush. Left and Right move from
// axis to axis, Up and Down move the brush, Shift with Up and Down resizes it, Escape clears it.
class ParallelView : public ChartView {
    Q_OBJECT

public:
    using ChartView::ChartView;
    // Replaces the plot. Brushes of axes that stay are kept, those of categories on the same categories. A change of
    // the axes ends a drag.
    void setPlot(ParallelPlot plot);
    [[nodiscard]] const ParallelPlot& plot() const { return plot_; }
    void clearBrushes();

signals:
    void brushed();

protected:
    [[nodiscard]] bool isEmpty() const override { return plot_.axes.empty(); }
    void paintChart(QPainter& painter, const PlotStyle& style) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void brush(std::size_t axis, ParallelBrush part);
    void moveBrush(int up, bool resize);

    ParallelPlot plot_;
    std::size_t current_ = 0;
    std::optional<double> pressedY_;
};

}  // namespace dasgd::gui
