// What the shown configurations of a comparison are as bars, as a map over two settings, as points and as parallel
// coordinates: plain data for gui/plots.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "gui/models/compare/compare_view.h"
#include "gui/plots/bar_chart.h"
#include "gui/plots/heat_map.h"
#include "gui/plots/parallel_plot.h"

namespace dasgd::gui {

// One bar a shown group, the best first; those without a number last. A time to a target that not all finished runs
// reached is said in words, without a bar and after those that all reached.
struct GroupBars {
    BarChart chart;
    std::vector<std::size_t> groups;  // by bar
};
// Behind a bar "× 0.281".
[[nodiscard]] GroupBars groupBars(const CompareView& view, CompareNumber number);
// Behind the bars "n = 3", or "n = 2 of 3" where one is missing, as paper has them. Where all are alike they are taken
// from the bars, which have that room then, and the answer is what is to be said once; else "".
[[nodiscard]] QString sayCounts(BarChart& chart);

// Cells over the values of two settings. A cell of several configurations that share both has no value, nor has a time
// to a target that not all finished runs of a cell reached.
struct GroupMap {
    HeatMap map;
    std::vector<std::vector<std::size_t>> groups;  // by cell
    std::set<std::string> mixedKeys;               // in which configurations of one cell differ
};
[[nodiscard]] GroupMap groupMap(const CompareView& view, CompareNumber number, const std::string& rowKey,
                                const std::string& columnKey);
// What stands below it, on the screen and on paper: what a cell is, and why some have no value.
[[nodiscard]] QStringList mapNotes(const CompareView& view, const GroupMap& map);

// One point a finished run of the shown groups, one curve a group.
struct RunPoints {
    std::vector<Curve> curves;
    std::vector<std::vector<RunItemPtr>> runs;  // by curve and point
};
[[nodiscard]] RunPoints runPoints(const CompareView& view, CompareNumber x, CompareNumber y);

// The axes that a comparison has where none are chosen: the settings that differ, then `numbers`; eight at most, of
// which the numbers go first. A setting is its key, a number its word in numberWords().
[[nodiscard]] QStringList usualAxes(const std::vector<CompareGroup>& groups, const std::vector<CompareNumber>& numbers);
// Numbers beside the settings that were swept.
[[nodiscard]] const std::vector<CompareNumber>& parallelNumbers();
// nullopt of a setting.
[[nodiscard]] std::optional<CompareNumber> numberOfAxis(const QString& axis);

// One line a group of `groups`. Of `axes` those that one of the groups has, in their order; an axis' key is its word in
// `axes`.
[[nodiscard]] ParallelPlot groupLines(const CompareView& view, const std::vector<std::size_t>& groups,
                                      const QStringList& axes);

// Its words, with the target's own number, with what says that time is simulated, and where the best accuracy was
// chosen on the test set itself.
[[nodiscard]] QString numberTitle(const CompareView& view, CompareNumber number);

// "d", "τ", "lr".
[[nodiscard]] QString keyName(const CompareView& view, const std::string& key);

}  // namespace dasgd::gui
