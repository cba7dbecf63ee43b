// About how long planned runs take: their steps, each as long as a step of the newest finished run with the same
// settings was measured to be. Pure; any thread.
#pragma once

#include <QString>
#include <QStringList>
#include <span>
#include <vector>

#include "gui/models/experiment/dry_run.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

struct SweepTime {
    // Reading the settings of more runs than these would be felt.
    static constexpr std::size_t kMostPlanned = 100, kMostMeasured = 512;

    double seconds = 0;                       // of the known runs' steps, one run after the other
    qint64 known = 0, looked = 0, total = 0;  // runs: with a measured step, looked at, planned
    QStringList from;                         // runs that measured the steps, each once

    // "about 6.2 min", "4.1 s for 2 of 9 runs", "not known".
    [[nodiscard]] QString inWords() const;
    // What it is from, what it leaves out.
    [[nodiscard]] QString basis() const;
};

// The same settings: all but seeds, name, and how long to train. Simulated times are no measurement.
[[nodiscard]] SweepTime sweepTime(const std::vector<PlannedRun>& planned, qint64 total,
                                  std::span<const RunItemPtr> runs);

}  // namespace dasgd::gui
