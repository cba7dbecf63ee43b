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
    canvas_->curves(curves_);
    canvas_->draw(false);
}

void PlotView::setAxes(const PlotAxes& axes) {
    axes_ = axes;
    canvas_->axes(axes);
    canvas_->curves(curves_);
    canvas_->draw(false);
}

void PlotView::setCurves(std::vector<Curve> curves) {
    curves_ = std::move(curves);
    canvas_->curves(curves_);
    canvas_->draw(false);
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
        emit clickedAt(canvas_->plot().xAxis->pixelToCoord(static_cast<QMouseEvent*>(event)->position().x()));
    } else if (event->type() == QEvent::Paint && !emptyText_.isEmpty()) {
        const bool empty = std::all_of(curves_.begin(), curves_.end(), [](const Curve& c) { return c.line.x.empty(); });
        if (empty) {
            // Axes without a curve say nothing; the words do.
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

// The values of all curves at the pointer's x.
void PlotView::readOut(QPointF at, QPoint global) {
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
    QToolTip::showText(global + QPoint(12, 12), lines.join(QLatin1Char('\n')), this);
}

Status writeFigure(const PaperFigure& figure, const QString& file) {
    PlotCanvas canvas(nullptr);
    const std::unique_ptr<QCustomPlot> owner(&canvas.plot());
    const int width = static_cast<int>(std::lround(figure.widthIn * kPointsPerInch));
    const int height = static_cast<int>(std::lround(figure.heightIn * kPointsPerInch));
    canvas.style(paperPlotStyle());
    canvas.axes(figure.axes);
    canvas.plot().legend->setIconSize(20, 11);
    canvas.plot().legend->setColumnSpacing(8);
    canvas.curves(figure.curves);
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
