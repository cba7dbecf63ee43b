#include "gui/plots/paper_figure.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "gui/models/curves/short_names.h"
#include "gui/plots/outlined_svg.h"
#include "gui/plots/plot_canvas.h"
#include "gui/theme/paper.h"

namespace dasgd::gui {

namespace {

// Points.
constexpr int kLegendRow = 12;
constexpr double kLegendIcon = 34;  // with the space around it
constexpr double kMargin = 10;      // of the notes, left and right together
constexpr double kNoteSize = 7;
constexpr int kNoteRow = 11;
constexpr int kMostNotes = 8;

// As many as the longest name leaves room for.
int legendColumns(const QStringList& names, int width) {
    const QFontMetricsF metrics(paperPlotStyle().legendFont);
    double longest = 1;
    for (const QString& name : names) longest = std::max(longest, metrics.horizontalAdvance(name));
    return std::clamp(static_cast<int>(width / (longest + kLegendIcon)), 1, 4);
}

// The curves with names that fit.
std::vector<Curve> namedToFit(std::vector<Curve> curves, int width) {
    const QFontMetricsF metrics(paperPlotStyle().legendFont);
    QStringList names;
    for (const Curve& curve : curves) names << curve.name;
    names = namesThatFit(names, width - kLegendIcon - kMargin,
                         [&](const QString& text) { return metrics.horizontalAdvance(text); });
    for (std::size_t i = 0; i < curves.size(); ++i) curves[i].name = names[static_cast<qsizetype>(i)];
    return curves;
}

// What the figure must say beside its curves, in lines that fit.
QStringList noteLines(const std::vector<Curve>& curves, int unnamed, int width) {
    const QFontMetricsF metrics(interFont(kNoteSize));
    QStringList notes;
    int more = 0;
    for (const Curve& curve : curves) {
        if (curve.note.isEmpty()) continue;
        if (notes.size() < kMostNotes) {
            notes << curve.name + QStringLiteral(": ") + curve.note;
        } else {
            ++more;
        }
    }
    if (more > 0) notes << QStringLiteral("and so of %1 more curves: see the CSV file").arg(more);
    if (unnamed > 0) notes << QStringLiteral("%1 more curves; the CSV file has their names and notes").arg(unnamed);
    QStringList lines;
    for (const QString& note : notes) {
        QString line;
        for (const QString& word : note.split(QLatin1Char(' '))) {
            const QString longer = line.isEmpty() ? word : line + QLatin1Char(' ') + word;
            if (!line.isEmpty() && metrics.horizontalAdvance(longer) > width - kMargin) {
                lines << line;
                line = word;
            } else {
                line = longer;
            }
        }
        lines << line;
    }
    return lines;
}

}  // namespace

Status writeFigure(const PaperFigure& figure, const QString& file) {
    PlotCanvas canvas(nullptr);
    const std::unique_ptr<QCustomPlot> owner(&canvas.plot());
    const int width = static_cast<int>(std::lround(figure.widthIn * kPointsPerInch));
    int height = static_cast<int>(std::lround(figure.heightIn * kPointsPerInch));
    const std::vector<Curve> curves = namedToFit(figure.curves, width);
    QCPLegend& legend = *canvas.plot().legend;
    canvas.style(paperPlotStyle());
    canvas.axes(figure.axes);
    legend.setIconSize(20, 11);
    legend.setColumnSpacing(8);
    QStringList names;
    for (const Curve& curve : curves) names << curve.name;
    const int columns = legendColumns(names.mid(0, kMostNamed), width);
    legend.setWrap(columns);
    canvas.curves(curves);
    const int unnamed = std::max(0, legend.itemCount() - kMostNamed);
    while (legend.itemCount() > kMostNamed) legend.removeItem(legend.itemCount() - 1);
    const int rows = (legend.itemCount() + columns - 1) / columns;
    const QStringList notes = noteLines(curves, unnamed, width);
    height += std::max(0, rows - 2) * kLegendRow + static_cast<int>(notes.size()) * kNoteRow;
    canvas.notes(notes, interFont(kNoteSize));
    if (file.endsWith(QLatin1String(".svg"))) {
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
