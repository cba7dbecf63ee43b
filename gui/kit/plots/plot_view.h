// Curves on axes, in the window and on paper. Headers outside of gui/kit/plots do not name the plotting library.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gui/kit/curves/curve.h"
#include "gui/kit/theme/theme.h"

class QMouseEvent;
class QPainter;

namespace dasgd::gui {

struct PlotAxes {
    QString x, y;
    bool logY = false;
    bool fromZero = false;  // y starts at 0, if it is linear
    bool share = false;     // y is a percentage of a whole; bands stay within 0 to 100
    bool log2X = false;     // x is logarithmic to base 2, for numbers of workers
    bool wholeX = false;    // x is a whole number: steps, samples
    bool legend = true;     // false where the page names the curves itself
};

// Ends of a curve's band at a point, on screen, on paper and in files; the band of a share is cut to 0 to 100. `low`
// may be 0 or less on a logarithmic axis; the band is then drawn down to the axis' end. NaN if no deviation is known.
struct BandEnds {
    double low = 0, high = 0;
};
[[nodiscard]] BandEnds bandAt(const Curve& curve, std::size_t point, const PlotAxes& axes);
// Lowest y that the axis must include for the band at a point: its lower end, on a logarithmic axis not below a tenth
// of the mean.
[[nodiscard]] double leastShown(const Curve& curve, std::size_t point, const PlotAxes& axes);
// Note that intervals of some curves reach 0, which a logarithmic axis cannot show; "" where none does.
[[nodiscard]] QString bandsAtZeroInWords(const std::vector<Curve>& curves, const PlotAxes& axes);
// Lower end of a logarithmic axis to which intervals that reach 0 are drawn; nullopt where none does.
[[nodiscard]] std::optional<double> logAxisEnd(const std::vector<Curve>& curves, const PlotAxes& axes);

// A point, by the index of its curve and its index in the curve.
struct PointPlace {
    std::size_t curve = 0, point = 0;
    bool operator==(const PointPlace&) const = default;
};

// Colours, fonts and sizes of a plot. Sizes in the device's unit: pixels of the screen or points of a page.
struct PlotStyle {
    QColor ground, grid, axis, text, muted;
    std::array<QColor, kCurveColors> curves;
    QFont font, legendFont;
    double line = 1.8, hair = 1, marker = 5;
    double rawOpacity = 0.3;
    bool frame = false;    // true draws axis lines, as on paper
    bool adaptive = true;  // true skips points that share a pixel; false on paper
};
[[nodiscard]] PlotStyle screenPlotStyle(const Theme& theme);
[[nodiscard]] PlotStyle paperPlotStyle();

// Paints the legend sample of a curve of points: its stroke with its marker in the middle.
void paintLineSample(QPainter& painter, const QRectF& area, const PlotStyle& style, CurveStyle curve, bool hollow);

// Paints a curve's marker, centred at `at`.
void paintMarker(QPainter& painter, QPointF at, const PlotStyle& style, CurveStyle curve, bool hollow);

// Largest number of line curves drawn one by one on the screen. More are drawn by DenseCurves, and only the primary one
// has a band.
inline constexpr std::size_t kMostFine = 24;

class PlotCanvas;
class PlotZoom;

// A tinted range of x.
struct PlotBand {
    double low = 0, high = 0;
    QString name;  // in the legend; "" leaves it out
    bool operator==(const PlotBand&) const = default;
};

// The visible ranges of the axes.
struct PlotPart {
    std::pair<double, double> x, y;
    bool zoomed = false;  // chosen by the user
};

// Plot widget. The accessible description has the values at the cursor. A drag zooms, double click and 0 show
// everything. The wheel zooms with the focus or Ctrl, else it scrolls the page. Arrows pan; Shift and arrows move the
// cursor from point to point.
class PlotView : public QWidget {
    Q_OBJECT

public:
    // `leastArea`: least areaHeight(), on a page that scrolls.
    explicit PlotView(const Look& look, int leastArea = 0);
    ~PlotView() override;

    void setAxes(const PlotAxes& axes);
    [[nodiscard]] const PlotAxes& axes() const { return axes_; }
    void setCurves(std::vector<Curve> curves);
    // Tints the range of x that the timeline shows; nullopt: no tint.
    void setBand(std::optional<PlotBand> band);
    // The names in the legend, from left to right, as they are drawn.
    [[nodiscard]] QStringList legendNames() const;
    [[nodiscard]] const std::optional<PlotBand>& band() const { return band_; }
    // Duration of the last replot in milliseconds, on the UI thread.
    [[nodiscard]] double drawMs() const;
    // Height of the area within the axes, without legend and labels.
    [[nodiscard]] int areaHeight() const;
    void setEmptyText(const QString& text);
    [[nodiscard]] const QString& emptyText() const { return emptyText_; }
    // Sets the tool tip text of a point under the pointer, for curves of points.
    void setPointWords(std::function<QString(PointPlace)> words) { pointWords_ = std::move(words); }
    // Draws a ring around a point; nullopt removes it.
    void mark(std::optional<PointPlace> place);
    // The point of a curve of points that is drawn within a few pixels of `at`, in the plot's coordinates.
    [[nodiscard]] std::optional<PointPlace> pointAt(QPointF at) const;
    // Position of a point in the plot's coordinates.
    [[nodiscard]] QPointF positionOf(PointPlace place) const;
    [[nodiscard]] const std::vector<Curve>& curves() const { return curves_; }
    // The cursor's x: that of a recorded point, or the one given to showCursor(); nullopt without a cursor.
    [[nodiscard]] std::optional<double> cursor() const { return cursor_; }
    // Moves the cursor to that of another plot; emits no signal.
    void showCursor(std::optional<double> x);
    // True shows the values at the cursor in a tool tip; false where a list beside the plot shows them.
    void setTips(bool tips) { tips_ = tips; }
    [[nodiscard]] PlotPart shown() const;
    void showAll();

signals:
    void cursorMoved(std::optional<double> x);
    void clickedAt(double x);
    void pointClicked(dasgd::gui::PointPlace place);
    void pointOpened(dasgd::gui::PointPlace place);  // double click

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void restyle();
    void readOut(QPointF at, QPoint global);
    void clicked(QPointF at);
    void setCursorAt(std::optional<double> x);
    void stepCursor(int points);
    [[nodiscard]] const Curve* reference() const;
    // Values at the cursor: the x, then a line for each of the first curves. "" without a cursor.
    [[nodiscard]] QString cursorInWords() const;
    bool paintEmpty();
    void fitNames();
    void redraw();

    const Look& look_;
    std::unique_ptr<PlotCanvas> canvas_;
    PlotZoom* zoom_;
    std::optional<double> cursor_;
    std::optional<PlotBand> band_;
    std::optional<std::pair<long, long>> bandAt_;  // ends of the band in pixels
    bool tips_ = true;
    std::vector<Curve> curves_;
    PlotAxes axes_;
    QString emptyText_;
    std::function<QString(PointPlace)> pointWords_;
    std::optional<PointPlace> marked_;
};

}  // namespace dasgd::gui
