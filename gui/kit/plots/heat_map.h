// Heat map of a number over two swept fields: cells coloured by viridis with the value printed. Painted from plain
// data, on the screen and on paper alike.
#pragma once

#include <QRectF>
#include <QStringList>
#include <limits>
#include <optional>
#include <vector>

#include "gui/kit/plots/chart_view.h"

namespace dasgd::gui {

struct HeatCell {
    std::optional<double> value;  // if absent, the cell is hatched
    QString text, under;          // printed value and a line below it: "17.9", "n 5"
    bool incomplete = false;      // true if it has fewer runs than other cells; a corner is marked
    bool primary = false;         // true if the cell is framed
    QString words;                // full description, for the tool tip and for screen readers
    bool operator==(const HeatCell&) const = default;
};

struct HeatMap {
    QStringList rows, columns;    // labels beside and below the cells: "τ 4", "d 3"
    std::vector<HeatCell> cells;  // row by row
    QString title;                // the number with its unit
    bool lowIsGood = false;       // true if small values get the bright end of the colours
    double noise = 0;             // standard error of a cell's mean over seeds; 0 if not known
    bool exact = false;           // true if the number does not depend on the seed, so that every difference counts
    double whole = 0;             // largest value of a share, 100 for percentages; 0 for other numbers
    [[nodiscard]] std::size_t placeOf(std::size_t row, std::size_t column) const {
        return row * static_cast<std::size_t>(columns.size()) + column;
    }
    bool operator==(const HeatMap&) const = default;
};

// Values at the ends of the colour scale. They span the cells' values, but at least four times the noise or, if that is
// not known, 2 % of the middle value, so that cells which hardly differ get nearly one colour. For a share the 2 % are
// taken of its distance to the whole if that is less: 99 % is twice as good as 98 %. Exact cells are not widened. Both
// ends are equal if all cells show the same number; `low` is above `high` if no cell has a value.
struct HeatEnds {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool widened = false;
    // Position of a value on the colour scale, 0 to 1.
    [[nodiscard]] double shareOf(double value, bool lowIsGood) const;
};
[[nodiscard]] HeatEnds endsOf(const HeatMap& map);
// "cells hardly differ: the colours span 2 % of the value, more than the cells do"; "" if the scale is not widened.
[[nodiscard]] QString widenedInWords(const HeatMap& map);

// Colour at position 0 … 1 of the viridis scale.
[[nodiscard]] QColor viridis(double share);

void paintHeatMap(QPainter& painter, const QRectF& area, const HeatMap& map, const PlotStyle& style);
[[nodiscard]] std::optional<std::size_t> heatCellAt(const QRectF& area, const HeatMap& map, const PlotStyle& style,
                                                    QPointF at);

// Heat map as a widget: arrows move from cell to cell, Enter and a click choose one, a tool tip describes it in full.
class HeatMapView : public ChartView {
    Q_OBJECT

public:
    explicit HeatMapView(const Look& look) : ChartView(look) { setMouseTracking(true); }
    void setMap(HeatMap map);
    [[nodiscard]] const HeatMap& map() const { return map_; }

signals:
    void chosen(std::size_t cell);
    void opened(std::size_t cell);  // double click

protected:
    [[nodiscard]] bool isEmpty() const override { return map_.cells.empty(); }
    void paintChart(QPainter& painter, const PlotStyle& style) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void goTo(std::size_t row, std::size_t column);

    HeatMap map_;
    std::size_t row_ = 0, column_ = 0;
};

}  // namespace dasgd::gui
