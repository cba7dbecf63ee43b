// The runs of a workspace as lines over the number of workers: their names and styles. No widget; the numbers come from
// core/analysis/runs/scaling.h.
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/runs/scaling.h"
#include "gui/data/curves/spread.h"
#include "gui/data/runs/run_item.h"
#include "gui/kit/curves/curve.h"

namespace dasgd::gui {

// Finished runs that differ only in workers and seeds.
struct ScalingLine {
    std::string key;               // unique in a workspace, for one kind of scaling
    std::vector<RunItemPtr> runs;  // newest first
    std::vector<int> workers;      // ascending, each once
    // Further runs, in no point: ended ones without a result, and running or queued ones. Newest first.
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
// Configurations without a finished run make no line; probes of a cluster are left out. Lines with several numbers of
// workers come first, each kind ordered by newest run.
[[nodiscard]] std::vector<ScalingLine> scalingLines(std::span<const RunItemPtr> runs, Scaling scaling);

// The lines shown at first: those of the first line's experiment that scale as it does; at most `limit`.
[[nodiscard]] std::vector<const ScalingLine*> firstLines(const std::vector<ScalingLine>& lines, std::size_t limit = 8);

using TimesById = std::map<std::string, RunTimes>;

// A line prepared for drawing.
struct DrawnLine {
    const ScalingLine* line = nullptr;
    QString name;  // distinguishes it from the other drawn lines
    CurveStyle style;
    std::vector<ScalingPoint> points;  // of the runs whose times have been read
};
// Style of a run as on every other page: Session::styleOf(), or that of a StyleBook.
using StyleOfRun = std::function<CurveStyle(const RunItem&)>;

// Names, styles and points of lines drawn together. Lines of the same work have the same colour, measured or simulated;
// no two lines share colour, dash, marker and filling. Runs without times are left out.
[[nodiscard]] std::vector<DrawnLine> drawnLines(const std::vector<const ScalingLine*>& lines, const TimesById& times,
                                                Scaling scaling, const std::optional<Target>& target,
                                                const StyleOfRun& styleOf);

// The runs of these lines that are in no point: "dasgd, 8 workers, seed 3 failed at step 20 of 60", "dasgd, 8 workers,
// seed 1 was run again: the older run, finished, does not count".
[[nodiscard]] QStringList leftOutInWords(const std::vector<DrawnLine>& lines);

// The numbers of a point, in the order of tables.
struct ScalingNumber {
    const char *title, *csv, *help;
    Sample ScalingPoint::*sample;
    double scale;          // factor from the sample to the title's unit
    bool isRatio = false;  // spreadOfRatio()
    [[nodiscard]] QString text(const ScalingPoint& point) const;
};
inline constexpr std::array<ScalingNumber, 6> kScalingNumbers{
    {{"ms/step", "step_ms", "mean time of a step, evaluations and the first steps left out", &ScalingPoint::stepMs, 1},
     {"samples/s", "samples_per_s", "training samples of all workers per second", &ScalingPoint::samplesPerS, 1},
     {"speed-up", "speed_up", "throughput ÷ that at the smallest number of workers of this line",
      &ScalingPoint::speedUp, 1, true},
     {"efficiency %", "efficiency", "speed-up ÷ the ratio of the workers", &ScalingPoint::efficiency, 100, true},
     {"hidden %", "hidden", "part of the reductions that ran while the rank computed", &ScalingPoint::hidden, 100},
     {"s to target", "s_to_target",
      "time of training until the first evaluation that reaches the target; evaluations are left out",
      &ScalingPoint::secondsToTarget, 1}}};

enum class ScalingPlot { Throughput, Efficiency, TimeToTarget };

// One curve per line, in the same order and with the same points, then the ideal curves. A line without a point in this
// plot has an empty curve. Time to target shows only points whose seeds all reached it.
[[nodiscard]] std::vector<Curve> scalingCurves(const std::vector<DrawnLine>& lines, ScalingPlot plot);
// Label of the y axis: the quantity, and the origin of its times.
[[nodiscard]] QString scalingAxis(const std::vector<DrawnLine>& lines, ScalingPlot plot,
                                  const std::optional<Target>& target);
// A point of a plot in words: all numbers, and the ids of its runs.
[[nodiscard]] QString pointInWords(const DrawnLine& line, const ScalingPoint& point,
                                   const std::optional<Target>& target);
// Time to target, with the number of seeds that reached it if not all did.
[[nodiscard]] QString timeToTargetText(const ScalingPoint& point);

}  // namespace dasgd::gui
