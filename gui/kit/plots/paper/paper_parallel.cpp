#include "gui/kit/plots/paper/paper_parallel.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/kit/plots/plot_marks.h"
#include "gui/kit/theme/paper.h"

namespace dasgd::gui {

namespace {

// Lengths in points.
constexpr double kSampleLine = 22, kEntrySpace = 12;
const QColor kOutside(0xc4, 0xc8, 0xcc);  // colour of lines that do not pass every brush

QPointF shapeAt(const ParallelFigure& figure, const ParallelWords& words, double top, std::size_t axis,
                const std::optional<double>& value) {
    const auto n = static_cast<double>(figure.plot.axes.size());
    const double each = (figure.widthIn * kPointsPerInch - words.left - words.right) / (n - 1);
    const auto share = parallelShare(figure.plot.axes[axis], value);
    return {words.left + each * static_cast<double>(axis),
            top + words.axisHeight + (share ? -*share * words.axisHeight : kNoneBelow)};
}

// Everything that a page paints with; the page keeps it alive.
struct ParallelLayout {
    ParallelFigure figure;
    ParallelWords words;
    ParallelLegend legend;
    QStringList notes;
    PlotStyle style;
    double width = 0, legendHeight = 0, top = 0;  // `top`: upper end of the axes
    std::vector<QPointF> entries;                 // positions of the legend's entries: left end, middle of the row
    [[nodiscard]] QPointF at(std::size_t axis, const std::optional<double>& value) const {
        return shapeAt(figure, words, top, axis, value);
    }
};

CurveStyle drawnStyle(const ParallelLine& line, const PaperStyle& style) {
    CurveStyle drawn = line.style;
    if (!style.dashes) drawn.dash = 0;
    return drawn;
}

void paintTurned(QPainter& painter, QPointF at, const QString& text, Qt::Alignment side) {
    // The text reads upwards; `at` is the middle of its lower end.
    painter.save();
    painter.translate(at);
    painter.rotate(-90);
    const double half = 20;
    const double from = side & Qt::AlignHCenter ? -300 : 0;
    painter.drawText(QRectF(from, -half, side & Qt::AlignHCenter ? 600 : 300, 2 * half), int(side | Qt::AlignVCenter),
                     text);
    painter.restore();
}

void paintPath(QPainter& painter, const ParallelLayout& page, const ParallelLine& line, bool inside) {
    QPolygonF path;
    for (std::size_t axis = 0; axis < page.figure.plot.axes.size(); ++axis) path << page.at(axis, line.values[axis]);
    QPen pen = strokeOf(page.style, drawnStyle(line, page.figure.style));
    if (!inside) {
        pen.setColor(kOutside);
        pen.setWidthF(page.style.hair);
    }
    painter.setPen(pen);
    painter.drawPolyline(path);
    if (!hasMarkers(line, page.figure.style)) return;
    if (!inside && !line.hollow) return;  // hollow markers mean simulated time, so grey lines keep them
    PlotStyle style = page.style;
    if (!inside) style.curves.fill(kOutside);
    for (const QPointF& at : path) paintMarker(painter, at, style, line.style, line.hollow);
}

void paintAxisTitle(QPainter& painter, const ParallelLayout& page, std::size_t axis) {
    const QString& title = page.words.axes[axis].title;
    const double x = page.at(axis, std::nullopt).x();
    painter.setFont(page.style.font);
    painter.setPen(page.style.text);
    if (page.words.turned) return paintTurned(painter, {x, page.top - kMarkerRoom}, title, Qt::AlignLeft);
    const double wide = QFontMetricsF(page.style.font).horizontalAdvance(title);
    const double left = parallelTitleLeft(x, wide, page.width);
    painter.drawText(QRectF(left, page.top - page.words.titleHeight, wide + 2, page.words.titleHeight - kMarkerRoom),
                     int(Qt::AlignLeft | Qt::AlignVCenter), title);
}

void paintLabels(QPainter& painter, const ParallelLayout& page, std::size_t axis) {
    const ParallelLabels& labels = page.words.axes[axis];
    const QFont font = interFont(page.figure.style.tick);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    QColor ground = page.style.ground;  // translucent behind labels: the text is readable and lines stay visible
    ground.setAlphaF(0.92F);
    for (std::size_t i = 0; i < labels.values.size(); ++i) {
        const QPointF at = page.at(axis, labels.values[i]);
        const QString& text = labels.labels[static_cast<qsizetype>(i)];
        const double wide = metrics.horizontalAdvance(text), high = metrics.height();
        painter.setPen(QPen(page.style.axis, page.style.hair));
        painter.drawLine(at, at + QPointF(labels.before ? -3 : 3, 0));
        const QSizeF size = labels.turned ? QSizeF(high, wide) : QSizeF(wide, high);
        // Rotated labels at the ends of an axis are kept within it.
        const double middle =
            labels.turned ? std::clamp(at.y(), page.top + wide / 2,
                                       std::max(page.top + wide / 2, page.top + page.words.axisHeight - wide / 2))
                          : at.y();
        const double left = labels.before ? at.x() - kParallelGap - size.width() : at.x() + kParallelGap;
        const QRectF box(QPointF(left, middle - size.height() / 2), size);
        painter.fillRect(box.adjusted(-1, 0, 1, 0), ground);
        painter.setPen(page.style.text);
        if (labels.turned) {
            paintTurned(painter, box.center(), text, Qt::AlignHCenter);
        } else {
            painter.drawText(box.adjusted(0, 0, 2, 0), int(Qt::AlignLeft | Qt::AlignVCenter), text);
        }
    }
}

void paintPaperAxis(QPainter& painter, const ParallelLayout& page, std::size_t axis) {
    const double x = page.at(axis, std::nullopt).x(), bottom = page.top + page.words.axisHeight;
    painter.setPen(QPen(page.style.axis, page.style.hair * 1.2));
    painter.drawLine(QPointF(x, page.top), QPointF(x, bottom));
    const auto& brush = page.figure.plot.brushes[axis];
    if (brush) {
        const double low = page.at(axis, brush->first).y(), high = page.at(axis, brush->second).y();
        QColor tint = page.style.text;
        tint.setAlphaF(0.15F);
        painter.setPen(QPen(page.style.text, page.style.hair));
        painter.setBrush(tint);
        painter.drawRect(QRectF(x - 3, high - 1, 6, std::max(2.0, low - high + 2)));
        painter.setBrush(Qt::NoBrush);
    }
    if (!page.figure.plot.hasGap(axis)) return;
    painter.setPen(QPen(page.style.axis, page.style.hair, Qt::DotLine));
    painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + kNoneBelow));
    painter.setFont(interFont(page.figure.style.tick));
    painter.setPen(page.style.muted);
    painter.drawText(QRectF(x + kParallelGap, bottom + kNoneBelow - 10, 40, 20), int(Qt::AlignLeft | Qt::AlignVCenter),
                     page.words.none);
}

void paintEntry(QPainter& painter, const ParallelLayout& page, const ParallelLine& entry, QPointF at) {
    const PaperStyle& style = page.figure.style;
    painter.setPen(strokeOf(page.style, drawnStyle(entry, style)));
    painter.drawLine(at, at + QPointF(kSampleLine, 0));
    if (hasMarkers(entry, style))
        paintMarker(painter, at + QPointF(kSampleLine / 2, 0), page.style, entry.style, entry.hollow);
    painter.setFont(page.style.font);
    painter.setPen(page.style.text);
    painter.drawText(QRectF(at.x() + kParallelSample, at.y() - 10, page.width, 20),
                     int(Qt::AlignLeft | Qt::AlignVCenter), entry.name);
}

void paintPage(QPainter& painter, const ParallelLayout& page) {
    for (std::size_t i = 0; i < page.legend.entries.size(); ++i) {
        paintEntry(painter, page, page.legend.entries[i], page.entries[i]);
    }
    // Lines outside of the brushes are painted first, behind the rest.
    for (const bool inside : {false, true}) {
        for (const ParallelLine& line : page.figure.plot.lines) {
            if (page.figure.plot.passes(line) == inside) paintPath(painter, page, line, inside);
        }
    }
    for (std::size_t axis = 0; axis < page.figure.plot.axes.size(); ++axis) {
        paintPaperAxis(painter, page, axis);
        paintLabels(painter, page, axis);
        paintAxisTitle(painter, page, axis);
    }
    painter.setFont(noteFont());
    painter.setPen(page.style.muted);
    double top = page.top + page.words.axisHeight + page.words.below;
    for (const QString& note : page.notes) {
        painter.drawText(QRectF(kParallelEdge, top, page.width, kNoteRow), int(Qt::AlignLeft | Qt::AlignVCenter), note);
        top += kNoteRow;
    }
}

// Places the legend's entries row by row; returns the height of all rows.
double placeEntries(ParallelLayout& page) {
    const QFontMetricsF metrics(page.style.font);
    const double row = parallelLegendRow(page.figure.style);
    QPointF at(kParallelEdge, kParallelEdge + row / 2);
    for (const ParallelLine& entry : page.legend.entries) {
        const double wide = kParallelSample + metrics.horizontalAdvance(entry.name);
        if (at.x() > kParallelEdge && at.x() + wide > page.width - kParallelEdge) at = {kParallelEdge, at.y() + row};
        page.entries.push_back(at);
        at.rx() += wide + kEntrySpace;
    }
    return page.entries.empty() ? 0 : at.y() + row / 2 - kParallelEdge;
}

}  // namespace

PaperPage layOut(const ParallelFigure& figure) {
    auto page = std::make_shared<ParallelLayout>();
    page->figure = figure;
    page->figure.plot.brushes.resize(figure.plot.axes.size());
    page->words = parallelWords(figure);
    page->legend = parallelLegend(figure);
    page->style = plotStyleOf(figure.style);
    page->width = figure.widthIn * kPointsPerInch;
    page->notes = noteLines(parallelNotes(figure, page->words, page->legend), page->width);
    page->top = kParallelEdge + placeEntries(*page) + 2 + page->words.titleHeight;
    const double height = std::ceil(page->top + page->words.axisHeight + page->words.below +
                                    kNoteRow * static_cast<double>(page->notes.size()) + kParallelEdge);
    return {{page->width, height}, [page](QPaintDevice& device, double scale) {
                QPainter painter(&device);
                painter.setRenderHint(QPainter::Antialiasing);
                painter.scale(scale, scale);
                paintPage(painter, *page);
            }};
}

}  // namespace dasgd::gui
