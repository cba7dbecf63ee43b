#include "gui/plots/paper_parallel.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/models/curves/short_names.h"
#include "gui/plots/chart_ticks.h"
#include "gui/plots/plot_marks.h"
#include "gui/theme/paper.h"

namespace dasgd::gui {

namespace {

// Points.
constexpr double kPageEdge = 2;
constexpr double kBesideFirst = 8;   // of the first axis: half a marker and a tick
constexpr double kLabelGap = 5;      // between an axis and its labels
constexpr double kTitleGap = 6;      // between the titles of two axes
constexpr double kTurnedTitle = 84;  // the longest
constexpr double kLeastAxis = 60;
constexpr double kEntrySample = 22, kEntryGap = 5, kEntrySpace = 12;
constexpr double kUsualRows = 2;         // of the legend, in the height that is asked for
constexpr double kMostForLabels = 0.28;  // of the width: the labels of the last axis have no more
constexpr int kMostValuesNamed = 12;
const QColor kOutside(0xc4, 0xc8, 0xcc);  // lines that pass not every brush

double legendRowHeight(const PaperStyle& style) { return style.label + 4; }
double lineHeight(int points) { return QFontMetricsF(interFont(points)).height(); }

QString fullTitle(const ParallelAxis& axis) { return axis.full.isEmpty() ? axis.title : axis.full; }

// What a short title stands for; "" where it is the whole name.
QString meaningOf(const ParallelAxis& axis) {
    if (!axis.full.isEmpty()) return axis.full == axis.title ? QString() : axis.full;
    const QString key = QString::fromStdString(axis.key);
    return key.isEmpty() || key.endsWith(QLatin1Char('.') + axis.title) ? QString() : key;
}

ChartTicks ticksOf(const ParallelAxis& axis, int count) {
    return axis.kind == ParallelAxis::Kind::Log ? logTicks(axis.low, axis.high, count)
                                                : niceTicks(axis.low, axis.high, count);
}

double longestOf(const QStringList& texts, const QFontMetricsF& metrics) {
    double most = 0;
    for (const QString& text : texts) most = std::max(most, metrics.horizontalAdvance(text));
    return most;
}

// Numbers are never cut: they are turned where they are too long for `room`.
void labelNumbers(const ParallelAxis& axis, double room, double high, const QFontMetricsF& metrics,
                  ParallelLabels& into) {
    const auto fit = [&](double each) { return std::clamp(static_cast<int>(high / each), 2, 6); };
    ChartTicks ticks = ticksOf(axis, fit(2.6 * metrics.height()));
    if (const double width = longestOf(ticks.labels, metrics); width > room) {
        into.turned = true;
        ticks = ticksOf(axis, fit(1.6 * width));
    }
    into.values = ticks.values;
    into.labels = ticks.labels;
}

// Words are turned where that leaves more of them, and cut; then a note has them in full.
void labelWords(const ParallelAxis& axis, double room, double high, const QFontMetricsF& metrics, ParallelLabels& into,
                QStringList& meanings) {
    const auto n = axis.categories.size();
    const double each = high / static_cast<double>(std::max<qsizetype>(1, n));
    const double longest = longestOf(axis.categories, metrics);
    into.turned = longest > room && each > room;
    const auto widthOf = [&](const QString& text) { return metrics.horizontalAdvance(text); };
    const QStringList names = namesThatFit(axis.categories, into.turned ? each * 0.95 : room, widthOf);
    const auto every =
        into.turned ? 1 : std::max<qsizetype>(1, static_cast<qsizetype>(std::ceil(metrics.height() / each)));
    for (qsizetype i = 0; i < n; i += every) {
        into.values.push_back(static_cast<double>(i));
        into.labels << names[i];
    }
    if (every == 1 && names == axis.categories) return;
    QStringList all = axis.categories.mid(0, kMostValuesNamed);
    if (n > kMostValuesNamed) all << QStringLiteral("%1 more").arg(n - kMostValuesNamed);
    meanings << QStringLiteral("%1, from below: %2").arg(axis.title, all.join(QStringLiteral(", ")));
}

// In the middle of its axis, and within the page.
double titleLeft(double x, double wide, double width) {
    return std::max(kPageEdge, std::min(x - wide / 2, width - kPageEdge - wide));
}

bool titlesFit(const QStringList& titles, const ParallelWords& words, double width, const QFontMetricsF& metrics) {
    const double each = (width - words.left - words.right) / static_cast<double>(titles.size() - 1);
    double before = kPageEdge - kTitleGap;
    for (qsizetype i = 0; i < titles.size(); ++i) {
        const double wide = metrics.horizontalAdvance(titles[i]);
        const double left = titleLeft(words.left + each * static_cast<double>(i), wide, width);
        if (left < before + kTitleGap || left + wide > width - kPageEdge + 0.5) return false;
        before = left + wide;
    }
    return true;
}

void takeTitles(const ParallelFigure& figure, double width, ParallelWords& words) {
    const QFontMetricsF metrics(interFont(figure.style.label));
    QStringList titles, brief;
    for (const ParallelAxis& axis : figure.plot.axes) {
        titles << fullTitle(axis);
        brief << axis.title;
    }
    words.titleHeight = metrics.height() + 2;
    if (!titlesFit(titles, words, width, metrics)) {
        titles = brief;
        QStringList meant;
        for (const ParallelAxis& axis : figure.plot.axes) {
            if (const QString meaning = meaningOf(axis); !meaning.isEmpty())
                meant << axis.title + QStringLiteral(": ") + meaning;
        }
        words.turned = !titlesFit(titles, words, width, metrics);
        if (words.turned) {
            titles =
                namesThatFit(brief, kTurnedTitle, [&](const QString& text) { return metrics.horizontalAdvance(text); });
            words.titleHeight = longestOf(titles, metrics) + 4;
            for (qsizetype i = 0; i < titles.size(); ++i) {
                if (titles[i] != brief[i]) meant << titles[i] + QStringLiteral(": ") + brief[i];
            }
        }
        if (!meant.isEmpty()) words.meanings.prepend(meant.join(QStringLiteral("; ")));
    }
    for (qsizetype i = 0; i < titles.size(); ++i) words.axes[static_cast<std::size_t>(i)].title = titles[i];
}

QPointF shapeAt(const ParallelFigure& figure, const ParallelWords& words, double top, std::size_t axis,
                const std::optional<double>& value) {
    const auto n = static_cast<double>(figure.plot.axes.size());
    const double each = (figure.widthIn * kPointsPerInch - words.left - words.right) / (n - 1);
    const auto share = parallelShare(figure.plot.axes[axis], value);
    return {words.left + each * static_cast<double>(axis),
            top + words.axisHeight + (share ? -*share * words.axisHeight : kNoneBelow)};
}

// All that a page paints with, kept as long as it.
struct ParallelLayout {
    ParallelFigure figure;
    ParallelWords words;
    ParallelLegend legend;
    QStringList notes;
    PlotStyle style;
    double width = 0, legendHeight = 0, top = 0;  // top: of the axes
    std::vector<QPointF> entries;                 // of the legend: left, middle of the row
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
    // `at` is where the text begins, and in the middle of its height; it reads upwards.
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
    if (!inside || !hasMarkers(line, page.figure.style)) return;
    for (const QPointF& at : path) paintMarker(painter, at, page.style, line.style, line.hollow);
}

void paintAxisTitle(QPainter& painter, const ParallelLayout& page, std::size_t axis) {
    const QString& title = page.words.axes[axis].title;
    const double x = page.at(axis, std::nullopt).x();
    painter.setFont(page.style.font);
    painter.setPen(page.style.text);
    if (page.words.turned) return paintTurned(painter, {x, page.top - 3}, title, Qt::AlignLeft);
    const double wide = QFontMetricsF(page.style.font).horizontalAdvance(title);
    const double left = titleLeft(x, wide, page.width);
    painter.drawText(QRectF(left, page.top - page.words.titleHeight - 1, wide + 2, page.words.titleHeight),
                     int(Qt::AlignLeft | Qt::AlignVCenter), title);
}

void paintLabels(QPainter& painter, const ParallelLayout& page, std::size_t axis) {
    const ParallelLabels& labels = page.words.axes[axis];
    const QFont font = interFont(page.figure.style.tick);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    QColor ground = page.style.ground;  // lines behind a label stay visible, and the label readable
    ground.setAlphaF(0.8F);
    for (std::size_t i = 0; i < labels.values.size(); ++i) {
        const QPointF at = page.at(axis, labels.values[i]);
        const QString& text = labels.labels[static_cast<qsizetype>(i)];
        const double wide = metrics.horizontalAdvance(text), high = metrics.height();
        painter.setPen(QPen(page.style.axis, page.style.hair));
        painter.drawLine(at, at + QPointF(3, 0));
        const QSizeF size = labels.turned ? QSizeF(high, wide) : QSizeF(wide, high);
        // Labels at the ends of an axis keep within it where they are turned.
        const double middle =
            labels.turned ? std::clamp(at.y(), page.top + wide / 2,
                                       std::max(page.top + wide / 2, page.top + page.words.axisHeight - wide / 2))
                          : at.y();
        const QRectF box(QPointF(at.x() + kLabelGap, middle - size.height() / 2), size);
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
    const bool lacks = std::any_of(page.figure.plot.lines.begin(), page.figure.plot.lines.end(), [&](const auto& line) {
        return !parallelShare(page.figure.plot.axes[axis], line.values[axis]);
    });
    if (!lacks) return;
    painter.setPen(QPen(page.style.axis, page.style.hair, Qt::DotLine));
    painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + kNoneBelow));
    painter.setFont(interFont(page.figure.style.tick));
    painter.setPen(page.style.muted);
    painter.drawText(QRectF(x + kLabelGap, bottom + kNoneBelow - 10, 40, 20), int(Qt::AlignLeft | Qt::AlignVCenter),
                     page.words.none);
}

void paintEntry(QPainter& painter, const ParallelLayout& page, const ParallelLine& entry, QPointF at) {
    const PaperStyle& style = page.figure.style;
    painter.setPen(strokeOf(page.style, drawnStyle(entry, style)));
    painter.drawLine(at, at + QPointF(kEntrySample, 0));
    if (hasMarkers(entry, style))
        paintMarker(painter, at + QPointF(kEntrySample / 2, 0), page.style, entry.style, entry.hollow);
    painter.setFont(page.style.font);
    painter.setPen(page.style.text);
    painter.drawText(QRectF(at.x() + kEntrySample + kEntryGap, at.y() - 10, page.width, 20),
                     int(Qt::AlignLeft | Qt::AlignVCenter), entry.name);
}

void paintPage(QPainter& painter, const ParallelLayout& page) {
    for (std::size_t i = 0; i < page.legend.entries.size(); ++i) {
        paintEntry(painter, page, page.legend.entries[i], page.entries[i]);
    }
    // What is brushed out lies behind the rest.
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
    double top = page.top + page.words.axisHeight + 2 * kNoneBelow;
    for (const QString& note : page.notes) {
        painter.drawText(QRectF(kPageEdge, top, page.width, kNoteRow), int(Qt::AlignLeft | Qt::AlignVCenter), note);
        top += kNoteRow;
    }
}

// Row by row; returns the height of all rows.
double placeEntries(ParallelLayout& page) {
    const QFontMetricsF metrics(page.style.font);
    const double row = legendRowHeight(page.figure.style);
    QPointF at(kPageEdge, kPageEdge + row / 2);
    for (const ParallelLine& entry : page.legend.entries) {
        const double wide = kEntrySample + kEntryGap + metrics.horizontalAdvance(entry.name);
        if (at.x() > kPageEdge && at.x() + wide > page.width - kPageEdge) at = {kPageEdge, at.y() + row};
        page.entries.push_back(at);
        at.rx() += wide + kEntrySpace;
    }
    return page.entries.empty() ? 0 : at.y() + row / 2 - kPageEdge;
}

}  // namespace

ParallelWords parallelWords(const ParallelFigure& figure) {
    const double width = figure.widthIn * kPointsPerInch;
    const QFontMetricsF metrics(interFont(figure.style.tick));
    ParallelWords words;
    const auto n = figure.plot.axes.size();
    words.axes.resize(n);
    words.axisHeight = std::max(kLeastAxis, figure.heightIn * kPointsPerInch - 2 * kPageEdge -
                                                kUsualRows * legendRowHeight(figure.style) -
                                                lineHeight(figure.style.label) - 2 - 2 * kNoneBelow);
    words.left = kPageEdge + kBesideFirst;
    // The last axis first: its labels decide where it stands.
    ParallelLabels last;
    QStringList cut;
    const double most = kMostForLabels * width;
    const auto label = [&](std::size_t axis, double room, ParallelLabels& into, QStringList& meanings) {
        if (figure.plot.axes[axis].kind == ParallelAxis::Kind::Category) {
            labelWords(figure.plot.axes[axis], room, words.axisHeight, metrics, into, meanings);
        } else {
            labelNumbers(figure.plot.axes[axis], room, words.axisHeight, metrics, into);
        }
    };
    label(n - 1, most, last, cut);
    const double none = metrics.horizontalAdvance(words.none);
    words.right =
        kPageEdge + kLabelGap + 3 + std::max(none, last.turned ? metrics.height() : longestOf(last.labels, metrics));
    const double each = (width - words.left - words.right) / static_cast<double>(n - 1);
    if (none > each - 2 * kLabelGap) words.none = QStringLiteral("–");
    for (std::size_t axis = 0; axis + 1 < n; ++axis) {
        label(axis, each - 2 * kLabelGap, words.axes[axis], words.meanings);
    }
    words.axes[n - 1] = last;
    words.meanings += cut;
    takeTitles(figure, width, words);
    return words;
}

ParallelLegend parallelLegend(const ParallelFigure& figure) {
    const QFontMetricsF metrics(interFont(figure.style.label));
    ParallelLegend legend{.entries = figure.legend};
    if (const auto all = static_cast<int>(legend.entries.size()); all > kMostNamed) {
        legend.entries.resize(kMostNamed);
        legend.more = QStringLiteral("%1 more are not named; the CSV file has their names").arg(all - kMostNamed);
    }
    QStringList names;
    for (const ParallelLine& entry : legend.entries) names << entry.name;
    names = namesThatFit(names, figure.widthIn * kPointsPerInch - 2 * kPageEdge - kEntrySample - kEntryGap - 1,
                         [&](const QString& text) { return metrics.horizontalAdvance(text); });
    for (std::size_t i = 0; i < legend.entries.size(); ++i) legend.entries[i].name = names[static_cast<qsizetype>(i)];
    return legend;
}

QStringList parallelNotes(const ParallelFigure& figure, const ParallelWords& words, const ParallelLegend& legend) {
    QStringList notes = words.meanings + figure.notes;
    if (!legend.more.isEmpty()) notes << legend.more;
    return notes;
}

PaperPage layOut(const ParallelFigure& figure) {
    auto page = std::make_shared<ParallelLayout>();
    page->figure = figure;
    page->figure.plot.brushes.resize(figure.plot.axes.size());
    page->words = parallelWords(figure);
    page->legend = parallelLegend(figure);
    page->style = plotStyleOf(figure.style);
    page->width = figure.widthIn * kPointsPerInch;
    page->notes = linesOf(parallelNotes(figure, page->words, page->legend), page->width);
    page->top = kPageEdge + placeEntries(*page) + 2 + page->words.titleHeight;
    const double height = std::ceil(page->top + page->words.axisHeight + 2 * kNoneBelow +
                                    kNoteRow * static_cast<double>(page->notes.size()) + kPageEdge);
    return {{page->width, height}, [page](QPaintDevice& device, double scale) {
                QPainter painter(&device);
                painter.setRenderHint(QPainter::Antialiasing);
                painter.scale(scale, scale);
                paintPage(painter, *page);
            }};
}

}  // namespace dasgd::gui
