// A figure as it is stored: what it shows and how it is drawn, without the data. Runs chosen by a filter are selected
// again each time, so that the figure includes new runs.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <map>
#include <optional>
#include <vector>

#include "core/analysis/runs/scaling.h"
#include "core/base/metric_names.h"
#include "core/base/result.h"
#include "gui/compare/model/compare_numbers.h"
#include "gui/figures/model/venues.h"
#include "gui/kit/curves/series.h"
#include "gui/scaling/model/scaling.h"

namespace dasgd::gui {

enum class FigureKind { Curves, Timeline, Scaling, Bars, Map, Scatter, Over, Graph, Panels };
using FigureBand = Spread;      // of the band around a mean over seeds
using FigureMembers = Members;  // which runs of a configuration enter its curve: Finished or AsFarAsAll
// Curves drawn for a configuration: the mean over its seeds, each seed, or each rank of each of its runs.
enum class FigureLines { Mean, MeanAndSeeds, Seeds, Ranks };
enum class FigurePalette { OkabeIto, TolBright };
enum class FigureWidth { Column, Full };
enum class FigureLegend { Above, Inside, None };

struct FigureRange {
    double low = 0, high = 1;
    bool operator==(const FigureRange&) const = default;
};

struct FigureSpec {
    // 2 added members, lines and baseline; 3 what stands around the axes and runs beside each other. Older files are
    // read.
    static constexpr int kVersion = 3;
    static constexpr std::size_t kMostPanels = 12;

    FigureKind kind = FigureKind::Curves;
    QString title, caption;
    QStringList runs;  // ids or unique beginnings of ids
    QString filter;    // used if `runs` is empty, in the language of gui/data/filter; "" is every run

    // Fields of curves.
    QString metric = QString::fromLatin1(metrics::kTrainLoss);
    XAxis x = XAxis::Step;
    double smoothing = 0;  // weight of the moving average applied to each run before the mean
    FigureBand band = FigureBand::Std;
    FigureMembers members = FigureMembers::Finished;  // AsFarAsAll: a mean ends where its shortest run ends
    FigureLines lines = FigureLines::Mean;
    std::optional<bool> logY;  // absent: the default of the metric
    // Fields of a timeline. `windowS`: seconds of the run; absent: a dozen steps of its steady state.
    std::optional<FigureRange> windowS;
    int ranks = 4;            // number of ranks drawn if `rankRows` is ""
    QString rankRows;         // which ranks in which order, in the language of gui/figures/model/rank_rows.h
    bool eachRun = false;     // rows for a run of every configuration, from a common zero; else for one run
    QStringList hiddenKinds;  // kinds of spans that are not drawn
    // Fields of scaling.
    Scaling scaling = Scaling::Weak;
    ScalingPlot plot = ScalingPlot::Throughput;
    QString target;  // "accuracy=0.97"; "" for none; also for bars, maps and scatters
    // Fields of bars, of a map over two settings, and of a scatter with one point per run.
    CompareNumber number = CompareNumber::StepMs;
    CompareNumber against = CompareNumber::Hidden;  // x axis of a scatter
    // Configuration that ratios refer to, by its name or its curveKey(), which does not depend on the other runs; "":
    // the default of `dasgd compare`. Not used by scatters.
    QString baseline;
    QString rows, columns;  // settings on the axes of a map; "": those that were swept
    QString over;           // setting on the x axis of Over; "": one that was swept

    // Round of a graph of gossip, from 0.
    int round = 0;

    // Fields of panels: figures of other kinds, of one venue, at most `across` in a row.
    std::vector<FigureSpec> panels;
    int across = 2;

    // Fields of kinds with axes.
    std::optional<FigureRange> xRange, yRange;
    QString xLabel, yLabel;              // instead of the usual ones
    std::vector<double> xTicks, yTicks;  // places of the ticks; empty: chosen to fit
    FigureLegend legend = FigureLegend::Above;
    std::optional<int> legendColumns;  // at most; absent: as many as fit
    QStringList order;                 // of the curves, by name or curveKey(); others follow as usual
    FigurePalette palette = FigurePalette::OkabeIto;
    bool dashes = true, markers = true;  // not both off, as colour must not be the only distinction
    // Names of curves, by curveKey(), which is stable, or by the default name, which depends on the other runs.
    std::map<QString, QString> names;

    QString venue = QStringLiteral("neurips");
    FigureWidth width = FigureWidth::Full;
    std::optional<double> widthIn;       // instead of the venue's width
    std::optional<int> labelPt, tickPt;  // sizes of text instead of the venue's
    double heightIn = 2.15;              // height of plot, labels and two rows of legend; further rows add to it

    bool operator==(const FigureSpec&) const = default;

    [[nodiscard]] const Venue& venueOf() const;  // venues().front() if the id is unknown
    [[nodiscard]] double inchesWide() const;
    [[nodiscard]] int labelSize() const { return labelPt.value_or(venueOf().labelPt); }
    [[nodiscard]] int tickSize() const { return tickPt.value_or(venueOf().tickPt); }
    // Kinds that show results (CompareNumber) of runs or configurations as on the Compare page.
    [[nodiscard]] bool isCompared() const { return kind >= FigureKind::Bars && kind <= FigureKind::Over; }
    // Kinds with axes whose ranges can be set and curves drawn in them.
    [[nodiscard]] bool hasAxes() const;
};

// "a" for the first panel, used in file names, and "(a)", used in print.
[[nodiscard]] inline QString panelLetter(std::size_t panel) { return QChar(u'a' + static_cast<char16_t>(panel)); }
[[nodiscard]] inline QString panelLabel(std::size_t panel) { return QStringLiteral("(%1)").arg(panelLetter(panel)); }

// Reads a figure. Errors name the field, the value found and the allowed ones.
[[nodiscard]] Result<FigureSpec> figureSpecOf(const QJsonObject& object);
// Parses a file's content. Errors begin with `name`, with line and column if the text is no JSON.
[[nodiscard]] Result<QJsonObject> jsonObjectOf(const QByteArray& text, const QString& name);
// The figure as JSON, with every field of its kind.
[[nodiscard]] QJsonObject jsonOf(const FigureSpec& spec);
// A figure of a bundle and the name of its files.
struct NamedFigure {
    QString name;
    FigureSpec spec;
};
inline constexpr int kBundleVersion = 1;  // version of figure.json
// The figures as figure.json holds them, without drawn data. A repeated name gets a number appended.
[[nodiscard]] QJsonObject jsonOf(const std::vector<NamedFigure>& figures);
// Errors in combinations of values that are each allowed; called by figureSpecOf().
[[nodiscard]] Status check(const FigureSpec& spec);

// The words used in JSON, in the order of their enumeration.
[[nodiscard]] QStringList kindWords();
[[nodiscard]] QStringList axisWords();
[[nodiscard]] QStringList bandWords();
[[nodiscard]] QStringList memberWords();
[[nodiscard]] QStringList lineWords();
[[nodiscard]] QStringList paletteWords();
[[nodiscard]] QStringList legendWords();
[[nodiscard]] QStringList scalingPlotWords();
[[nodiscard]] QStringList numberWords();

}  // namespace dasgd::gui
