#include "gui/figures/figure_preview.h"

#include <QPainter>
#include <QScreen>
#include <algorithm>
#include <cmath>

namespace dasgd::gui {

namespace {

constexpr double kPoints = 72;    // points per inch
constexpr double kMarginPt = 34;  // white margin at either side of the column, in points
constexpr double kRulerHeight = 34, kDeskGap = 14;
constexpr double kUsualDots = 96, kLeastDots = 60, kMostDots = 400;
constexpr double kLeading = 1.2;  // line distance as a multiple of the text's size
constexpr int kLinesAround = 3;
const QColor kSheetInk(0x1b, 0x1e, 0x24);

// Filler text around the figure; it describes itself, so that it is not taken for a part of a paper.
const QString kAbove = QStringLiteral(
    "These lines are set at the size of the venue’s body text, in a column of its width, so that the type, the strokes "
    "and "
    "the width of the figure below can be judged as they will be printed, without a paper around it.");
const QString kBelow = QStringLiteral(
    "A label that is hard to read here is hard to read in print. LaTeX must not scale the figure: include it without a "
    "width, and its text keeps the size that it has on this sheet.");

}  // namespace

FigurePreview::FigurePreview(const Look& look, QWidget* parent) : QWidget(parent), look_(look) {
    setAccessibleName(tr("Preview"));
    setFocusPolicy(Qt::StrongFocus);
    connect(&look_, &Look::changed, this, qOverload<>(&QWidget::update));
}

double FigurePreview::dotsPerInch() const {
    const double dots = screen() ? screen()->physicalDotsPerInch() : kUsualDots;
    return dots >= kLeastDots && dots <= kMostDots ? dots : kUsualDots;
}

double FigurePreview::pixelsPerPoint() const { return dotsPerInch() / kPoints * zoom_; }

void FigurePreview::setFigure(const QImage& image, QSizeF size, const Venue& venue, const QString& caption) {
    image_ = image;
    size_ = size;
    venue_ = &venue;
    caption_ = caption;
    title_.clear();
    setAccessibleDescription(
        tr("%1 by %2 inches").arg(size.width() / kPoints, 0, 'f', 2).arg(size.height() / kPoints, 0, 'f', 2));
    setMinimumSize(sizeHint());
    updateGeometry();
    update();
}

void FigurePreview::setWords(const QString& title, const QString& words) {
    image_ = {};
    venue_ = nullptr;
    title_ = title;
    words_ = words;
    setAccessibleDescription(title + QLatin1Char(' ') + words);
    setMinimumSize(0, 0);
    updateGeometry();
    update();
}

void FigurePreview::setZoom(double zoom) {
    zoom_ = zoom;
    if (venue_) setMinimumSize(sizeHint());
    updateGeometry();
    update();
}

void FigurePreview::setGrey(bool grey) {
    isGrey_ = grey;
    update();
}

QFont FigurePreview::bodyFont(double points) const {
    QFont font;
    font.setFamilies({QStringLiteral("Nimbus Roman"), QStringLiteral("Liberation Serif"),
                      QStringLiteral("Times New Roman"), QStringLiteral("DejaVu Serif")});
    font.setStyleHint(QFont::Serif);
    font.setPixelSize(std::max(1, static_cast<int>(std::lround(points * pixelsPerPoint()))));
    return font;
}

QSize FigurePreview::sizeHint() const {
    if (!venue_) return {320, 240};
    const double scale = pixelsPerPoint();
    const double lines = 4 * kLinesAround + 3;
    return QSizeF((size_.width() + 2 * kMarginPt) * scale + 2 * kDeskGap,
                  (size_.height() + lines * venue_->bodyPt * kLeading) * scale + kRulerHeight + 2 * kDeskGap)
        .toSize();
}

QRectF FigurePreview::sheet() const {
    const double wide = (size_.width() + 2 * kMarginPt) * pixelsPerPoint();
    const double left = std::max(kDeskGap, (width() - wide) / 2);
    return {std::floor(left), kRulerHeight + kDeskGap, wide,
            std::max(0.0, height() - kRulerHeight - kDeskGap - kDeskGap)};
}

void FigurePreview::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (venue_) {
        paintSheet(painter);
    } else {
        paintWords(painter);
    }
}

void FigurePreview::paintWords(QPainter& painter) const {
    const Theme& theme = look_.theme();
    const QRectF area = QRectF(rect()).adjusted(40, 0, -40, 0);
    const double middle = area.center().y();
    painter.setPen(theme.text);
    painter.setFont(interFont(18, Weight::SemiBold));
    painter.drawText(QRectF(area.left(), middle - 40, area.width(), 30), Qt::AlignCenter, title_);
    painter.setPen(theme.muted);
    painter.setFont(interFont(13));
    painter.drawText(QRectF(area.left(), middle - 4, area.width(), 120),
                     Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, words_);
}

void FigurePreview::paintRuler(QPainter& painter, const QRectF& area, double left, double width) const {
    const Theme& theme = look_.theme();
    const double inch = dotsPerInch() * zoom_;
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(area, 4, 4);
    QColor tint = theme.accent;
    tint.setAlphaF(0.14F);
    painter.fillRect(QRectF(left, area.top() + 1, width, area.height() - 2), tint);
    painter.setFont(interFont(11));
    for (int tenth = 0; tenth * inch / 10 <= width + 0.5; ++tenth) {
        const double x = left + tenth * inch / 10;
        const bool whole = tenth % 10 == 0;
        painter.setPen(QPen(theme.muted, 1));
        painter.drawLine(QPointF(x, area.bottom() - (whole            ? 9
                                                     : tenth % 5 == 0 ? 6
                                                                      : 4)),
                         QPointF(x, area.bottom() - 1));
        const bool room = left + width - x > 56;
        if (whole && room) {
            painter.drawText(QRectF(x + 3, area.top() + 2, 40, 14), Qt::AlignLeft | Qt::AlignVCenter,
                             tenth == 0 ? tr("0 in") : QString::number(tenth / 10));
        }
    }
    painter.setPen(theme.accent);
    painter.setFont(interFont(11, Weight::SemiBold));
    painter.drawText(QRectF(left + width - 60, area.top() + 2, 57, 14), Qt::AlignRight | Qt::AlignVCenter,
                     tr("%1 in").arg(size_.width() / kPoints, 0, 'f', 2));
}

double FigurePreview::paintText(QPainter& painter, QRectF area, const QString& text, double points) const {
    painter.setFont(bodyFont(points));
    painter.setPen(kSheetInk);
    QRectF used;
    painter.drawText(area, Qt::AlignJustify | Qt::TextWordWrap | Qt::TextDontClip, text, &used);
    return used.bottom();
}

void FigurePreview::paintSheet(QPainter& painter) const {
    const Theme& theme = look_.theme();
    const double scale = pixelsPerPoint();
    const QRectF page = sheet();
    const QRectF column(std::round(page.left() + kMarginPt * scale), page.top(), size_.width() * scale, page.height());
    paintRuler(painter, {page.left(), kDeskGap / 2, page.width(), kRulerHeight - 6}, column.left(), column.width());
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(Qt::white);
    painter.drawRect(page);
    painter.setClipRect(page);
    const double body = venue_->bodyPt;
    double y = paintText(painter, {column.left(), page.top() + body * 1.6 * scale, column.width(), 0}, kAbove, body);
    y += body * 0.6 * scale;
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    const QRectF place(column.left(), std::round(y), size_.width() * scale, size_.height() * scale);
    painter.drawImage(place, isGrey_ ? image_.convertToFormat(QImage::Format_Grayscale8) : image_);
    y = place.bottom() + body * 0.5 * scale;
    const QString caption =
        QStringLiteral("Figure 1: ") + (caption_.isEmpty() ? tr("the caption comes here.") : caption_);
    y = paintText(painter, {column.left(), y, column.width(), 0}, caption, venue_->captionPt) + body * 0.8 * scale;
    paintText(painter, {column.left(), y, column.width(), 0}, kBelow, body);
    QPen guide(theme.accent, 1, Qt::DashLine);
    painter.setPen(guide);
    for (const double x : {column.left(), column.right()}) {
        painter.drawLine(QPointF(x, page.top()), QPointF(x, page.bottom()));
    }
}

}  // namespace dasgd::gui
