// Which runs are drawn beside which, and under what name.
#pragma once

#include <QStringList>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

// The runs drawn with `current`, itself first: of each configuration of its experiment a run of its own series, of
// these one of its own seed, or else the newest; a stopped one only where there is no other of that kind. At most
// `limit`, those of its series before others. A probe is drawn with probes alone. `runs` in any order.
[[nodiscard]] std::vector<RunItemPtr> overlaidWith(const RunItem& current, std::span<const RunItemPtr> runs,
                                                   std::size_t limit = 8);

enum class Named {
    Configurations,  // each of `runs` stands for its configuration, whatever its seed
    EachRun,
};

// Short names that tell the runs apart: the algorithm, then what sets its configuration apart (differencesOf()), what
// differs most before the rest, then the seeds where configuration and experiment are the same, or where runs are named
// and any seeds differ, and the experiment where there are several: "dasgd τ 4 d 2 seed 1 (delay-sweep)". Of settings
// outside the algorithm's section none is said that follows from the experiment, nor a third one that follows from one
// that is said; but the number of workers always is. Settings in `apart` do not count.
[[nodiscard]] QStringList distinguishingNames(std::span<const RunItemPtr> runs, const std::set<std::string>& apart = {},
                                              Named named = Named::Configurations);

// The same of configurations with all of their runs, none without one: where runs of several experiments are one
// configuration, its name has each of them, "dasgd (probe, failing)".
[[nodiscard]] QStringList configurationNames(std::span<const std::vector<RunItemPtr>> configurations);

}  // namespace dasgd::gui
