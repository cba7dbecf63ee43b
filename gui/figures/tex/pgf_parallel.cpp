#include <QTextStream>

#include "gui/figures/tex/latex.h"
#include "gui/figures/tex/pgf_charts.h"

namespace dasgd::gui {

namespace {

constexpr double kUpright = 7;  // points between an axis and its labels
constexpr double kRoomAbove = 6;

QString inPoints(double value) { return QString::number(value, 'f', 2) + QStringLiteral("pt"); }

// Positions of values in TeX: x as a share of the width of all axes, y in points of their height.
struct ParallelPlaces {
    const ParallelFigure& figure;
    const ParallelWords& words;
    [[nodiscard]] QString x(std::size_t axis) const {
        const auto last = static_cast<double>(figure.plot.axes.size() - 1);
        return QStringLiteral("%1\\axiswidth").arg(static_cast<double>(axis) / last, 0, 'f', 5);
    }
    [[nodiscard]] double y(std::size_t axis, const std::optional<double>& value) const {
        const auto share = parallelShare(figure.plot.axes[axis], value);
        return share ? *share * words.axisHeight : -kNoneBelow;
    }
    [[nodiscard]] QString at(std::size_t axis, const std::optional<double>& value) const {
        return QStringLiteral("(%1,%2)").arg(x(axis), inPoints(y(axis, value)));
    }
};

// Look of a line as a curve; hollow markers are drawn even if the spec wants no markers.
Curve lookOf(const ParallelLine& line, const FigureSpec& spec) {
    Curve curve{.name = line.name, .style = line.style};
    curve.kind = spec.markers || line.hollow ? Curve::Kind::Points : Curve::Kind::Line;
    curve.hollow = line.hollow;
    return curve;
}

void addLine(QTextStream& text, const ParallelPlaces& places, const ParallelLine& line, const FigureSpec& spec) {
    const bool inside = places.figure.plot.passes(line);
    QStringList path;
    for (std::size_t axis = 0; axis < line.values.size(); ++axis) path << places.at(axis, line.values[axis]);
    const Curve look = lookOf(line, spec);
    text << "\\draw[" << strokeOptions(look, spec.dashes) << (inside ? "" : ", color=black!22, line width=0.5pt")
         << "] " << path.join(QStringLiteral(" -- ")) << ";\n";
    // Lines outside of the brushes keep only the hollow markers, which mean simulated time.
    if (look.kind == Curve::Kind::Line || (!inside && !line.hollow)) return;
    const QString color = inside ? QStringLiteral("curve%1").arg(line.style.color) : QStringLiteral("black!22");
    text << "\\draw[only marks, color=" << color << markOptions(look, true) << "] plot coordinates {"
         << path.join(QLatin1Char(' ')) << "};\n";
}

void addBrush(QTextStream& text, const ParallelPlaces& places, std::size_t axis) {
    const auto& brushes = places.figure.plot.brushes;
    if (axis >= brushes.size() || !brushes[axis]) return;
    text << "\\filldraw[draw=black, fill=gray, fill opacity=0.25, line width=0.4pt] (" << places.x(axis) << "-3pt,"
         << inPoints(places.y(axis, brushes[axis]->first) - 1) << ") rectangle (" << places.x(axis) << "+3pt,"
         << inPoints(places.y(axis, brushes[axis]->second) + 1) << ");\n";
}

// Anchor of a title: the outermost titles are aligned with the picture's edge, as on the page.
QString titleAnchor(const ParallelPlaces& places, std::size_t axis) {
    const std::size_t last = places.figure.plot.axes.size() - 1;
    const bool atEdge = axis == 0 && !places.words.axes[0].before;
    return QLatin1String(atEdge ? "base west" : axis == last ? "base east" : "base");
}

void addAxis(QTextStream& text, const ParallelPlaces& places, std::size_t axis, const FigureSpec& spec) {
    const ParallelLabels& labels = places.words.axes[axis];
    const bool last = axis + 1 == places.figure.plot.axes.size();
    const QString x = places.x(axis), top = inPoints(places.words.axisHeight + kUpright);
    const QString font = fontCommand(spec.venueOf().labelPt);
    text << "\\draw[line width=0.5pt] (" << x << ",0) -- (" << x << ',' << inPoints(places.words.axisHeight) << ");\n";
    addBrush(text, places, axis);
    for (std::size_t i = 0; i < labels.values.size(); ++i) {
        const QString y = inPoints(places.y(axis, labels.values[i]));
        text << "\\draw[line width=0.4pt] (" << x << ',' << y << ") -- ++(" << (labels.before ? "-3" : "3")
             << "pt,0);\n\\node[fill=white, fill opacity=0.92, "
             << "text opacity=1, inner sep=1pt, "
             << (labels.turned   ? "rotate=90, anchor=north"
                 : labels.before ? "anchor=east"
                                 : "anchor=west")
             << "] at (" << x << (labels.before ? "-" : "+") << "4pt," << y << ") {"
             << latexText(labels.labels[static_cast<qsizetype>(i)]) << "};\n";
    }
    if (places.figure.plot.hasGap(axis)) {
        text << "\\draw[line width=0.4pt, dotted] (" << x << ",0) -- (" << x << ',' << inPoints(-kNoneBelow)
             << ");\n\\node[anchor=west, inner sep=1pt, text=gray] at (" << x << "+4pt," << inPoints(-kNoneBelow)
             << ") {" << latexText(places.words.none) << "};\n";
    }
    if (places.words.turned) {
        text << "\\node[rotate=90, anchor=west, inner sep=0pt, font=" << font << "] at (" << x << ',' << top << ") {";
    } else {
        const QString beside = axis == 0 && !labels.before ? QStringLiteral("-") + inPoints(places.words.left)
                               : last                      ? QStringLiteral("+") + inPoints(places.words.right)
                                                           : QString();
        text << "\\node[anchor=" << titleAnchor(places, axis) << ", inner sep=0pt, font=" << font << "] at (" << x
             << beside << ',' << top << ") {";
    }
    text << latexText(labels.title) << "};\n";
}

void addLegend(QTextStream& text, const ParallelPlaces& places, const ParallelLegend& legend, const FigureSpec& spec) {
    if (legend.entries.empty()) return;
    text << "\\node[anchor=south west, inner xsep=0pt, text width=\\axiswidth, font="
         << fontCommand(spec.venueOf().labelPt) << "] at (" << places.x(0) << ','
         << inPoints(places.words.axisHeight + places.words.titleHeight + kRoomAbove) << ") {\\raggedright\n";
    for (const ParallelLine& entry : legend.entries) {
        text << "\\mbox{" << legendSample(lookOf(entry, spec), spec) << "~" << latexText(entry.name) << "}\\quad{}\n";
    }
    text << "};\n";
}

}  // namespace

QString parallelPicture(const FigureContent& content, const FigureSpec& spec) {
    QString out;
    QTextStream text(&out);
    const ParallelFigure figure = parallelOf(content, spec);
    const ParallelWords words = parallelWords(figure);
    const ParallelLegend legend = parallelLegend(figure);
    const ParallelPlaces places{figure, words};
    text << "\\begin{tikzpicture}[font=" << fontCommand(spec.venueOf().tickPt) << "]\n";
    for (const bool inside : {false, true}) {
        for (const ParallelLine& line : figure.plot.lines) {
            if (figure.plot.passes(line) == inside) addLine(text, places, line, spec);
        }
    }
    for (std::size_t axis = 0; axis < figure.plot.axes.size(); ++axis) addAxis(text, places, axis, spec);
    addLegend(text, places, legend, spec);
    text << notesBelow(fewOf(parallelNotes(figure, words, legend)), spec) << "\\end{tikzpicture}";
    text.flush();
    return out;
}

}  // namespace dasgd::gui
