#include "gui/kit/plots/plot_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/kit/plots/plot_canvas.h"
#include "gui/kit/plots/plot_zoom.h"
#include "gui/kit/theme/paper.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr double kGrabPixels = 14;
constexpr int kAroundArea = 60;  // estimated height of legend and labels, before the plot was first drawn

constexpr std::size_t kMostRead = 12;  // most curves in the words at the cursor

// Index of the point nearest to x; the line has at least one.
std::size_t nearest(const Polyline& line, double x) {
    const auto next = std::lower_bound(line.x.begin(), line.x.end(), x);
    if (next == line.x.end()) return line.x.size() - 1;
    const bool before = next != line.x.begin() && x - *(next - 1) < *next - x;
    return static_cast<std::size_t>(next - line.x.begin()) - (before ? 1 : 0);
}

// The unit in a title's brackets with a space before it: " %" for "test accuracy [%], simulated"; "" without brackets.
QString unitIn(const QString& title) {
    const auto open = title.indexOf(QLatin1Char('[')), close = title.indexOf(QLatin1Char(']'), open);
    return open < 0 || close < 0 ? QString() : QLatin1Char(' ') + title.mid(open + 1, close - open - 1);
}

QPointF valueOf(const Curve& curve, std::size_t point) { return {curve.line.x[point], curve.line.y[point]}; }

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

PlotView::PlotView(const Look& look, int leastArea) : look_(look), canvas_(std::make_unique<PlotCanvas>(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 1);  // room for the frame that shows the focus
    layout->addWidget(&canvas_->plot());
    setFocusPolicy(Qt::StrongFocus);
    canvas_->plot().setFocusPolicy(Qt::NoFocus);
    canvas_->plot().installEventFilter(this);
    canvas_->plot().setMouseTracking(true);
    zoom_ = new PlotZoom(canvas_->plot(), *this);
    connect(zoom_, &PlotZoom::changed, this, [this] { canvas_->draw(false); });
    connect(zoom_, &PlotZoom::fitted, this, &PlotView::redraw);
    connect(zoom_, &PlotZoom::clicked, this, &PlotView::clicked);
    connect(&look_, &Look::changed, this, &PlotView::restyle);
    restyle();
    if (leastArea == 0) return;
    setMinimumHeight(leastArea + kAroundArea);
    // Queued: a plot resized while it draws would not draw itself again for its new size.
    connect(
        &canvas_->plot(), &QCustomPlot::afterReplot, this,
        [this, leastArea] { setMinimumHeight(leastArea + height() - areaHeight()); }, Qt::QueuedConnection);
}

PlotView::~PlotView() = default;

void PlotView::restyle() {
    canvas_->style(screenPlotStyle(look_.theme()));
    canvas_->axes(axes_);
    redraw();
}

void PlotView::fitNames() {
    canvas_->fitLegend(width());
    canvas_->fitYLabel(height() - kAroundArea);
}

void PlotView::redraw() {
    canvas_->curves(curves_);
    fitNames();
    const bool stands =
        marked_ && marked_->curve < curves_.size() && marked_->point < curves_[marked_->curve].line.x.size();
    canvas_->mark(stands ? std::optional(valueOf(curves_[marked_->curve], marked_->point)) : std::nullopt,
                  look_.theme().accent);
    zoom_->restore();
    canvas_->draw(false);
}

BandEnds bandAt(const Curve& curve, std::size_t point, const PlotAxes& axes) {
    const double mean = curve.line.y[point], half = curve.deviation[point];
    BandEnds band{mean - half, mean + half};
    if (!std::isfinite(half)) return band;
    // A symmetrical interval may leave 0 to 100 and is cut there; a mean outside of that range keeps its interval.
    constexpr double kWhole = 100;
    if (axes.share && mean >= 0 && mean <= kWhole) band = {std::max(band.low, 0.0), std::min(band.high, kWhole)};
    return band;
}

double leastShown(const Curve& curve, std::size_t point, const PlotAxes& axes) {
    const double low = bandAt(curve, point, axes).low;
    return axes.logY && std::isfinite(low) ? std::max(low, curve.line.y[point] / 10) : low;
}

QString bandsAtZeroInWords(const std::vector<Curve>& curves, const PlotAxes& axes) {
    const auto reachesZero = [&](const Curve& curve) {
        for (std::size_t i = 0; i < curve.deviation.size(); ++i) {
            if (curve.line.y[i] > 0 && bandAt(curve, i, axes).low <= 0) return true;
        }
        return false;
    };
    if (!axes.logY || !std::ranges::any_of(curves, reachesZero)) return {};
    QStringList names;
    for (const Curve& curve : curves) {
        if (reachesZero(curve)) names << curve.name;
    }
    constexpr qsizetype kMostNamed = 2;
    const QString of =
        names.size() > kMostNamed ? QStringLiteral("%1 curves").arg(names.size()) : names.join(QStringLiteral(" and "));
    return QStringLiteral("interval reaches 0, which a log axis lacks: of ") + of;
}

std::optional<double> logAxisEnd(const std::vector<Curve>& curves, const PlotAxes& axes) {
    if (bandsAtZeroInWords(curves, axes).isEmpty()) return std::nullopt;
    double end = std::numeric_limits<double>::infinity();
    for (const Curve& curve : curves) {
        for (std::size_t i = 0; i < curve.line.y.size(); ++i) {
            const double least = curve.deviation.empty() ? curve.line.y[i] : leastShown(curve, i, axes);
            for (const double y : {curve.line.y[i], least}) end = y > 0 ? std::min(end, y) : end;
        }
    }
    return end;
}

void PlotView::setAxes(const PlotAxes& axes) {
    // A zoom of the old axes means nothing on the new ones.
    if (axes.x != axes_.x || axes.y != axes_.y || axes.logY != axes_.logY) {
        setCursorAt(std::nullopt);
        axes_ = axes;
        zoom_->fit();
    }
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
        const auto kind = curves_[curve].kind;
        if (kind != Curve::Kind::Points && kind != Curve::Kind::Scatter) continue;
        for (std::size_t point = 0; point < curves_[curve].line.x.size(); ++point) {
            const double far = QLineF(at, positionOf({curve, point})).length();
            if (far > least) continue;
            least = far;
            nearest = PointPlace{curve, point};
        }
    }
    return nearest;
}

void PlotView::setBand(std::optional<PlotBand> band) {
    const auto pixel = [this](double x) { return std::lround(canvas_->plot().xAxis->coordToPixel(x)); };
    const auto ends = band ? std::optional(std::pair(band->low, band->high)) : std::nullopt;
    const auto at = ends ? std::optional(std::pair(pixel(ends->first), pixel(ends->second))) : std::nullopt;
    const QString name = band ? band->name : QString(), before = band_ ? band_->name : QString();
    band_ = std::move(band);
    if (name != before) canvas_->nameBand(name);
    canvas_->band(ends, at != std::exchange(bandAt_, at));
    if (name != before) redraw();
}

QStringList PlotView::legendNames() const { return canvas_->legendNames(); }

double PlotView::drawMs() const { return canvas_->plot().replotTime(); }

int PlotView::areaHeight() const { return canvas_->plot().axisRect()->height(); }

void PlotView::setEmptyText(const QString& text) { emptyText_ = text; }

void PlotView::resizeEvent(QResizeEvent*) {
    canvas_->plot().setBufferDevicePixelRatio(devicePixelRatioF());
    fitNames();
}

void PlotView::paintEvent(QPaintEvent*) {
    if (!hasFocus()) return;
    QPainter painter(this);
    painter.setPen(look_.theme().accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

PlotPart PlotView::shown() const {
    const QCPRange x = canvas_->plot().xAxis->range(), y = canvas_->plot().yAxis->range();
    return {{x.lower, x.upper}, {y.lower, y.upper}, zoom_->zoomed()};
}

void PlotView::showAll() { zoom_->fit(); }

bool PlotView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonDblClick) {
        const auto place = pointAt(static_cast<QMouseEvent*>(event)->position());
        if (place) {
            emit pointOpened(*place);
            return true;
        }
    }
    if (zoom_->take(*event)) return true;
    if (event->type() == QEvent::MouseMove) {
        const auto* move = static_cast<QMouseEvent*>(event);
        readOut(move->position(), move->globalPosition().toPoint());
    } else if (event->type() == QEvent::Leave && !hasFocus()) {
        setCursorAt(std::nullopt);
    } else if (event->type() == QEvent::Paint && paintEmpty()) {
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

// Paints the empty text over the axes if no curve has points; true if it did.
bool PlotView::paintEmpty() {
    const auto bare = [](const Curve& curve) { return curve.line.x.empty(); };
    if (emptyText_.isEmpty() || !std::all_of(curves_.begin(), curves_.end(), bare)) return false;
    QPainter painter(&canvas_->plot());
    painter.fillRect(canvas_->plot().rect(), look_.theme().panel);
    painter.setPen(look_.theme().muted);
    painter.setFont(interFont(13));
    painter.drawText(canvas_->plot().rect(), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
    return true;
}

void PlotView::clicked(QPointF at) {
    if (!canvas_->plot().axisRect()->rect().contains(at.toPoint())) return;
    emit clickedAt(canvas_->plot().xAxis->pixelToCoord(at.x()));
    if (const auto place = pointAt(at)) emit pointClicked(*place);
}

void PlotView::keyPressEvent(QKeyEvent* event) {
    const bool sideways = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (sideways && event->modifiers() & Qt::ShiftModifier) return stepCursor(event->key() == Qt::Key_Left ? -1 : 1);
    if (event->key() == Qt::Key_Escape && cursor_) return setCursorAt(std::nullopt);
    if (!zoom_->takeKey(*event)) QWidget::keyPressEvent(event);
}

// The curve whose points the cursor snaps to.
const Curve* PlotView::reference() const {
    const auto found = std::find_if(curves_.begin(), curves_.end(), [](const Curve& curve) {
        return curve.kind != Curve::Kind::Guide && curve.kind != Curve::Kind::Scatter && !curve.line.x.empty();
    });
    return found == curves_.end() ? nullptr : &*found;
}

void PlotView::setCursorAt(std::optional<double> x) {
    if (x == cursor_) return;
    showCursor(x);
    emit cursorMoved(x);
}

void PlotView::showCursor(std::optional<double> x) {
    if (x == cursor_) return;
    cursor_ = x;
    canvas_->cursor(x);
    setAccessibleDescription(cursorInWords());
    if (!x) QToolTip::hideText();
}

void PlotView::stepCursor(int points) {
    const Curve* curve = reference();
    if (!curve) return;
    const auto last = static_cast<std::ptrdiff_t>(curve->line.x.size()) - 1;
    const auto [left, right] = shown().x;
    const auto from = static_cast<std::ptrdiff_t>(nearest(curve->line, cursor_.value_or((left + right) / 2)));
    const auto to = static_cast<std::size_t>(std::clamp(from + (cursor_ ? points : 0), std::ptrdiff_t{0}, last));
    setCursorAt(curve->line.x[to]);
    const QPoint at(static_cast<int>(canvas_->plot().xAxis->coordToPixel(*cursor_)), height() / 3);
    if (tips_) QToolTip::showText(canvas_->plot().mapToGlobal(at), asTip(cursorInWords()), this);
}

QString PlotView::cursorInWords() const {
    if (!cursor_) return {};
    const QString unit = unitIn(axes_.y);
    QStringList lines;
    std::size_t more = 0;
    for (const Curve& curve : curves_) {
        const auto& xs = curve.line.x;
        if (xs.empty() || *cursor_ < xs.front() || *cursor_ > xs.back()) continue;
        if (static_cast<std::size_t>(lines.size()) == kMostRead) {
            ++more;
            continue;
        }
        const std::size_t at = nearest(curve.line, *cursor_);
        const QString count = curve.n.size() == xs.size() ? QStringLiteral("  n = %1").arg(curve.n[at]) : QString();
        lines << curve.name + QStringLiteral("  ") + shortNumber(curve.line.y[at]) + unit + count;
    }
    if (more > 0) lines << QStringLiteral("and %1 more").arg(more);
    const QString x = axes_.wholeX ? grouped(std::llround(*cursor_)) : shortNumber(*cursor_);
    lines.prepend(axes_.x + QLatin1Char(' ') + x);
    return lines.join(QLatin1Char('\n'));
}

// Shows a tool tip: the words of the point under the pointer, or without setPointWords() the values of all curves
// there.
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
    const Curve* curve = reference();
    if (!curve || !canvas_->plot().axisRect()->rect().contains(at.toPoint())) return setCursorAt(std::nullopt);
    const double x = canvas_->plot().xAxis->pixelToCoord(at.x());
    setCursorAt(curve->line.x[nearest(curve->line, x)]);
    if (tips_) QToolTip::showText(global + QPoint(14, 14), asTip(cursorInWords()), this);
}

}  // namespace dasgd::gui
