#include "gui/figures/figure_fields.h"

#include <QJsonArray>
#include <QLocale>
#include <QRegularExpression>

#include "core/base/metric_names.h"

namespace dasgd::gui {

namespace {

constexpr FigureField kFigureFields[] = {
    {"venue", "venue", Editing::Word, "Sets width and size of text", "ctsbmporg", "Venue"},
    {"width", "width", Editing::Word, "Of a venue with one column, column is half of it", "ctsbmporg"},
    {"width_in", "inches", Editing::Number, "Instead of the venue's width; empty for that", "ctsbmporg"},
    {"height_in", "height", Editing::Number, "In inches; more rows of the legend make the figure higher", "cspo"},
    {"kind", "kind", Editing::Word,
     "Curves over time, the overlap timeline, scaling over workers, a number of each configuration, also over a "
     "setting, or the graph of "
     "gossip",
     "ctsbmpor", "What"},
    {"title", "title", Editing::Text, "In the list; not printed", "ctsbmporg"},
    {"filter", "filter", Editing::Text, "Runs, as on the Runs page: experiment = delay-sweep and delay >= 3",
     "ctsbmpor"},
    {"runs", "or runs", Editing::List, "Ids, with commas between them; instead of a filter", "ctsbmpor"},
    {"metric", "metric", Editing::Suggested, "Any recorded metric", "c"},
    {"x", "x axis", Editing::Word, "What the metric is drawn over", "c"},
    {"log_y", "y axis", Editing::Auto, "Linear, logarithmic, or as in the window", "cs"},
    {"smoothing", "smoothing", Editing::Number, "Weight of the moving average of each run; 0 for none", "c"},
    {"band", "band", Editing::Word, "Around the mean over seeds", "cbmo"},
    {"lines", "curves", Editing::Word,
     "Of each configuration its mean over seeds, each seed by itself, or each rank: the first 64 of a run", "c"},
    {"members", "runs in it", Editing::Word,
     "Those that finished, or all that began: a mean then ends where the first of its runs does", "c"},
    {"scaling", "scaling", Editing::Word, "Weak: the batch of each worker stays the same", "s"},
    {"plot", "plot", Editing::Word, "Over the number of workers", "s"},
    {"number", "number", Editing::Word, "What each configuration or run ended with", "bmpo"},
    {"baseline", "baseline", Editing::Text,
     "Name of the configuration that ratios and speed-ups refer to; empty: sync_sgd, else the slowest", "bmo"},
    {"against", "along x", Editing::Word, "The other number of each run", "p"},
    {"rows", "rows", Editing::Text, "A setting, as algorithm.period; both empty: two that were swept", "m"},
    {"columns", "columns", Editing::Text, "A setting, as algorithm.delay; both empty: two that were swept", "m"},
    {"over", "along x", Editing::Text, "A setting, as algorithm.delay or bandwidth; empty: one that was swept", "o"},
    {"target", "target", Editing::Text, "accuracy=0.97 or loss=0.1", "sbmpo"},
    {"each_run", "each run", Editing::Flag, "A run of every configuration below each other, in ms from a common zero",
     "t"},
    {"window_s", "window", Editing::Range, "Seconds of the run, as 12, 12.6; empty: a dozen steps", "t"},
    {"rank_rows", "ranks", Editing::Text,
     "Which, in which order: 12, 0-7, [8-255] for the others in one row; empty: the first ones", "t"},
    {"ranks", "at most", Editing::Number, "Ranks that are drawn where none are chosen", "t"},
    {"hidden_kinds", "kinds", Editing::Kinds, "Which kinds of spans are drawn", "t"},
    {"round", "round", Editing::Number, "Of the first run that mixes over a graph, counted from 0", "r"},
    {"x_range", "x from, to", Editing::Range, "As 0, 100; empty for all", "cspo"},
    {"y_range", "y from, to", Editing::Range, "As 0, 100; empty for all", "cspo"},
    {"x_label", "x label", Editing::Text, "Instead of the usual name of the axis; empty for that", "cspo", "Axes"},
    {"y_label", "y label", Editing::Text, "Instead of the usual name of the axis; empty for that", "cspo"},
    {"x_ticks", "x ticks", Editing::Numbers, "As 0, 50, 100; empty: chosen to fit", "cspo"},
    {"y_ticks", "y ticks", Editing::Numbers, "As 0, 50, 100; empty: chosen to fit", "cspo"},
    {"legend", "legend", Editing::Word, "Above the axes, in their upper right corner, or none", "cspo"},
    {"legend_columns", "columns", Editing::Number, "Of the legend, at most; empty: as many as fit", "cspo"},
    {"order", "order", Editing::List, "Names of curves, with commas between them; others follow", "ctspo"},
    {"caption", "caption", Editing::Text, "Under the preview, to judge its length", "ctsbmporg"},
    {"across", "across", Editing::Number, "Panels beside each other, 1 to 4; none gets narrower than 2 in", "g"},
    {"label_pt", "text", Editing::Number, "Size of labels in points; empty: the venue's", "ctsbmporg"},
    {"tick_pt", "tick text", Editing::Number, "Size of the numbers at ticks in points; empty: the venue's",
     "ctsbmporg"},
    {"palette", "palette", Editing::Word, "Both are made for people who do not see all colours", "csbpor", "Style"},
    {"dashes", "dashes", Editing::Flag, "Each configuration has a dash of its own", "cso"},
    {"markers", "markers", Editing::Flag, "Each configuration has a marker of its own", "cso"},
};

}  // namespace

std::span<const FigureField> figureFields() { return kFigureFields; }

bool FigureField::isOf(FigureKind kind) const {
    return QLatin1String(kinds).contains(QLatin1Char("ctsbmporg"[static_cast<int>(kind)]));
}

QStringList wordsFor(const QString& key) {
    if (key == QLatin1String("venue")) return venueIds();
    if (key == QLatin1String("width")) return {QStringLiteral("column"), QStringLiteral("full")};
    if (key == QLatin1String("kind")) return kindWords().mid(0, static_cast<int>(FigureKind::Panels));
    if (key == QLatin1String("x")) return axisWords();
    if (key == QLatin1String("band")) return bandWords();
    if (key == QLatin1String("members")) return memberWords();
    if (key == QLatin1String("lines")) return lineWords();
    if (key == QLatin1String("palette")) return paletteWords();
    if (key == QLatin1String("legend")) return legendWords();
    if (key == QLatin1String("scaling")) return {QStringLiteral("weak"), QStringLiteral("strong")};
    if (key == QLatin1String("plot")) return scalingPlotWords();
    if (key == QLatin1String("number") || key == QLatin1String("against")) return numberWords();
    return {};
}

QString shownWord(const QString& key, const QString& word) {
    if (const Venue* venue = findVenue(word); venue && key == QLatin1String("venue"))
        return QLatin1String(venue->title);
    if (word == QLatin1String("okabe-ito")) return QStringLiteral("Okabe-Ito");
    if (word == QLatin1String("tol-bright")) return QStringLiteral("Tol, bright");
    if (word == QLatin1String("std")) return QStringLiteral("± standard deviation");
    if (word == QLatin1String("interval-95")) return QStringLiteral("95 % interval");
    if (word == QLatin1String("finished")) return QStringLiteral("finished runs");
    if (word == QLatin1String("as-far-as-all")) return QStringLiteral("all, as far as all go");
    if (word == QLatin1String("mean-and-seeds")) return QStringLiteral("mean, seeds behind it");
    if (word == QLatin1String("seeds")) return QStringLiteral("each seed");
    if (word == QLatin1String("ranks")) return QStringLiteral("each rank");
    if (word == QLatin1String("wall")) return QStringLiteral("wall time, with start-up");
    if (word == QLatin1String("training")) return QStringLiteral("training time");
    if (word == QLatin1String("bytes")) return QStringLiteral("bytes sent");
    QString shown = word;
    return shown.replace(QLatin1Char('-'), QLatin1Char(' '));
}

QStringList usualMetrics() {
    QStringList names;
    for (const char* name : {metrics::kEvalAccuracy, metrics::kTrainLoss, metrics::kEvalLoss, metrics::kSamplesPerS,
                             metrics::kTrainStepMs, metrics::kConsensusDistance}) {
        names << QLatin1String(name);
    }
    return names;
}

QJsonValue typedValue(Editing editing, const QString& typed) {
    const QString text = typed.trimmed();
    if (editing == Editing::Text || editing == Editing::Word || editing == Editing::Suggested) return typed;
    if (editing == Editing::List) {
        QJsonArray list;
        for (const QString& one : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) list.append(one.trimmed());
        return list;
    }
    if (text.isEmpty()) return QJsonValue::Null;
    bool isNumber = false;
    if (editing == Editing::Numbers) {
        QJsonArray list;
        for (const QString& one : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
            const double number = one.toDouble(&isNumber);
            list.append(isNumber ? QJsonValue(number) : QJsonValue(one.trimmed()));
        }
        return list;
    }
    if (editing == Editing::Number) {
        const double number = text.toDouble(&isNumber);
        return isNumber ? QJsonValue(number) : QJsonValue(text);
    }
    static const QRegularExpression kBetween(QStringLiteral("\\s*[,–;]\\s*|\\s+"));
    const QStringList parts = text.split(kBetween, Qt::SkipEmptyParts);
    bool isLow = false, isHigh = false;
    const double low = parts.value(0).toDouble(&isLow), high = parts.value(1).toDouble(&isHigh);
    if (parts.size() != 2 || !isLow || !isHigh) return text;
    return QJsonArray{low, high};
}

QString textOfValue(const QJsonValue& value) {
    if (value.isDouble()) return QString::number(value.toDouble(), 'g', QLocale::FloatingPointShortest);
    if (value.isString()) return value.toString();
    QStringList parts;
    for (const QJsonValue& one : value.toArray()) parts << textOfValue(one);
    return parts.join(QStringLiteral(", "));
}

}  // namespace dasgd::gui
