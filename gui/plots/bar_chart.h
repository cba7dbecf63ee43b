// Horizontal bars with intervals, one below the other. Painted from plain data, on the screen and on paper alike.
#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "gui/plots/chart_ticks.h"
#include "gui/plots/plot_view.h"

namespace dasgd::gui {

struct Bar {
    QString label;
    CurveStyle style;
    std::optional<double> value;     // absent: `words` stand where the bar would
    std::optional<double> interval;  // half width of the whisker; absent where n is 1
    QString words;                   // behind the bar: "17.9 ± 1.2", or why there is none
    QString ratio, count;            // at the right edge: "× 0.20", "5 of 5"
    bool hollow = false;             // of simulated time
    bool primary = false;            // the one that is highlighted
    bool operator==(const Bar&) const = default;
};

struct BarChart {
    std::vector<Bar> bars;
    QString axis;                // with its unit: "time to accuracy 98.5 % [s]"
    std::optional<double> most;  // where the number has an end, as a share has: no whisker and no tick goes past it

    // Of the bar's whisker, on screen, on paper and in TeX; both its value where it has none. The bar has a value.
    [[nodiscard]] double whiskerLow(const Bar& bar) const;
    [[nodiscard]] double whiskerHigh(const Bar& bar) const;
    // The last value that the axis of a picture may name which is drawn as far as `drawn`, for the words behind the
    // bars.
    [[nodiscard]] double axisEnd(double drawn) const;
    bool operator==(const BarChart&) const = default;
};

// What the rows and the axis take in this style.
[[nodiscard]] double barChartHeight(const BarChart& chart, const PlotStyle& style);
// Bars begin at 0. Labels have a third of the width, and more where numbers and bars leave it; those that are longer
// are a point smaller, then cut so that they still differ.
void paintBarChart(QPainter& painter, const QRectF& area, const BarChart& chart, const PlotStyle& style);
// Of the axis below the bars.
[[nodiscard]] ChartTicks barTicks(const QRectF& area, const BarChart& chart, const PlotStyle& style);
// The bar whose row is there.
[[nodiscard]] std::optional<std::size_t> barAt(const QRectF& area, const BarChart& chart, const PlotStyle& style,
                                               QPointF at);

// On the screen: Up and Down go from bar to bar, Enter and a click choose one.
class BarView : public QWidget {
    Q_OBJECT

public:
    explicit BarView(const Look& look, QWidget* parent = nullptr);
    void setChart(BarChart chart);
    [[nodiscard]] const BarChart& chart() const { return chart_; }
    void setEmptyText(const QString& text);

signals:
    void chosen(std::size_t bar);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void describe();

    const Look& look_;
    BarChart chart_;
    QString emptyText_;
    std::size_t current_ = 0;
};

}  // namespace dasgd::gui
