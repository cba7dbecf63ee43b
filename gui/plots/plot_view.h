// Curves on axes, in the window and on paper. Hides the plotting library: no other header of ours names it.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/result.h"
#include "gui/models/compare.h"
#include "gui/models/series.h"
#include "gui/theme/theme.h"

namespace dasgd::gui {

struct Curve {
    QString name;
    CurveStyle style;
    Polyline line;                  // as drawn
    std::optional<Polyline> raw;    // drawn faint behind the smoothed line
    std::vector<double> deviation;  // where not empty: a band line ± deviation
    bool primary = false;           // drawn last and a little stronger
};

struct PlotAxes {
    QString x, y;
    bool logY = false;
    bool fromZero = false;  // y starts at 0 where it is linear
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

class PlotCanvas;

class PlotView : public QWidget {
    Q_OBJECT

public:
    explicit PlotView(const Look& look, QWidget* parent = nullptr);
    ~PlotView() override;

    void setAxes(const PlotAxes& axes);
    void setCurves(std::vector<Curve> curves);
    // The part of x that the timeline shows, tinted; nullopt: none.
    void setBand(std::optional<std::pair<double, double>> band);
    void setEmptyText(const QString& text);
    [[nodiscard]] const std::vector<Curve>& curves() const { return curves_; }

signals:
    void clickedAt(double x);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void restyle();
    void readOut(QPointF at, QPoint global);

    const Look& look_;
    std::unique_ptr<PlotCanvas> canvas_;
    std::vector<Curve> curves_;
    PlotAxes axes_;
    QString emptyText_;
};

// One figure as files. Width and height in inches; the page has the size of the figure, in points.
struct PaperFigure {
    std::vector<Curve> curves;
    PlotAxes axes;
    double widthIn = 5.5, heightIn = 2.6;
};
// Writes PDF, SVG or PNG (300 dpi) by the file's suffix. Errors: a file that cannot be written.
[[nodiscard]] Status writeFigure(const PaperFigure& figure, const QString& file);

}  // namespace dasgd::gui
