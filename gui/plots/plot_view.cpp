#include "gui/plots/plot_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/models/words.h"
#include "gui/plots/outlined_svg.h"
#include "gui/plots/plot_canvas.h"
#include "gui/theme/paper.h"

namespace dasgd::gui {

namespace {

constexpr double kGrabPixels = 14;
constexpr int kLegendRow = 12;      // points, on paper
constexpr double kLegendIcon = 34;  // with the space around it

QPointF valueOf(const Curve& curve, std::size_t point) { return {curve.line.x[point], curve.line.y[point]}; }

// As many as the longest name leaves room for.
int legendColumns(const std::vector<Curve>& curves, int width) {
    const QFontMetricsF metrics(paperPlotStyle().legendFont);
    double longest = 1;
    for (const Curve& curve : curves) longest = std::max(longest, metrics.horizontalAdvance(curve.name));
    return std::clamp(static_cast<int>(width / (longest + kLegendIcon)), 1, 4);
}

}  // namespace

PlotStyle screenPlotStyle(const Theme& theme) {
    return {.ground = theme.panel,
            .grid = theme.grid,
            .axis = theme.line,
            .text = theme.text,
            .muted = theme.muted,
            .curves = theme.curves,
            .font = interFont(11),
            .legendFont = interFont(11.5)};
}

PlotStyle paperPlotStyle() {
    PlotStyle style = screenPlotStyle(paperTheme());
    style.font = interFont(8);
    style.legendFont = interFont(8);
    style.line = 1.1;
    style.hair = 0.5;
    style.marker = 3.6;
    style.rawOpacity = 0.25;
    style.frame = true;
    style.adaptive = false;
    return style;
}

PlotView::PlotView(const Look& look, QWidget* parent)
    : QWidget(parent), look_(look), canvas_(std::make_unique<PlotCanvas>(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(&canvas_->plot());
    canvas_->plot().installEventFilter(this);
    canvas_->plot().setMouseTracking(true);
    connect(&look_, &Look::changed, this, &PlotView::restyle);
    restyle();
}

PlotView::~PlotView() = default;

void PlotView::restyle() {
    canvas_->style(screenPlotStyle(look_.theme()));
    canvas_->axes(axes_);
    redraw();
}

void PlotView::redraw() {
    canvas_->curves(curves_);
    const bool stands =
        marked_ && marked_->curve < curves_.size() && marked_->point < curves_[marked_->curve].line.x.size();
    canvas_->mark(stands ? std::optional(valueOf(curves_[marked_->curve], marked_->point)) : std::nullopt,
                  look_.theme().accent);
    canvas_->draw(false);
}

void PlotView::setAxes(const PlotAxes& axes) {
    axes_ = axes;
    canvas_->axes(axes);
    redraw();
}

void PlotView::setCurves(std::vector<Curve> curves) {
    curves_ = std::move(curves);
    redraw();
}

void PlotView::mark(std::optional<PointPlace> place) {
    if (place == marked_) return;
    marked_ = place;
    redraw();
}

QPointF PlotView::positionOf(PointPlace place) const {
    const QPointF value = valueOf(curves_[place.curve], place.point);
    return {canvas_->plot().xAxis->coordToPixel(value.x()), canvas_->plot().yAxis->coordToPixel(value.y())};
}

std::optional<PointPlace> PlotView::pointAt(QPointF at) const {
    std::optional<PointPlace> nearest;
    double least = kGrabPixels;
    for (std::size_t curve = 0; curve < curves_.size(); ++curve) {
        if (curves_[curve].kind != Curve::Kind::Points) continue;
        for (std::size_t point = 0; point < curves_[curve].line.x.size(); ++point) {
            const double far = QLineF(at, positionOf({curve, point})).length();
            if (far > least) continue;
            least = far;
            nearest = PointPlace{curve, point};
        }
    }
    return nearest;
}

void PlotView::setBand(std::optional<std::pair<double, double>> band) {
    canvas_->band(band);
    canvas_->draw(false);
}

void PlotView::setEmptyText(const QString& text) { emptyText_ = text; }

void PlotView::resizeEvent(QResizeEvent*) { canvas_->plot().setBufferDevicePixelRatio(devicePixelRatioF()); }

void PlotView::paintEvent(QPaintEvent*) {}

bool PlotView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseMove) {
        const auto* move = static_cast<QMouseEvent*>(event);
        readOut(move->position(), move->globalPosition().toPoint());
    } else if (event->type() == QEvent::MouseButtonPress) {
        pressed(*static_cast<QMouseEvent*>(event));
    } else if (event->type() == QEvent::MouseButtonDblClick) {
        const auto place = pointAt(static_cast<QMouseEvent*>(event)->position());
        if (place) emit pointOpened(*place);
    } else if (event->type() == QEvent::Paint && !emptyText_.isEmpty()) {
        const bool empty = std::all_of(curves_.begin(), curves_.end(), [](const Curve& c) { return c.line.x.empty(); });
        if (empty) {
            // Without a curve the axes are hidden and a text is shown.
            QPainter painter(&canvas_->plot());
            painter.fillRect(canvas_->plot().rect(), look_.theme().panel);
            painter.setPen(look_.theme().muted);
            painter.setFont(interFont(13));
            painter.drawText(canvas_->plot().rect(), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void PlotView::pressed(const QMouseEvent& event) {
    emit clickedAt(canvas_->plot().xAxis->pixelToCoord(event.position().x()));
    if (const auto place = pointAt(event.position())) emit pointClicked(*place);
}

// What the point under the pointer stands for; of curves without points, the values of all at the pointer's x.
void PlotView::readOut(QPointF at, QPoint global) {
    if (pointWords_) {
        const auto place = pointAt(at);
        canvas_->plot().setCursor(place ? Qt::PointingHandCursor : Qt::ArrowCursor);
        if (place) {
            QToolTip::showText(global + QPoint(14, 14), asTip(pointWords_(*place)), this);
        } else {
            QToolTip::hideText();
        }
        return;
    }
    const double x = canvas_->plot().xAxis->pixelToCoord(at.x());
    QStringList lines;
    for (const Curve& curve : curves_) {
        const auto& xs = curve.line.x;
        if (xs.empty() || x < xs.front() || x > xs.back()) continue;
        const auto next = std::lower_bound(xs.begin(), xs.end(), x) - xs.begin();
        lines << QStringLiteral("%1  %2").arg(curve.name, shortNumber(curve.line.y[static_cast<std::size_t>(next)]));
    }
    if (lines.isEmpty() || !canvas_->plot().axisRect()->rect().contains(at.toPoint())) {
        QToolTip::hideText();
        return;
    }
    lines.prepend(axes_.x + QLatin1Char(' ') + shortNumber(x));
    QToolTip::showText(global + QPoint(12, 12), asTip(lines.join(QLatin1Char('\n'))), this);
}

Status writeFigure(const PaperFigure& figure, const QString& file) {
    PlotCanvas canvas(nullptr);
    const std::unique_ptr<QCustomPlot> owner(&canvas.plot());
    const int width = static_cast<int>(std::lround(figure.widthIn * kPointsPerInch));
    int height = static_cast<int>(std::lround(figure.heightIn * kPointsPerInch));
    canvas.style(paperPlotStyle());
    canvas.axes(figure.axes);
    canvas.plot().legend->setIconSize(20, 11);
    canvas.plot().legend->setColumnSpacing(8);
    const int columns = legendColumns(figure.curves, width);
    canvas.plot().legend->setWrap(columns);
    canvas.curves(figure.curves);
    // Rows of the legend are added to the figure, not taken from the plot.
    const int rows = (canvas.plot().legend->itemCount() + columns - 1) / columns;
    height += std::max(0, rows - 2) * kLegendRow;
    const bool isSvg = file.endsWith(QLatin1String(".svg"));
    if (isSvg) {
        return writeOutlinedSvg(file, width, height, [&](QPaintDevice& device) {
            QCPPainter painter(&device);
            painter.setMode(QCPPainter::pmVectorized);
            painter.setMode(QCPPainter::pmNoCaching);
            canvas.plot().toPainter(&painter, width, height);
        });
    }
    const bool done = file.endsWith(QLatin1String(".pdf"))
                          ? canvas.plot().savePdf(file, width, height, QCP::epNoCosmetic, QStringLiteral("DaSGD Lab"))
                          : canvas.plot().savePng(file, width, height, kPngScale, -1, kPngDpi);
    if (!done) return fail(file.toStdString() + ": cannot be written. Choose another --out folder.");
    return {};
}

}  // namespace dasgd::gui
