// A figure as it is kept: what it shows and how it is drawn, not what it looked like once. Runs that are chosen by a
// filter are found anew each time, so that the figure follows what is recorded.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

#include "core/analysis/scaling.h"
#include "core/base/metric_names.h"
#include "core/base/result.h"
#include "gui/models/compare/compare_numbers.h"
#include "gui/models/figures/venues.h"
#include "gui/models/live/series.h"
#include "gui/models/scaling/scaling.h"

namespace dasgd::gui {

enum class FigureKind { Curves, Timeline, Scaling, Bars, Map, Scatter, Parallel, Panels };
enum class FigureBand { None, Std, Interval95 };    // around a mean over seeds
enum class FigureMembers { Finished, AsFarAsAll };  // which runs of a configuration are in its curve
// What the curves of a configuration are: its mean over seeds, each seed or each rank of each of its runs by itself.
enum class FigureLines { Mean, MeanAndSeeds, Seeds, Ranks };
enum class FigurePalette { OkabeIto, TolBright };
enum class FigureWidth { Column, Full };

struct FigureRange {
    double low = 0, high = 1;
    bool operator==(const FigureRange&) const = default;
};

// The part of an axis of parallel coordinates that is marked: a range, or of an axis of words its values.
struct FigureBrush {
    std::optional<FigureRange> range = {};  // may be a single number
    QStringList values = {};                // where there is no range
    bool operator==(const FigureBrush&) const = default;
};

struct FigureSpec {
    static constexpr qsizetype kMostParallelAxes = 12;
    static constexpr int kVersion = 2;  // 2 brought members, lines and baseline; files of 1 are read
    static constexpr std::size_t kMostPanels = 12;

    FigureKind kind = FigureKind::Curves;
    QString title, caption;
    QStringList runs;  // ids or unique beginnings
    QString filter;    // where `runs` is empty: gui/models/filter's language; "" is every run

    // Of curves.
    QString metric = QString::fromLatin1(metrics::kTrainLoss);
    XAxis x = XAxis::Step;
    double smoothing = 0;  // weight of the moving average, per run, before the mean
    FigureBand band = FigureBand::Std;
    FigureMembers members = FigureMembers::Finished;  // AsFarAsAll: a mean ends where the first of its runs does
    FigureLines lines = FigureLines::Mean;
    std::optional<bool> logY;  // absent: as the metric is drawn in the window
    // Of a timeline: seconds of the run; absent: a dozen steps of its steady state.
    std::optional<FigureRange> windowS;
    int ranks = 4;            // drawn at most, where `rankRows` does not say which
    QString rankRows;         // gui/models/figures/rank_rows.h's language: which ranks, in which order
    QStringList hiddenKinds;  // kinds of spans that are not drawn
    // Of scaling.
    Scaling scaling = Scaling::Weak;
    ScalingPlot plot = ScalingPlot::Throughput;
    QString target;  // "accuracy=0.97"; "" for none; of bars, maps, scatters and parallel coordinates too
    // Of bars, of a map over two settings, and of a scatter with one point a run.
    CompareNumber number = CompareNumber::StepMs;
    CompareNumber against = CompareNumber::Hidden;  // along x of a scatter
    // The configuration that ratios refer to, by its name or, whatever is beside it, curveKey(); "": as `dasgd compare`
    // chooses. Not of scatters.
    QString baseline;
    QString rows, columns;  // keys of the settings of a map; "": those that were swept
    // Of parallel coordinates: settings, as algorithm.delay, and words of numbers, as step-ms, from left to right;
    // empty: as the Compare page chooses them.
    QStringList axes;
    std::map<QString, FigureBrush> brushes;  // by axis; lines outside are grey
    QString colorBy;                         // a setting whose values have a look each; "": each configuration has one

    // Of panels: figures of their own kinds, of one venue, so many beside each other as there is room for.
    std::vector<FigureSpec> panels;
    int across = 2;

    // Of what has axes.
    std::optional<FigureRange> xRange, yRange;
    FigurePalette palette = FigurePalette::OkabeIto;
    bool dashes = true, markers = true;  // not both off: colour is never the only sign
    // Names of curves, by curveKey(), which stays, or by what they are called by default, which changes with the runs
    // beside them.
    std::map<QString, QString> names;

    QString venue = QStringLiteral("neurips");
    FigureWidth width = FigureWidth::Full;
    std::optional<double> widthIn;  // instead of the venue's
    double heightIn = 2.15;         // of plot, labels and two rows of legend; more rows make the figure higher

    bool operator==(const FigureSpec&) const = default;

    [[nodiscard]] const Venue& venueOf() const;  // the first where there is none of this id
    [[nodiscard]] double inchesWide() const;
    // Whether the number of `kind` is asked of each run or configuration as the Compare page has them.
    [[nodiscard]] bool isCompared() const { return kind >= FigureKind::Bars && kind <= FigureKind::Parallel; }
    // Whether it has axes that can be set, and curves that are drawn in them.
    [[nodiscard]] bool hasAxes() const;
};

// "a" of the first panel, in the names of files, and "(a)" as its readers see it.
[[nodiscard]] inline QString panelLetter(std::size_t panel) { return QChar(u'a' + static_cast<char16_t>(panel)); }
[[nodiscard]] inline QString panelLabel(std::size_t panel) { return QStringLiteral("(%1)").arg(panelLetter(panel)); }

// Errors name the field, what was found and what is allowed.
[[nodiscard]] Result<FigureSpec> figureSpecOf(const QJsonObject& object);
// The same of a file's content; `name` begins the message, with line and column where the text is no JSON.
[[nodiscard]] Result<QJsonObject> jsonObjectOf(const QByteArray& text, const QString& name);
// Every field that the kind has.
[[nodiscard]] QJsonObject jsonOf(const FigureSpec& spec);
// A figure of a bundle and the name of its files.
struct NamedFigure {
    QString name;
    FigureSpec spec;
};
inline constexpr int kBundleVersion = 1;  // of figure.json
// As figure.json has them, without what was drawn of them. A name that an earlier figure has gets a number after it.
[[nodiscard]] QJsonObject jsonOf(const std::vector<NamedFigure>& figures);
// What contradicts itself or cannot be drawn, although each value is allowed; figureSpecOf() has asked it.
[[nodiscard]] Status check(const FigureSpec& spec);

// The words of JSON, in the order of their enumeration.
[[nodiscard]] QStringList kindWords();
[[nodiscard]] QStringList axisWords();
[[nodiscard]] QStringList bandWords();
[[nodiscard]] QStringList memberWords();
[[nodiscard]] QStringList lineWords();
[[nodiscard]] QStringList paletteWords();
[[nodiscard]] QStringList scalingPlotWords();
[[nodiscard]] QStringList numberWords();

}  // namespace dasgd::gui
