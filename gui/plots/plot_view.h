// Curves on axes, in the window and on paper. Hides the plotting library: no other header of ours names it.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gui/models/live/curve.h"
#include "gui/theme/theme.h"

class QMouseEvent;
class QPainter;

namespace dasgd::gui {

struct PlotAxes {
    QString x, y;
    bool logY = false;
    bool fromZero = false;  // y starts at 0 where it is linear
    bool share = false;     // y is a percentage of a whole: no band leaves 0 to 100
    bool log2X = false;     // for numbers of workers
    bool wholeX = false;    // x counts: steps, samples
    bool legend = true;     // off where the page names the curves
};

// Where a curve's band ends at a point, on screen, on paper and in files: that of a share is held within 0 to 100. On a
// logarithmic axis `low` may not be positive: it is drawn down to the end of the axis. NaN where no deviation is known.
struct BandEnds {
    double low = 0, high = 0;
};
[[nodiscard]] BandEnds bandAt(const Curve& curve, std::size_t point, const PlotAxes& axes);
// How far down the axis has to go for it: a logarithmic one to the mean's tenth at most, however near to 0 it ends.
[[nodiscard]] double leastShown(const Curve& curve, std::size_t point, const PlotAxes& axes);
// That intervals reach 0, which a logarithmic axis does not have; "" where none does.
[[nodiscard]] QString bandsAtZeroInWords(const std::vector<Curve>& curves, const PlotAxes& axes);
// The lower end of a logarithmic axis to which such intervals are drawn; nullopt where none reaches 0.
[[nodiscard]] std::optional<double> logAxisEnd(const std::vector<Curve>& curves, const PlotAxes& axes);

// A point of a curve, by its places among the curves and in the curve.
struct PointPlace {
    std::size_t curve = 0, point = 0;
    bool operator==(const PointPlace&) const = default;
};

// How a figure is drawn: sizes in the device's unit, pixels of the screen or points of the page.
struct PlotStyle {
    QColor ground, grid, axis, text, muted;
    std::array<QColor, kCurveColors> curves;
    QFont font, legendFont;
    double line = 1.8, hair = 1, marker = 5;
    double rawOpacity = 0.3;
    bool frame = false;    // axis lines, as papers have them
    bool adaptive = true;  // thin by pixels while drawing; never on paper
};
[[nodiscard]] PlotStyle screenPlotStyle(const Theme& theme);
[[nodiscard]] PlotStyle paperPlotStyle();

// The sample of a curve of points as legends show it: its stroke with its marker in the middle.
void paintLineSample(QPainter& painter, const QRectF& area, const PlotStyle& style, CurveStyle curve, bool hollow);

// The marker in the middle of that sample.
void paintMarker(QPainter& painter, QPointF at, const PlotStyle& style, CurveStyle curve, bool hollow);

// Of more curves of lines than that, those on the screen are drawn by the pixel, and only the primary one has its band.
inline constexpr std::size_t kMostFine = 24;

class PlotCanvas;
class PlotZoom;

// Drag zooms, double click and 0 show everything; with the focus, or Ctrl, the wheel zooms, else it turns the page.
// Arrows pan, Shift and arrows move the cursor from point to point.
class PlotView : public QWidget {
    Q_OBJECT

public:
    explicit PlotView(const Look& look, QWidget* parent = nullptr);
    ~PlotView() override;

    void setAxes(const PlotAxes& axes);
    [[nodiscard]] const PlotAxes& axes() const { return axes_; }
    void setCurves(std::vector<Curve> curves);
    // The part of x that the timeline shows, tinted; nullopt: none.
    void setBand(std::optional<std::pair<double, double>> band);
    // What the band is called among the names of the curves, while there is one; "": nothing.
    void setBandName(const QString& name);
    [[nodiscard]] const QString& bandName() const { return bandName_; }
    // The names above the plot, from left to right, as they are drawn.
    [[nodiscard]] QStringList legendNames() const;
    [[nodiscard]] const std::optional<std::pair<double, double>>& band() const { return band_; }
    // How long the last picture took, on the UI thread.
    [[nodiscard]] double drawMs() const;
    // The least height of what is between the axes: names above it and what is told below it need room of their own.
    // Once, on a page that scrolls.
    void setLeastArea(int height);
    [[nodiscard]] int areaHeight() const;
    void setEmptyText(const QString& text);
    [[nodiscard]] const QString& emptyText() const { return emptyText_; }
    // What is said of a point under the pointer; for curves of points.
    void setPointWords(std::function<QString(PointPlace)> words) { pointWords_ = std::move(words); }
    // A ring around a point; nullopt: none.
    void mark(std::optional<PointPlace> place);
    // The point of a curve of points that is drawn within a few pixels of `at`, in the plot's coordinates.
    [[nodiscard]] std::optional<PointPlace> pointAt(QPointF at) const;
    // Where it is drawn.
    [[nodiscard]] QPointF positionOf(PointPlace place) const;
    [[nodiscard]] const std::vector<Curve>& curves() const { return curves_; }
    // The cursor's x: that of a recorded point, or where showCursor() has put it; nullopt where there is none.
    [[nodiscard]] std::optional<double> cursor() const { return cursor_; }
    // Puts the cursor where that of another plot stands; emits nothing.
    void showCursor(std::optional<double> x);
    // Whether what stands at the cursor is said beside it; off where a list beside the plot says it.
    void setTips(bool tips) { tips_ = tips; }
    // What stands at the cursor: the x, then a line for each curve; many are cut short. "" without a cursor.
    [[nodiscard]] QString cursorInWords() const;
    // The x that is shown, from left to right.
    [[nodiscard]] std::pair<double, double> shownX() const;
    // The y that is shown, from bottom to top.
    [[nodiscard]] std::pair<double, double> shownY() const;
    [[nodiscard]] bool zoomed() const;
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
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void restyle();
    void readOut(QPointF at, QPoint global);
    void clicked(QPointF at);
    void setCursorAt(std::optional<double> x);
    void stepCursor(int points);
    [[nodiscard]] const Curve* reference() const;
    bool paintEmpty();
    void fitNames();
    void redraw();

    const Look& look_;
    std::unique_ptr<PlotCanvas> canvas_;
    PlotZoom* zoom_;
    std::optional<double> cursor_;
    std::optional<std::pair<double, double>> band_;
    std::optional<std::pair<long, long>> bandAt_;  // pixels
    QString bandName_;
    bool tips_ = true;
    std::vector<Curve> curves_;
    PlotAxes axes_;
    QString emptyText_;
    std::function<QString(PointPlace)> pointWords_;
    std::optional<PointPlace> marked_;
};

}  // namespace dasgd::gui
