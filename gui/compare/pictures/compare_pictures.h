// The shown configurations of a comparison as bars, as a map over two settings, as points and as parallel coordinates:
// plain data for gui/kit/plots.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gui/compare/model/compare_view.h"
#include "gui/kit/plots/bar_chart.h"
#include "gui/kit/plots/heat_map.h"
#include "gui/kit/plots/parallel_plot.h"

namespace dasgd::gui {

// A bar for each shown group, the best first and those without a number last. If only some finished runs of a group
// reached a target, words stand in place of the bar, after the groups that all reached.
struct GroupBars {
    BarChart chart;
    std::vector<std::size_t> groups;  // index of the group of each bar
};
// Bars of a number, each with its ratio to the baseline, "× 0.281".
[[nodiscard]] GroupBars groupBars(const CompareView& view, CompareNumber number);
// Rewrites the counts behind the bars for paper: "n = 3", or "n = 2 of 3" where one is missing. If all are the same,
// they are removed from the bars, which saves room, and returned for a note; else returns "".
[[nodiscard]] QString sayCounts(BarChart& chart);

// Cells over the values of two settings. A cell has no value if several configurations share both settings, or if not
// all of its finished runs reached the target of a time.
struct GroupMap {
    HeatMap map;
    std::vector<std::vector<std::size_t>> groups;  // indices of the groups of each cell
    std::set<std::string> mixedKeys;               // settings in which configurations of one cell differ
};
[[nodiscard]] GroupMap groupMap(const CompareView& view, CompareNumber number, const std::string& rowKey,
                                const std::string& columnKey);
// Notes below a map, on the screen and on paper: meaning of a cell, and why some have no value.
[[nodiscard]] QStringList mapNotes(const CompareView& view, const GroupMap& map);

// A curve for each shown group with a point for each of its finished runs.
struct RunPoints {
    std::vector<Curve> curves;
    std::vector<std::vector<RunItemPtr>> runs;  // run of each point, by curve
};
[[nodiscard]] RunPoints runPoints(const CompareView& view, CompareNumber x, CompareNumber y);

// Axes of parallel coordinates: the settings that differ, as keys, then four numbers, as words of numberWords().
// Settings are left out to keep the axes to eight; numbers are not.
[[nodiscard]] QStringList usualAxes(const std::vector<CompareGroup>& groups);

// Parallel coordinates with a line for each of `groups`, over those of `axes` for which a group has a value, in order.
// The key of an axis is its word in `axes`.
[[nodiscard]] ParallelPlot groupLines(const CompareView& view, const std::vector<std::size_t>& groups,
                                      const QStringList& axes);

// Title of a number with unit, target and clock, and a remark if the best accuracy was chosen on the test set itself.
[[nodiscard]] QString numberTitle(const CompareView& view, CompareNumber number);

// Short name of a setting: "d", "τ", "lr".
[[nodiscard]] QString keyName(const CompareView& view, const std::string& key);

}  // namespace dasgd::gui
