// Choice and names of the runs that are drawn together.
#pragma once

#include <QStringList>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/data/runs/run_item.h"

namespace dasgd::gui {

// The runs drawn with `current`, itself first: for each configuration of its experiment one run, preferably of its
// series, then finished or running, then of its seed, then the newest. At most `limit`, runs of its series first. A
// probe is drawn with probes only. `runs` in any order.
[[nodiscard]] std::vector<RunItemPtr> overlaidWith(const RunItem& current, std::span<const RunItemPtr> runs,
                                                   std::size_t limit = 8);

enum class Named {
    Configurations,  // each of `runs` stands for its configuration, whatever its seed
    EachRun,
};

// Short names that differ between the runs: the algorithm, then settings in which the configurations differ
// (differencesOf()), those with most values first, then seeds if configuration and experiment are equal, or if runs are
// named and any seeds differ, then the experiment if there are several: "dasgd τ 4 d 2 seed 1 (delay-sweep)". Of
// settings outside the algorithm's section, those that follow from the experiment are left out, and beyond the second
// those that follow from a named one; the number of workers is always named. Settings in `apart` are ignored.
[[nodiscard]] QStringList distinguishingNames(std::span<const RunItemPtr> runs, const std::set<std::string>& apart = {},
                                              Named named = Named::Configurations);

// Names of configurations, each given with all of its runs, at least one. A configuration with runs of several
// experiments is named with each of them, "dasgd (probe, failing)".
[[nodiscard]] QStringList configurationNames(std::span<const std::vector<RunItemPtr>> configurations);

}  // namespace dasgd::gui
