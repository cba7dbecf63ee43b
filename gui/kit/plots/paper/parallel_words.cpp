#include "gui/kit/plots/paper/parallel_words.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "gui/kit/plots/chart_ticks.h"
#include "gui/kit/theme/paper.h"
#include "gui/kit/words/short_names.h"

namespace dasgd::gui {

namespace {

// Lengths in points.
constexpr double kBesideFirst = 8;   // room left of the first axis: half a marker and a tick
constexpr double kTitleGap = 6;      // between the titles of two axes
constexpr double kTurnedTitle = 84;  // largest length of a rotated title
constexpr double kLeastAxis = 60;
constexpr double kUsualRows = 2;         // legend rows included in the figure's height
constexpr double kMostForLabels = 0.28;  // largest share of the width for the labels of the first or last axis
constexpr int kMostValuesNamed = 12;
constexpr int kMostTicksMore = 6;

QString fullTitle(const ParallelAxis& axis) { return axis.full.isEmpty() ? axis.title : axis.full; }

// Full name behind a short title; "" where the title is the whole name.
QString meaningOf(const ParallelAxis& axis) {
    QString full = axis.full;
    if (!full.isEmpty()) return full.remove(u'[').remove(u']') == axis.title ? QString() : axis.full;
    const QString key = QString::fromStdString(axis.key);
    return key.isEmpty() || key == axis.title + QStringLiteral(".name") || key.endsWith(QLatin1Char('.') + axis.title)
               ? QString()
               : key;
}

// About `count` ticks, if possible at least two: a single label shows no scale.
ChartTicks ticksOf(const ParallelAxis& axis, int count) {
    for (int wanted = count;; ++wanted) {
        ChartTicks ticks = axis.kind == ParallelAxis::Kind::Log ? logTicks(axis.low, axis.high, wanted)
                                                                : niceTicks(axis.low, axis.high, wanted);
        if (ticks.values.size() > 1 || !(axis.high > axis.low) || wanted > count + kMostTicksMore) return ticks;
    }
}

double longestOf(const QStringList& texts, const QFontMetricsF& metrics) {
    double most = 0;
    for (const QString& text : texts) most = std::max(most, metrics.horizontalAdvance(text));
    return most;
}

// Labels an axis of numbers; numbers are never cut, but rotated if too long for `room`.
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

// Labels an axis of categories; long words are rotated if that leaves more of them, and cut; a note then has them in
// full.
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

bool titlesFit(const QStringList& titles, const ParallelWords& words, double width, const QFontMetricsF& metrics) {
    const double each = (width - words.left - words.right) / static_cast<double>(titles.size() - 1);
    double before = kParallelEdge - kTitleGap;
    for (qsizetype i = 0; i < titles.size(); ++i) {
        const double wide = metrics.horizontalAdvance(titles[i]);
        const double left = parallelTitleLeft(words.left + each * static_cast<double>(i), wide, width);
        if (left < before + kTitleGap || left + wide > width - kParallelEdge + 0.5) return false;
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
    words.titleHeight = metrics.height() + kMarkerRoom;
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
            words.titleHeight = longestOf(titles, metrics) + kMarkerRoom + 1;
            for (qsizetype i = 0; i < titles.size(); ++i) {
                if (titles[i] != brief[i]) meant << titles[i] + QStringLiteral(": ") + brief[i];
            }
        }
        if (!meant.isEmpty()) words.meanings.prepend(meant.join(QStringLiteral("; ")));
    }
    for (qsizetype i = 0; i < titles.size(); ++i) words.axes[static_cast<std::size_t>(i)].title = titles[i];
}

}  // namespace

double parallelTitleLeft(double x, double wide, double width) {
    return std::max(kParallelEdge, std::min(x - wide / 2, width - kParallelEdge - wide));
}

ParallelWords parallelWords(const ParallelFigure& figure) {
    const double width = figure.widthIn * kPointsPerInch;
    const QFontMetricsF metrics(interFont(figure.style.tick));
    ParallelWords words;
    const auto n = figure.plot.axes.size();
    words.axes.resize(n);
    bool gaps = false;
    for (std::size_t axis = 0; axis < n; ++axis) gaps = gaps || figure.plot.hasGap(axis);
    words.below = gaps ? kNoneBelow + kMarkerRoom : kMarkerRoom;
    const double titleRow = QFontMetricsF(interFont(figure.style.label)).height() + kMarkerRoom;
    words.axisHeight = std::max(kLeastAxis, figure.heightIn * kPointsPerInch - 2 * kParallelEdge -
                                                kUsualRows * parallelLegendRow(figure.style) - titleRow - words.below);
    words.left = kParallelEdge + kBesideFirst;
    const bool before = figure.plot.axes[0].kind == ParallelAxis::Kind::Category;
    if (before) {
        const double longest = longestOf(figure.plot.axes[0].categories, metrics);
        words.left = kParallelEdge + kParallelGap + 3 + std::min(longest, kMostForLabels * width);
    }
    // The last axis is labelled first, since its labels decide its position.
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
    words.right = kParallelEdge + kParallelGap + 3 +
                  std::max(none, last.turned ? metrics.height() : longestOf(last.labels, metrics));
    const double each = (width - words.left - words.right) / static_cast<double>(n - 1);
    if (none > each - 2 * kParallelGap) words.none = QStringLiteral("–");
    for (std::size_t axis = 0; axis + 1 < n; ++axis) {
        const double room =
            axis == 0 && before ? words.left - kParallelEdge - kParallelGap - 2 : each - 2 * kParallelGap;
        label(axis, room, words.axes[axis], words.meanings);
        words.axes[axis].before = axis == 0 && before && !words.axes[axis].turned;
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
    names = namesThatFit(names, figure.widthIn * kPointsPerInch - 2 * kParallelEdge - kParallelSample - 1,
                         [&](const QString& text) { return metrics.horizontalAdvance(text); });
    for (std::size_t i = 0; i < legend.entries.size(); ++i) legend.entries[i].name = names[static_cast<qsizetype>(i)];
    return legend;
}

QStringList parallelNotes(const ParallelFigure& figure, const ParallelWords& words, const ParallelLegend& legend) {
    QStringList notes = words.meanings + figure.notes;
    if (!legend.more.isEmpty()) notes << legend.more;
    return notes;
}

}  // namespace dasgd::gui
