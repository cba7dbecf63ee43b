// Horizontal bars with intervals, one below the other. Painted from plain data, on the screen and on paper alike.
#pragma once

#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "gui/kit/plots/chart_ticks.h"
#include "gui/kit/plots/chart_view.h"

namespace dasgd::gui {

struct Bar {
    QString label;
    CurveStyle style;
    std::optional<double> value;     // length of the bar; if absent, `words` stand in its place
    std::optional<double> interval;  // half width of the whisker; absent where n is 1
    QString words;                   // text behind the bar: "17.9 ± 1.2", or the reason why there is no bar
    QString ratio, count;            // texts at the right edge: "× 0.20", "5 of 5"
    bool hollow = false;             // true for simulated time
    bool primary = false;            // true for the highlighted bar
    bool operator==(const Bar&) const = default;
};

struct BarChart {
    std::vector<Bar> bars;
    QString axis;                // title of the axis with its unit: "time to accuracy 98.5 % [s]"
    std::optional<double> most;  // largest possible value, as of a share; no whisker and no tick goes past it

    // Ends of the bar's whisker, on screen, on paper and in TeX; the bar's value if it has none. The bar has a value.
    [[nodiscard]] double whiskerLow(const Bar& bar) const;
    [[nodiscard]] double whiskerHigh(const Bar& bar) const;
    // Largest value that gets a tick. `drawn`: end of the drawn axis, which may lie past `most` to leave room for the
    // words behind the bars.
    [[nodiscard]] double axisEnd(double drawn) const;
    bool operator==(const BarChart&) const = default;
};

// Height of rows and axis in this style.
[[nodiscard]] double barChartHeight(const BarChart& chart, const PlotStyle& style);
// Paints bars from 0. Labels get a third of the width, and more where numbers and bars leave it; longer ones are set a
// point smaller, then cut so that they still differ.
void paintBarChart(QPainter& painter, const QRectF& area, const BarChart& chart, const PlotStyle& style);
// Ticks of the axis below the bars.
[[nodiscard]] ChartTicks barTicks(const QRectF& area, const BarChart& chart, const PlotStyle& style);
// Index of the bar whose row is at this point.
[[nodiscard]] std::optional<std::size_t> barAt(const QRectF& area, const BarChart& chart, const PlotStyle& style,
                                               QPointF at);

// Bar chart as a widget: Up and Down move from bar to bar, Enter and a click choose one.
class BarView : public ChartView {
    Q_OBJECT

public:
    using ChartView::ChartView;
    void setChart(BarChart chart);
    [[nodiscard]] const BarChart& chart() const { return chart_; }

signals:
    void chosen(std::size_t bar);
    void opened(std::size_t bar);  // double click

protected:
    [[nodiscard]] bool isEmpty() const override { return chart_.bars.empty(); }
    void paintChart(QPainter& painter, const PlotStyle& style) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

private:
    void describe();

    BarChart chart_;
    std::size_t current_ = 0;
};

}  // namespace dasgd::gui
