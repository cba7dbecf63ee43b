#include "gui/kit/plots/paper/paper_figure.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <map>

#include "gui/kit/plots/plot_canvas.h"
#include "gui/kit/plots/plot_marks.h"
#include "gui/kit/theme/paper.h"
#include "gui/kit/words/short_names.h"

namespace dasgd::gui {

namespace {

// Lengths in points.
constexpr int kLegendRow = 12;
constexpr double kLegendIcon = 38;  // width of a legend sample with the space around it
constexpr double kMargin = 10;      // left and right margin together, of names
constexpr int kMostNotes = 8;
constexpr int kMostNamedOfNote = 3;    // curves that a shared note names; more are counted
constexpr double kShareOfAxis = 0.68;  // approximate share of the figure's height that the y axis has
constexpr int kUsualText = 8;          // text size for which kLegendRow is made

// The curve with only the lowest and the highest point of each bucket; curves that are no lines stay whole.
Curve thinnedCurve(const Curve& curve, std::size_t buckets) {
    const std::size_t n = curve.line.x.size();
    if (buckets == 0 || n <= 2 * buckets || curve.kind != Curve::Kind::Line) return curve;
    Curve out = curve;
    out.line = {};
    out.deviation.clear();
    out.n.clear();
    const auto keep = [&](std::size_t at) {
        out.line.x.push_back(curve.line.x[at]);
        out.line.y.push_back(curve.line.y[at]);
        if (!curve.deviation.empty()) out.deviation.push_back(curve.deviation[at]);
        if (!curve.n.empty()) out.n.push_back(curve.n[at]);
    };
    keep(0);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        const std::size_t begin = 1 + bucket * (n - 2) / buckets, end = 1 + (bucket + 1) * (n - 2) / buckets;
        std::size_t low = begin, high = begin;
        for (std::size_t at = begin; at < end; ++at) {
            if (curve.line.y[at] < curve.line.y[low]) low = at;
            if (curve.line.y[at] > curve.line.y[high]) high = at;
        }
        keep(std::min(low, high));
        if (low != high) keep(std::max(low, high));
    }
    keep(n - 1);
    return out;
}

std::vector<Curve> styled(std::vector<Curve> curves, const PaperStyle& paper, std::size_t buckets) {
    for (Curve& curve : curves) {
        curve = thinnedCurve(curve, buckets);
        if (!paper.dashes) curve.style.dash = 0;
    }
    return curves;
}

// Hides the markers of lines, but not if any curve is of points, nor of a line of one point: they show nothing else.
void hideMarkers(QCustomPlot& plot, const std::vector<Curve>& curves) {
    const auto isPoints = [](const Curve& curve) {
        return curve.kind == Curve::Kind::Points || curve.kind == Curve::Kind::Scatter;
    };
    if (std::any_of(curves.begin(), curves.end(), isPoints)) return;
    for (int i = 0; i < plot.graphCount(); ++i) {
        if (plot.graph(i)->dataCount() != 1) plot.graph(i)->setScatterStyle(QCPScatterStyle::ssNone);
    }
}

// Number of legend columns that the longest name leaves room for.
int legendColumns(const QStringList& names, int width, const QFont& font) {
    const QFontMetricsF metrics(font);
    double longest = 1;
    for (const QString& name : names) longest = std::max(longest, metrics.horizontalAdvance(name));
    return std::clamp(static_cast<int>(width / (longest + kLegendIcon)), 1, 4);
}

// The curves with names cut to fit the legend.
std::vector<Curve> namedToFit(std::vector<Curve> curves, int width, const QFont& font) {
    const QFontMetricsF metrics(font);
    QStringList names;
    for (const Curve& curve : curves) names << curve.name;
    names = namesThatFit(names, width - kLegendIcon - kMargin,
                         [&](const QString& text) { return metrics.horizontalAdvance(text); });
    for (std::size_t i = 0; i < curves.size(); ++i) curves[i].name = names[static_cast<qsizetype>(i)];
    return curves;
}

// The name of an axis broken into lines no longer than the axis, since the page ends beside it.
QString inLines(const QString& name, double room, const QFont& font) {
    const QFontMetricsF metrics(font);
    QString out, line;
    for (const QString& word : name.split(QLatin1Char(' '))) {
        const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
        if (!line.isEmpty() && metrics.horizontalAdvance(longer) > room) {
            out += line + QLatin1Char('\n');
            line = word;
        } else {
            line = longer;
        }
    }
    return out + line;
}

QString moreNotes(qsizetype count) { return QStringLiteral("and %1 more notes: see figure.json").arg(count); }

// A figure on a canvas, ready to be painted.
struct Arranged {
    std::shared_ptr<PlotCanvas> canvas;
    std::shared_ptr<QCustomPlot> plot;
    int width = 0, height = 0;  // of the canvas
    int more = 0;               // what rows of the legend add to the figure's height
    int columns = 1;            // of the legend
    QStringList names;          // of the curves, as the legend has them

    // Computes places, limits and ticks as painting does.
    void place() const {
        QPicture nowhere;
        QCPPainter painter(&nowhere);
        plot->toPainter(&painter, width, height);
    }
};

void setTicks(QCPAxis& axis, const std::vector<double>& places) {
    if (places.empty()) return;
    auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (const double place : places) ticker->addTick(place, QString::number(place));
    axis.setTicker(ticker);
}

// Moves the legend into the upper right corner of the axes, on white so that grid lines do not cross its names.
void putInside(QCustomPlot& plot) {
    plot.legend->layout()->take(plot.legend);
    plot.axisRect()->insetLayout()->addElement(plot.legend, Qt::AlignTop | Qt::AlignRight);
    plot.legend->setBrush(QColor(255, 255, 255, 210));
    plot.plotLayout()->setRowStretchFactor(0, 0.001);
}

// Removes the entries of the legend behind the first `most`. Places of its grid may be empty.
void nameOnly(QCPLegend& legend, int most) {
    std::vector<QCPAbstractLegendItem*> items;
    for (int i = 0; i < legend.itemCount(); ++i) {
        if (QCPAbstractLegendItem* item = legend.item(i)) items.push_back(item);
    }
    for (std::size_t i = items.size(); i > static_cast<std::size_t>(most); --i) legend.removeItem(items[i - 1]);
}

Arranged arranged(const PaperFigure& figure) {
    const auto canvas = std::make_shared<PlotCanvas>(nullptr);
    const std::shared_ptr<QCustomPlot> plot(&canvas->plot());
    const QSizeF exact = QSizeF(figure.widthIn, figure.heightIn) * kPointsPerInch;
    Arranged made{.canvas = canvas,
                  .plot = plot,
                  .width = static_cast<int>(std::floor(exact.width())),
                  .height = static_cast<int>(std::floor(exact.height()))};
    const PlotStyle style = plotStyleOf(figure.style);
    std::vector<Curve> curves = styled(figure.curves, figure.style, figure.buckets);
    canvas->style(style);
    PlotAxes axes = figure.axes;
    axes.legend = axes.legend && figure.legend != PaperLegend::None;
    axes.y = inLines(axes.y, kShareOfAxis * made.height, style.font);
    canvas->axes(axes);
    for (QCPAxis* axis : {plot->xAxis, plot->yAxis}) axis->setTickLabelFont(interFont(figure.style.tick));
    setTicks(*plot->xAxis, figure.xTicks);
    setTicks(*plot->yAxis, figure.yTicks);
    QCPLegend& legend = *plot->legend;
    legend.setIconSize(24, 11);
    legend.setColumnSpacing(8);
    const auto draw = [&] {
        canvas->curves(curves);
        if (!figure.style.markers) hideMarkers(*plot, curves);
        if (figure.xRange) plot->xAxis->setRange(figure.xRange->first, figure.xRange->second);
        if (figure.yRange) plot->yAxis->setRange(figure.yRange->first, figure.yRange->second);
        nameOnly(legend, kMostNamed);
    };
    draw();
    // The legend is no wider than the axes, whose width depends on the labels beside them.
    legend.setVisible(false);
    made.place();
    legend.setVisible(axes.legend);
    const int room = plot->axisRect()->width();
    curves = namedToFit(std::move(curves), room, style.legendFont);
    for (const Curve& curve : curves) made.names << curve.name;
    made.columns = legendColumns(made.names.mid(0, kMostNamed), room, style.legendFont);
    if (figure.legendColumns > 0) made.columns = std::min(made.columns, figure.legendColumns);
    if (figure.legend == PaperLegend::Inside && figure.legendColumns == 0) made.columns = 1;
    legend.setWrap(made.columns);
    draw();
    if (axes.legend && figure.legend == PaperLegend::Inside) {
        putInside(*plot);
    } else if (axes.legend) {
        const int rows = (legend.itemCount() + made.columns - 1) / made.columns;
        made.more = std::max(0, rows - 2) * (kLegendRow + std::max(0, figure.style.label - kUsualText));
        made.height += made.more;
    }
    return made;
}

DrawnAxis drawnAxis(const QCPAxis& axis) {
    DrawnAxis drawn{.low = axis.range().lower, .high = axis.range().upper};
    const QVector<double> places = axis.tickVector();
    const QVector<QString> labels = axis.tickVectorLabels();
    for (qsizetype i = 0; i < std::min(places.size(), labels.size()); ++i) {
        if (axis.range().contains(places[i])) drawn.ticks.emplace_back(places[i], labels[i]);
    }
    return drawn;
}

}  // namespace

PlotStyle plotStyleOf(const PaperStyle& paper) {
    PlotStyle style = paperPlotStyle();
    style.font = style.legendFont = interFont(paper.label);
    style.curves = paper.curves;
    return style;
}

void paintCurveSample(QPainter& painter, const QRectF& area, const PlotStyle& style, const Curve& curve, bool dashes,
                      bool markers) {
    CurveStyle drawn = curve.style;
    if (!dashes) drawn.dash = 0;
    const bool points = curve.kind == Curve::Kind::Points || curve.kind == Curve::Kind::Scatter;
    if (curve.kind != Curve::Kind::Scatter) {
        painter.setPen(strokeOf(style, drawn));
        painter.drawLine(QPointF(area.left(), area.center().y()), QPointF(area.right(), area.center().y()));
    }
    if (!markers && !points) return;
    // QCPScatterStyle draws only with a QCPPainter.
    QPicture picture;
    {
        QCPPainter shapes(&picture);
        shapes.setAntialiasing(true);
        const QCPScatterStyle marker = markerOf(style, drawn, curve.hollow);
        marker.applyTo(&shapes, marker.pen());
        marker.drawShape(&shapes, area.center());
    }
    play(painter, picture);
}

QStringList gatheredNotes(QStringList notes, const std::vector<Curve>& curves) {
    const QString between = QStringLiteral("; ");
    std::map<QString, QStringList> names;
    QStringList parts;
    for (const Curve& curve : curves) {
        for (const QString& part : curve.note.split(between, Qt::SkipEmptyParts)) {
            if (names[part].isEmpty()) parts << part;
            names[part] << curve.name;
        }
    }
    for (const QString& part : parts) {
        const QStringList& of = names[part];
        if (of.size() < 2) continue;
        if (of.size() == static_cast<qsizetype>(curves.size())) {
            notes << QStringLiteral("all curves: ") + part;
        } else if (of.size() <= kMostNamedOfNote) {
            notes << of.join(QStringLiteral(", ")) + QStringLiteral(": ") + part;
        } else {
            notes << QStringLiteral("%1 curves: %2 (the CSV file says which)").arg(of.size()).arg(part);
        }
    }
    int more = 0;
    for (const Curve& curve : curves) {
        QStringList own = curve.note.split(between, Qt::SkipEmptyParts);
        own.removeIf([&](const QString& part) { return names[part].size() > 1; });
        if (own.isEmpty()) continue;
        if (notes.size() < kMostNotes - 1) {
            notes << curve.name + QStringLiteral(": ") + own.join(between);
        } else {
            ++more;
        }
    }
    if (more > 0) notes << QStringLiteral("and so of %1 more curves: see the CSV file").arg(more);
    return notes;
}

QStringList fewOf(QStringList notes) {
    notes.removeDuplicates();
    if (notes.size() <= kMostNotes) return notes;
    return notes.mid(0, kMostNotes - 1) << moreNotes(notes.size() - kMostNotes + 1);
}

PaperPage layOut(const PaperFigure& figure) {
    const Arranged made = arranged(figure);
    const QSizeF exact = QSizeF(figure.widthIn, figure.heightIn) * kPointsPerInch;
    // The canvas has whole points; the fraction of the exact size stays empty at the right and below.
    return {{exact.width(), exact.height() + made.more}, [made](QPaintDevice& device, double scale) {
                QCPPainter painter(&device);
                painter.setMode(QCPPainter::pmVectorized);
                painter.setMode(QCPPainter::pmNoCaching);
                painter.setMode(QCPPainter::pmNonCosmetic);
                painter.scale(scale, scale);
                made.plot->toPainter(&painter, made.width, made.height);
            }};
}

DrawnAxes drawnAxes(const PaperFigure& figure) {
    const Arranged made = arranged(figure);
    made.place();
    DrawnAxes drawn{.x = drawnAxis(*made.plot->xAxis),
                    .y = drawnAxis(*made.plot->yAxis),
                    .legendColumns = made.columns,
                    .names = made.names};
    return drawn;
}

Status writeFigure(const PaperFigure& figure, const QString& file) { return writePage(layOut(figure), file); }

}  // namespace dasgd::gui
