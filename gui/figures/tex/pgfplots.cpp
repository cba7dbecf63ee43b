#include <QTextStream>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "gui/figures/tex/latex.h"
#include "gui/figures/tex/pgf_charts.h"
#include "gui/kit/plots/plot_marks.h"

namespace dasgd::gui {

namespace {

constexpr int kMarksPerCurve = 8;

struct Mark {
    const char* name;
    int turned;
};
// pgfplots marks for the shapes of gui/kit/plots/plot_marks.cpp: closed, so that they can be filled or hollow.
constexpr std::array<Mark, kCurveColors> kMarks{{{"*", 0},
                                                 {"square*", 0},
                                                 {"triangle*", 0},
                                                 {"diamond*", 0},
                                                 {"triangle*", 180},
                                                 {"pentagon*", 0},
                                                 {"10-pointed star", 0}}};
constexpr double kTexLine = 1.1;  // width of a curve's stroke, in points

QString texNumber(double value) {
    return std::isfinite(value) ? QString::number(value, 'g', 7) : QStringLiteral("nan");
}

// Indices of the points in the document: all, or kMostPlotRows at even distances with both ends.
std::vector<std::size_t> rowsOf(const Curve& curve) {
    const std::size_t n = curve.line.x.size();
    std::vector<std::size_t> rows;
    // Each point of a scatter is a run, so none is left out.
    const std::size_t kept = curve.kind == Curve::Kind::Scatter ? n : std::min(n, kMostPlotRows);
    for (std::size_t i = 0; i < kept; ++i) rows.push_back(kept < 2 ? i : i * (n - 1) / (kept - 1));
    return rows;
}

bool isDrawn(const Curve& curve) { return !curve.line.x.empty(); }

QString colorsOf(const std::set<int>& used, const std::array<QColor, kCurveColors>& palette) {
    QString out;
    for (const int color : used) {
        out += QStringLiteral("\\definecolor{curve%1}{HTML}{%2}\n")
                   .arg(color)
                   .arg(palette[static_cast<std::size_t>(color)].name().mid(1).toUpper());
    }
    return out;
}

// The curves, then the lines behind them, each as a curve of its own.
std::vector<Curve> withBehind(const std::vector<Curve>& curves) {
    std::vector<Curve> all = curves;
    for (const Curve& curve : curves) {
        for (const Polyline& line : curve.behind) all.push_back({.style = curve.style, .line = line});
    }
    return all;
}

bool isPoints(const Curve& curve) { return curve.kind == Curve::Kind::Points || curve.kind == Curve::Kind::Scatter; }

// `end`: lower end of a logarithmic axis, at which bands that reach below it are cut. A NaN (no deviation known) stays.
void addBand(QTextStream& text, const Curve& curve, std::size_t number, const std::optional<double>& end) {
    if (curve.deviation.empty() || isPoints(curve) || curve.hasBars()) return;
    for (const char* edge : {"low", "high"}) {
        text << "\\addplot[name path=" << edge << number << ", draw=none, forget plot, unbounded coords=discard";
        if (end) text << ", y filter/.expression={rawy > -1e30 ? ln(max(rawy, " << texNumber(*end) << ")) : nan}";
        text << "] table[x=x" << number << ", y=" << edge << number << "] {\\numbers};\n";
    }
    text << "\\addplot[fill=curve" << curve.style.color
         << ", fill opacity=0.2, draw=none, forget plot] fill between[of=low" << number << " and high" << number
         << "];\n";
}

// Adds an error bar over the interval, for a mean of a single point, which cannot have a band.
void addWhisker(QTextStream& text, const Curve& curve, const PlotAxes& axes, const std::optional<double>& end) {
    const BandEnds band = bandAt(curve, 0, axes);
    const QString x = texNumber(curve.line.x[0]), low = texNumber(end ? std::max(band.low, *end) : band.low);
    text << "\\addplot[color=curve" << curve.style.color << ", line width=0.6pt, mark=-, mark size=2.4pt, forget plot] "
         << "coordinates {(" << x << ',' << low << ") (" << x << ',' << texNumber(band.high) << ")};\n";
}

// `name`: in the legend; "" for none.
void addCurve(QTextStream& text, const Curve& curve, std::size_t number, const FigureSpec& spec, const QString& name) {
    QString options;
    if (curve.kind == Curve::Kind::Guide) {
        options = QStringLiteral("color=gray, dashed, line width=0.5pt, no markers");
    } else {
        options = strokeOptions(curve, spec.dashes) + markOptions(curve, spec.markers);
        if (curve.kind == Curve::Kind::Scatter) options += QStringLiteral(", only marks");
    }
    const bool bars = isPoints(curve) && !curve.deviation.empty();
    if (bars) options += QStringLiteral(", error bars/.cd, y dir=both, y explicit");
    text << "\\addplot[unbounded coords=jump, " << options << (name.isEmpty() ? ", forget plot" : "") << "] table[x=x"
         << number << ", y=y" << number;
    if (bars) text << ", y error=half" << number;
    text << "] {\\numbers};\n";
    if (!name.isEmpty()) text << "\\addlegendentry{" << latexText(name) << "}\n";
}

// Limits and ticks of an axis as on the page, with the same words at the ticks.
QString limitsOf(const DrawnAxis& axis, const char* letter, bool log) {
    QStringList places, labels;
    for (const auto& [place, label] : axis.ticks) {
        places << texNumber(place);
        labels << u'{' + latexText(label) + u'}';
    }
    return QStringLiteral("%1min=%2, %1max=%3, %1tick={%4}, %1ticklabels={%5},%6\n")
        .arg(QLatin1String(letter), texNumber(axis.low), texNumber(axis.high), places.join(u','), labels.join(u','),
             log ? QStringLiteral(" %1mode=log, %1minorticks=false,").arg(QLatin1String(letter)) : QString());
}

QString legendOptions(const DrawnAxes& drawn, const FigureSpec& spec) {
    const bool inside = spec.legend == FigureLegend::Inside;
    return QStringLiteral(
               "legend columns=%1, legend cell align=left,\n"
               "legend style={at={%2}, draw=none, %3,\n"
               "  /tikz/every even column/.append style={column sep=6pt}}")
        .arg(drawn.legendColumns)
        .arg(QLatin1String(inside ? "(0.99,0.99)" : "(1,1.03)"),
             QLatin1String(inside ? "anchor=north east, fill=white, fill opacity=0.82, text opacity=1"
                                  : "anchor=south east, fill=none"));
}

QString axisOptions(const PaperFigure& figure, const DrawnAxes& drawn, const FigureSpec& spec) {
    QString out = QStringLiteral("width=\\axiswidth, height=%1pt,\n").arg(spec.heightIn * 72.27 - 14, 0, 'f', 1);
    out += QStringLiteral("font=%1, tick label style={font=%2},\n")
               .arg(fontCommand(spec.labelSize()), fontCommand(spec.tickSize()));
    out += QStringLiteral("xlabel={%1}, ylabel={%2},\n").arg(latexText(figure.axes.x), latexText(figure.axes.y));
    out += QStringLiteral("ylabel style={align=center, text width=%1pt},\n").arg(spec.heightIn * 50, 0, 'f', 1);
    out += QStringLiteral(
        "grid=major, grid style={gray!25, line width=0.4pt}, axis lines*=left, scaled ticks=false,\n"
        "axis line style={line width=0.5pt}, tick align=outside,\n");
    out += limitsOf(drawn.x, "x", figure.axes.log2X) + limitsOf(drawn.y, "y", figure.axes.logY);
    return out + legendOptions(drawn, spec);
}

QString axisPicture(const FigureContent& content, const FigureSpec& spec) {
    QString out;
    QTextStream text(&out);
    const PaperFigure figure = paperFigureOf(content, spec);
    const DrawnAxes drawn = drawnAxes(figure);
    text << "\\begin{tikzpicture}\n\\begin{axis}[\n" << axisOptions(figure, drawn, spec) << "]\n";
    const std::vector<Curve> all = withBehind(content.curves);
    for (std::size_t i = content.curves.size(); i < all.size(); ++i) {
        text << "\\addplot[unbounded coords=jump, color=curve" << all[i].style.color
             << ", opacity=0.3, line width=0.4pt, no markers, forget plot] table[x=x" << i + 1 << ", y=y" << i + 1
             << "] {\\numbers};\n";
    }
    std::size_t number = 0;
    std::optional<double> end = logAxisEnd(content.curves, content.axes);
    if (end) end = drawn.y.low;
    for (const Curve& curve : content.curves) {
        if (++number; isDrawn(curve)) addBand(text, curve, number, end);
        if (curve.hasBars() && !isPoints(curve)) addWhisker(text, curve, content.axes, end);
    }
    number = 0;
    int named = 0;
    const bool legend = content.axes.legend && spec.legend != FigureLegend::None;
    for (const Curve& curve : content.curves) {
        ++number;
        if (!isDrawn(curve)) continue;
        const bool isNamed = legend && named++ < kMostNamed;
        addCurve(text, curve, number, spec, isNamed ? drawn.names[static_cast<qsizetype>(number) - 1] : QString());
    }
    text << "\\end{axis}\n\\end{tikzpicture}";
    text.flush();
    return out;
}

}  // namespace

QString strokeOptions(const Curve& curve, bool dashes) {
    QString out = QStringLiteral("color=curve%1, line width=%2pt").arg(curve.style.color).arg(kTexLine);
    QString pattern;
    bool on = true;
    for (const qreal part : dashes ? dashOf(curve.style.dash) : QList<qreal>()) {
        pattern += QStringLiteral(" %1 %2pt").arg(QLatin1String(on ? "on" : "off")).arg(part * kTexLine);
        on = !on;
    }
    return pattern.isEmpty() ? out : out + QStringLiteral(", dash pattern=") + pattern.mid(1);
}

QString markOptions(const Curve& curve, bool markers) {
    const bool points = isPoints(curve);
    if (!markers && !points && curve.line.x.size() != 1) return QStringLiteral(", no markers");
    const Mark& mark = kMarks[static_cast<std::size_t>(curve.style.marker)];
    const int every = points ? 1 : std::max(1, static_cast<int>(rowsOf(curve).size()) / kMarksPerCurve);
    return QStringLiteral(", mark=%1, mark size=1.8pt, mark repeat=%2, mark options={solid, rotate=%3%4}")
        .arg(QLatin1String(mark.name))
        .arg(every)
        .arg(mark.turned)
        .arg(QLatin1String(curve.hollow ? ", fill=white" : ""));
}

QString plotNumbers(const std::vector<Curve>& drawn, const PlotAxes& axes) {
    const std::vector<Curve> curves = withBehind(drawn);
    std::vector<std::vector<std::size_t>> rows;
    std::size_t longest = 0;
    QStringList head;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        rows.push_back(rowsOf(curves[i]));
        longest = std::max(longest, rows.back().size());
        if (rows.back().empty()) continue;
        for (const char* column : {"x", "y", "low", "high", "half"}) {
            head << QLatin1String(column) + QString::number(i + 1);
        }
    }
    QString out = head.join(QLatin1Char(',')) + QLatin1Char('\n');
    for (std::size_t row = 0; row < longest; ++row) {
        QStringList cells;
        for (std::size_t i = 0; i < curves.size(); ++i) {
            const Curve& curve = curves[i];
            if (rows[i].empty()) continue;
            if (row >= rows[i].size()) {
                for (int column = 0; column < 5; ++column) cells << QStringLiteral("nan");
                continue;
            }
            const std::size_t at = rows[i][row];
            const double y = curve.line.y[at];
            const double known = curve.deviation.empty() ? 0 : curve.deviation[at];
            const double half = std::isfinite(known) ? known : 0;
            // Without deviations the band has no width; a NaN deviation gives a NaN band.
            const BandEnds band = curve.deviation.empty() ? BandEnds{y, y} : bandAt(curve, at, axes);
            for (const double value : {curve.line.x[at], y, band.low, band.high, half}) cells << texNumber(value);
        }
        out += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return out;
}

QString pictureOf(const FigureContent& content, const FigureSpec& spec) {
    return content.timeline ? timelinePicture(content, spec)
           : content.bars   ? barsPicture(content, spec)
           : content.map    ? mapPicture(content, spec)
           : content.graph  ? graphPicture(content, spec)
                            : axisPicture(content, spec);
}

QString colorsOf(const FigureContent& content, const FigureSpec& spec) {
    std::set<int> colors;
    for (const Curve& curve : content.curves) colors.insert(curve.style.color);
    for (const Bar& bar : content.bars ? content.bars->bars : std::vector<Bar>()) colors.insert(bar.style.color);
    if (content.graph) colors.insert(0);
    return colorsOf(colors, paletteOf(spec.palette));
}

QString legendSample(const Curve& curve, const FigureSpec& spec) {
    QString out =
        QStringLiteral("\\tikz[baseline=-0.6ex]{\\draw[%1] (0,0) -- (18pt,0);").arg(strokeOptions(curve, spec.dashes));
    if (spec.markers || isPoints(curve)) {
        out += QStringLiteral("\\draw[only marks, color=curve%1%2] plot coordinates {(9pt,0)};")
                   .arg(curve.style.color)
                   .arg(markOptions(curve, true));
    }
    return out + QLatin1Char('}');
}

QString texPreamble() {
    return QStringLiteral(
        "% Compiles on its own with pdflatex; Debian's texlive-pictures has what it needs.\n"
        "% The page is the figure. For a paper, take the picture and the lines before \\begin{document}.\n"
        "\\documentclass{article}\n"
        "\\usepackage{pgfplots}\n"
        "\\usepgfplotslibrary{fillbetween}\n"
        "\\usetikzlibrary{plotmarks,patterns}\n"
        "\\pgfplotsset{compat=1.17}\n");
}

namespace {

// What the caption says as well, for whoever has only this file.
QString notesOf(const FigureContent& content) {
    QString out;
    for (const QString& note : gatheredNotes(content.paperNotes(), content.curves))
        out += QStringLiteral("% ") + note.simplified() + u'\n';
    return out;
}

}  // namespace

QString pgfplotsOf(const FigureContent& content, const FigureSpec& spec, const QString& numbers) {
    const double width = spec.inchesWide();
    QString out = texPreamble() + notesOf(content) + colorsOf(content, spec);
    out +=
        QStringLiteral("\\newdimen\\figurewidth \\figurewidth=%1in\n\\newdimen\\axiswidth \\axiswidth=\\figurewidth\n")
            .arg(width, 0, 'f', 5);
    const QString picture = pictureOf(content, spec);
    if (content.hasCurves()) {
        out += QStringLiteral("%% At most %1 points of a curve, at even distances.\n").arg(kMostPlotRows).mid(1);
        out += QStringLiteral("\\pgfplotstableread[col sep=comma]{%1}\\numbers\n").arg(numbers);
    }
    return out + QStringLiteral("\\newcommand{\\drawfigure}{%\n") + picture +
           QStringLiteral(
               "}\n"
               "\\newsavebox{\\figurebox}\n"
               "\\begin{document}\n"
               "% Drawn twice: labels take what they need, the axes have the rest of the width.\n"
               "\\sbox{\\figurebox}{\\drawfigure}\n"
               "\\advance\\axiswidth by \\figurewidth \\advance\\axiswidth by -\\wd\\figurebox\n"
               "\\advance\\axiswidth by -1pt\n"
               "\\sbox{\\figurebox}{\\drawfigure}\n"
               "\\hoffset=-1in \\voffset=-1in\n"
               "\\pdfpagewidth=\\figurewidth \\pdfpageheight=\\dimexpr\\ht\\figurebox+\\dp\\figurebox+1pt\\relax\n"
               "\\shipout\\vbox{\\hbox to\\figurewidth{\\hfil\\usebox{\\figurebox}\\hfil}}\n"
               "\\end{document}\n");
}

}  // namespace dasgd::gui
