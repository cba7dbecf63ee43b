// The runs of a workspace as lines over the number of workers: which there are, how they are called and drawn. No
// widget; the numbers are core/analysis/scaling.h's.
#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/scaling.h"
#include "gui/models/live/curve.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

// Finished runs that differ only in workers and seeds.
struct ScalingLine {
    std::string key;               // its own in a workspace, for one kind of scaling
    std::vector<RunItemPtr> runs;  // the newest first
    std::vector<int> workers;      // rising, each once
    // Further runs, in no point: of those that ended, and of those that run or wait. The newest first.
    std::vector<RunItemPtr> unfinished, live;
    [[nodiscard]] const RunItem& newest() const { return *runs.front(); }
    [[nodiscard]] bool scales() const { return workers.size() > 1; }
    [[nodiscard]] bool simulated() const { return newest().row.timeSimulated; }
    [[nodiscard]] bool linkEmulated() const { return overEmulatedLink(newest()); }
    // "simulated", "measured, link emulated" or "measured".
    [[nodiscard]] QString origin() const;
    // "simulated  ·  1–256 workers, 9 sizes".
    [[nodiscard]] QString inWords() const;
};
// Configurations without a finished run are no line, and probes of a cluster are in none. Those that scale before those
// of one number of workers, each by their newest run, the newest first.
[[nodiscard]] std::vector<ScalingLine> scalingLines(std::span<const RunItemPtr> runs, Scaling scaling);

// The lines to begin with: those of the experiment of the first, that scale as it does; at most `limit`.
[[nodiscard]] std::vector<const ScalingLine*> firstLines(const std::vector<ScalingLine>& lines, std::size_t limit = 8);

using TimesById = std::map<std::string, RunTimes>;

// A line as it is drawn.
struct DrawnLine {
    const ScalingLine* line = nullptr;
    QString name;  // tells it from the other drawn lines
    CurveStyle style;
    std::vector<ScalingPoint> points;  // of the runs whose times are there
};
// As on every other page: Session::styleOf(), or that of a StyleBook.
using StyleOfRun = std::function<CurveStyle(const RunItem&)>;

// Names, styles and points of lines that are drawn together. A line has the colour of its newest run, and what computes
// the same has the same colour, measured or simulated; two lines never share colour, dash, marker and filling. Runs
// without times are left out.
[[nodiscard]] std::vector<DrawnLine> drawnLines(const std::vector<const ScalingLine*>& lines, const TimesById& times,
                                                Scaling scaling, const std::optional<Target>& target,
                                                const StyleOfRun& styleOf);

// The runs of these lines that did not finish, and are in no point: "dasgd, 8 workers, seed 3 failed at step 20".
[[nodiscard]] QStringList unfinishedInWords(const std::vector<DrawnLine>& lines);

enum class ScalingPlot { Throughput, Efficiency, TimeToTarget };

// One curve a line, in their order and with their points in their order; then the ideal. Lines without a point of this
// plot have an empty curve. Of time to target only points are drawn that all their seeds reached.
[[nodiscard]] std::vector<Curve> scalingCurves(const std::vector<DrawnLine>& lines, ScalingPlot plot);
// Of the y axis: what, and how its time came about.
[[nodiscard]] QString scalingAxis(const std::vector<DrawnLine>& lines, ScalingPlot plot,
                                  const std::optional<Target>& target);
// What a point of a plot stands for, for people: every number, and the ids of its runs.
[[nodiscard]] QString pointInWords(const DrawnLine& line, const ScalingPoint& point,
                                   const std::optional<Target>& target);
// "8.31 ± 0.02"; kAbsent for none.
[[nodiscard]] QString spreadText(const Sample& sample, double scale = 1);
// The same of the time to target, with how many seeds reached it where not all did.
[[nodiscard]] QString timeToTargetText(const ScalingPoint& point);

}  // namespace dasgd::gui
