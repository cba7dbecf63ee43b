#include "gui/figures/tex/pgf_charts.h"

#include <QTextStream>
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/figures/tex/latex.h"
#include "gui/kit/plots/plot_marks.h"

namespace dasgd::gui {

namespace {

constexpr double kBarRow = 13, kBarHalf = 0.3;     // height of a row in points; half a bar as a share of it
constexpr double kLetter = 0.52;                   // mean width of a letter, as a share of the text's size
constexpr double kLeastBars = 0.3;                 // least share of the axis for bars, however long their labels
constexpr double kCellHeight = 22, kMapScale = 7;  // points
constexpr int kScaleSteps = 48;
constexpr double kInkTurns = 0.42;  // lightness of a cell above which its text is black instead of white

QString pgfNumber(double value) { return QString::number(value, 'g', 7); }

QString wordsOf(const Bar& bar) {
    QStringList behind{bar.ratio, bar.count};
    behind.removeAll(QString());
    if (behind.isEmpty()) return latexText(bar.words);
    return latexText(bar.words) + QStringLiteral(" \\textcolor{gray}{(") +
           latexText(behind.join(QStringLiteral(", "))) + QStringLiteral(")}");
}

// End of the axis, chosen so that every bar has room for the label behind it.
double endOf(const BarChart& chart, const FigureSpec& spec) {
    qsizetype longest = 0;
    for (const Bar& bar : chart.bars) longest = std::max(longest, bar.label.size());
    const double letter = kLetter * spec.labelSize();
    const double wide =
        std::max(0.4 * spec.inchesWide() * 72, spec.inchesWide() * 72 - letter * static_cast<double>(longest) - 20);
    double end = 0;
    for (const Bar& bar : chart.bars) {
        if (!bar.value) continue;
        const double words = letter * static_cast<double>(bar.words.size() + bar.ratio.size() + bar.count.size() + 6);
        end = std::max(end, chart.whiskerHigh(bar) * wide / std::max(wide * kLeastBars, wide - words));
    }
    return end > 0 ? end : 1;
}

// Ticks of an axis that ends before the drawn width does; "" leaves the choice to pgfplots.
QString ticksBefore(const BarChart& chart, double drawn, const FigureSpec& spec) {
    const double end = chart.axisEnd(drawn);
    if (end >= drawn) return {};
    const double wide = 0.5 * spec.inchesWide() * 72 * end / drawn;
    const int count = std::clamp(static_cast<int>(wide / (4 * spec.tickSize())), 1, 5);
    QStringList ticks;
    for (const double tick : niceTicks(0, end, count).values) ticks << pgfNumber(tick);
    return QStringLiteral(", xtick={%1}").arg(ticks.join(QLatin1Char(',')));
}

void addBar(QTextStream& text, const BarChart& chart, const Bar& bar, std::size_t place) {
    const auto at = static_cast<double>(place);
    const auto point = [&](double x, double y) {
        return QStringLiteral("(axis cs:%1,%2)").arg(pgfNumber(x), pgfNumber(y));
    };
    if (!bar.value) {
        text << "\\node[anchor=west, gray] at " << point(0, at) << " {" << wordsOf(bar) << "};\n";
        return;
    }
    text << "\\filldraw[draw=curve" << bar.style.color << ", fill=curve" << bar.style.color
         << ", fill opacity=" << (bar.hollow ? "0.18" : "0.85") << "] " << point(0, at - kBarHalf) << " rectangle "
         << point(*bar.value, at + kBarHalf) << ";\n";
    const double low = chart.whiskerLow(bar), high = chart.whiskerHigh(bar);
    if (bar.interval.value_or(0) > 0) {
        text << "\\draw[line width=0.6pt] " << point(low, at) << " -- " << point(high, at);
        for (const double end : {low, high}) text << point(end, at - 0.14) << " -- " << point(end, at + 0.14);
        text << ";\n";
    }
    // The white fill keeps gridlines out of the numbers.
    text << "\\node[anchor=west, fill=white, inner xsep=1pt, inner ysep=0.5pt, xshift=2pt] at " << point(high, at)
         << " {" << wordsOf(bar) << "};\n";
}

QString inHex(const QColor& color) { return color.name().mid(1).toUpper(); }

bool isLight(const QColor& color) {
    return 0.2126 * color.redF() + 0.7152 * color.greenF() + 0.0722 * color.blueF() > kInkTurns;
}

// Length in TeX: a share of the axis' width.
QString across(double part) { return QStringLiteral("%1\\axiswidth").arg(part, 0, 'f', 5); }

void addCell(QTextStream& text, const HeatMap& map, const HeatEnds& ends, std::size_t row, std::size_t column) {
    const HeatCell& cell = map.cells[map.placeOf(row, column)];
    const auto columns = static_cast<double>(map.columns.size());
    const QString left = across(static_cast<double>(column) / columns);
    const QString right = across(static_cast<double>(column + 1) / columns);
    const QString middle = across((static_cast<double>(column) + 0.5) / columns);
    const double top = -kCellHeight * static_cast<double>(row), bottom = top - kCellHeight;
    const QString box = QStringLiteral("(%1+0.5pt,%2pt) rectangle (%3-0.5pt,%4pt)")
                            .arg(left, pgfNumber(top - 0.5), right, pgfNumber(bottom + 0.5));
    QString ink = QStringLiteral("gray");
    if (!cell.value || !std::isfinite(*cell.value)) {
        text << "\\path[pattern=north east lines, pattern color=gray] " << box << ";\n";
    } else {
        const QColor color = viridis(ends.shareOf(*cell.value, map.lowIsGood));
        ink = isLight(color) ? QStringLiteral("black") : QStringLiteral("white");
        text << "\\definecolor{cell}{HTML}{" << inHex(color) << "}\\fill[cell] " << box << ";\n";
    }
    QString words = latexText(cell.text);
    if (!cell.under.isEmpty()) words += QStringLiteral(" \\\\ ") + latexText(cell.under);
    text << "\\node[align=center, inner sep=0pt, text=" << ink << "] at (" << middle << ','
         << pgfNumber(bottom + kCellHeight / 2) << "pt) {" << words << "};\n";
    if (cell.incomplete) {
        text << "\\fill[incomplete] (" << right << "-0.5pt," << pgfNumber(top - 0.5)
             << "pt) -- ++(-4pt,0) -- ++(4pt,-4pt) -- cycle;\n";
    }
}

void addScale(QTextStream& text, const HeatMap& map, const HeatEnds& ends) {
    if (!(ends.low <= ends.high)) return;
    const double height = kCellHeight * static_cast<double>(map.rows.size());
    for (int i = 0; i < kScaleSteps; ++i) {
        const double top = -height * i / kScaleSteps, bottom = -height * (i + 1) / kScaleSteps;
        text << "\\definecolor{cell}{HTML}{" << inHex(viridis(1 - (i + 0.5) / kScaleSteps))
             << "}\\fill[cell] (\\axiswidth+6pt," << pgfNumber(top) << "pt) rectangle (\\axiswidth+"
             << pgfNumber(6 + kMapScale) << "pt," << pgfNumber(bottom) << "pt);\n";
    }
    const auto end = [&](const char* anchor, double y, double value) {
        text << "\\node[anchor=" << anchor << " west, inner ysep=0pt] at (\\axiswidth+" << pgfNumber(6 + kMapScale)
             << "pt," << pgfNumber(y) << "pt) {" << latexText(tickText(value)) << "};\n";
    };
    end("north", 0, map.lowIsGood ? ends.low : ends.high);
    if (ends.high > ends.low) end("south", -height, map.lowIsGood ? ends.high : ends.low);
}

}  // namespace

QString fontCommand(int points) {
    return QStringLiteral("\\fontsize{%1}{%2}\\selectfont").arg(points).arg(points * 1.2);
}

QString barsPicture(const FigureContent& content, const FigureSpec& spec) {
    QString out;
    QTextStream text(&out);
    const BarChart& chart = *content.bars;
    QStringList places, labels;
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        places << QString::number(i + 1);
        labels << QLatin1Char('{') + latexText(chart.bars[i].label) + QLatin1Char('}');
    }
    const double end = endOf(chart, spec);
    text << "\\begin{tikzpicture}\n\\begin{axis}[\nwidth=\\axiswidth, y=" << kBarRow
         << "pt, y dir=reverse, clip=false,\nxmin=0, xmax=" << pgfNumber(end) << ticksBefore(chart, end, spec)
         << ", ymin=0.4, ymax=" << pgfNumber(static_cast<double>(chart.bars.size()) + 0.6) << ",\nytick={"
         << places.join(QLatin1Char(',')) << "}, yticklabels={" << labels.join(QLatin1Char(','))
         << "},\nfont=" << fontCommand(spec.labelSize()) << ", tick label style={font=" << fontCommand(spec.tickSize())
         << "},\nxlabel={" << latexText(chart.axis)
         << "}, xmajorgrids, grid style={gray!25, line width=0.4pt}, axis lines*=left, scaled ticks=false,\n"
            "axis line style={line width=0.5pt}, tick align=outside, ytick style={draw=none}]\n";
    for (std::size_t i = 0; i < chart.bars.size(); ++i) addBar(text, chart, chart.bars[i], i + 1);
    text << "\\end{axis}\n\\end{tikzpicture}";
    text.flush();
    return out;
}

QString mapPicture(const FigureContent& content, const FigureSpec& spec) {
    QString out;
    QTextStream text(&out);
    const HeatMap& map = *content.map;
    const HeatEnds ends = endsOf(map);
    text << "\\definecolor{incomplete}{HTML}{D55E00}%\n\\begin{tikzpicture}[font=" << fontCommand(spec.tickSize())
         << "]\n";
    for (qsizetype row = 0; row < map.rows.size(); ++row) {
        text << "\\node[anchor=east] at (0," << pgfNumber(-kCellHeight * (static_cast<double>(row) + 0.5)) << "pt) {"
             << latexText(map.rows[row]) << "};\n";
        for (qsizetype column = 0; column < map.columns.size(); ++column) {
            addCell(text, map, ends, static_cast<std::size_t>(row), static_cast<std::size_t>(column));
        }
    }
    const double bottom = -kCellHeight * static_cast<double>(map.rows.size());
    for (qsizetype column = 0; column < map.columns.size(); ++column) {
        text << "\\node[anchor=north] at ("
             << across((static_cast<double>(column) + 0.5) / static_cast<double>(map.columns.size())) << ','
             << pgfNumber(bottom) << "pt) {" << latexText(map.columns[column]) << "};\n";
    }
    text << "\\node[anchor=north, font=" << fontCommand(spec.labelSize()) << "] at (0.5\\axiswidth,"
         << pgfNumber(bottom - 12) << "pt) {" << latexText(map.title) << "};\n";
    addScale(text, map, ends);
    text << "\\end{tikzpicture}";
    text.flush();
    return out;
}

}  // namespace dasgd::gui
