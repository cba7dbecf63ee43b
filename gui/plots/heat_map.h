// A number over two swept fields: cells in the colours of viridis with the value printed. Painted from plain data, on
// the screen and on paper alike.
#pragma once

#include <QRectF>
#include <QStringList>
#include <QWidget>
#include <limits>
#include <optional>
#include <vector>

#include "gui/plots/plot_view.h"

namespace dasgd::gui {

struct HeatCell {
    std::optional<double> value;  // absent: hatched
    QString text, under;          // "17.9", "n 5"
    bool incomplete = false;      // fewer runs than in other cells: a corner is marked
    bool primary = false;         // framed
    QString words;                // all of it, for the pointer and for readers
    bool operator==(const HeatCell&) const = default;
};

struct HeatMap {
    QStringList rows, columns;    // what stands beside and below: "τ 4", "d 3"
    std::vector<HeatCell> cells;  // row by row
    QString title;                // the number with its unit
    bool lowIsGood = false;       // the bright end of the colours is the small one
    double noise = 0;             // standard error of a cell's mean over seeds; 0 where none is known
    bool exact = false;           // no seed would change a cell: any difference is one
    double whole = 0;             // what shares are parts of, 100 of percentages; 0 of other numbers
    [[nodiscard]] std::size_t placeOf(std::size_t row, std::size_t column) const {
        return row * static_cast<std::size_t>(columns.size()) + column;
    }
    bool operator==(const HeatMap&) const = default;
};

// The ends of the colours: one value where all cells say the same number, as colours would tell apart what is rounding.
// Where the cells differ by less than four times the noise or, where none is known, by less than 2 % of their middle,
// the ends lie that far apart around them: what can hardly be told apart has nearly one colour. Of shares it is 2 % of
// what their middle lacks to the whole where that is less, as 99 % is twice as good as 98 %. Exact cells have the ends
// that they have. `low` is above `high` where no cell has a value.
struct HeatEnds {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    bool widened = false;
    // On the scale of viridis.
    [[nodiscard]] double shareOf(double value, bool lowIsGood) const;
};
[[nodiscard]] HeatEnds endsOf(const HeatMap& map);
// "cells hardly differ: the colours span 2 % of the value, more than the cells do"; "" where they span what these do.
[[nodiscard]] QString widenedInWords(const HeatMap& map);

// 0 … 1 on the scale of viridis.
[[nodiscard]] QColor viridis(double share);

void paintHeatMap(QPainter& painter, const QRectF& area, const HeatMap& map, const PlotStyle& style);
[[nodiscard]] std::optional<std::size_t> heatCellAt(const QRectF& area, const HeatMap& map, const PlotStyle& style,
                                                    QPointF at);

// On the screen: arrows go from cell to cell, Enter and a click choose one, the pointer says all of it.
class HeatMapView : public QWidget {
    Q_OBJECT

public:
    explicit HeatMapView(const Look& look, QWidget* parent = nullptr);
    void setMap(HeatMap map);
    [[nodiscard]] const HeatMap& map() const { return map_; }
    void setEmptyText(const QString& text);

signals:
    void chosen(std::size_t cell);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void goTo(std::size_t row, std::size_t column);

    const Look& look_;
    HeatMap map_;
    QString emptyText_;
    std::size_t row_ = 0, column_ = 0;
};

}  // namespace dasgd::gui
