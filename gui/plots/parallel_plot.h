// Parallel coordinates: an axis each for settings and numbers, a line each for what has them. Painted from plain data,
// on the screen and on paper alike.
#pragma once

#include <QRectF>
#include <QStringList>
#include <QWidget>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/plots/plot_view.h"

namespace dasgd::gui {

struct ParallelAxis {
    enum class Kind { Number, Log, Category };
    std::string key;  // tells it from the other axes of its plot; "": the title does
    QString title;    // short
    QString full;     // with unit and origin, for paper; "": the title says it
    Kind kind = Kind::Number;
    QStringList categories;    // of Category: the value of a line is a place in here
    double low = 0, high = 1;  // of the others
    bool operator==(const ParallelAxis&) const = default;
};

struct ParallelLine {
    QString name;
    CurveStyle style;
    std::vector<std::optional<double>> values;  // by axis; absent ones lie below the axis
    bool primary = false;
    bool hollow = false;  // of simulated time; on paper its markers say so
    bool operator==(const ParallelLine&) const = default;
};

// From and to, in the values of the axis; of categories from place to place.
using ParallelBrush = std::optional<std::pair<double, double>>;

struct ParallelPlot {
    std::vector<ParallelAxis> axes;
    std::vector<ParallelLine> lines;
    std::vector<ParallelBrush> brushes;  // by axis
    // Whether the line passes every brush; what an axis lacks does not pass a brush of it.
    [[nodiscard]] bool passes(const ParallelLine& line) const;
    // Whether a line has no number there.
    [[nodiscard]] bool hasGap(std::size_t axis) const;
    bool operator==(const ParallelPlot&) const = default;
};

void paintParallelPlot(QPainter& painter, const QRectF& area, const ParallelPlot& plot, const PlotStyle& style);
// 0 at the lower end of an axis, 1 at the upper one; nullopt of what is absent or no number.
[[nodiscard]] std::optional<double> parallelShare(const ParallelAxis& axis, const std::optional<double>& value);
// Where the axes of a plot stand and what heights values have on them. The words of the first axis are measured once,
// when it is made.
class ParallelScale {
public:
    ParallelScale(const QRectF& area, const ParallelPlot& plot, const PlotStyle& style);
    [[nodiscard]] double x(std::size_t axis) const;
    [[nodiscard]] double gap() const;  // from one axis to the next
    [[nodiscard]] double y(const ParallelAxis& axis, const std::optional<double>& value) const;
    [[nodiscard]] double valueAt(const ParallelAxis& axis, double y) const;
    [[nodiscard]] double wordRoom() const { return wordRoom_; }  // left of the first axis
    [[nodiscard]] double bottom() const { return bottom_; }      // of the axes
    [[nodiscard]] double top() const { return top_; }
    // 2 where a title is too long for one row: then every other one is in the lower row, and has twice the room.
    [[nodiscard]] int titleRows() const { return titleRows_; }

private:
    std::size_t axes_ = 0;
    int titleRows_ = 1;
    double wordRoom_ = 0, left_ = 0, right_ = 0, bottom_ = 0, top_ = 0, absent_ = 0, width_ = 0;
};

// On the screen: a drag along an axis brushes it, a click on it clears its brush. Left and Right go from axis to axis,
// Up and Down move the brush, Shift with them makes it larger or smaller, Escape clears it.
class ParallelView : public QWidget {
    Q_OBJECT

public:
    explicit ParallelView(const Look& look, QWidget* parent = nullptr);
    // Brushes of axes that stay are kept, and those of categories hold the same categories; a drag ends.
    void setPlot(ParallelPlot plot);
    [[nodiscard]] const ParallelPlot& plot() const { return plot_; }
    void setEmptyText(const QString& text);
    void clearBrushes();

signals:
    void brushed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    [[nodiscard]] QRectF area() const { return QRectF(rect()).adjusted(2, 2, -2, -2); }
    void brush(std::size_t axis, ParallelBrush part);
    void moveBrush(int up, bool resize);

    const Look& look_;
    ParallelPlot plot_;
    QString emptyText_;
    std::size_t current_ = 0;
    std::optional<double> pressedY_;
};

}  // namespace dasgd::gui
