// The experiment behind a series of runs, written again from their recorded configurations: that of the first, with a
// [sweep] over what the others differ in. Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <span>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

struct SeriesDocument {
    QString text;     // TOML
    RunItemPtr base;  // the run whose settings stand outside [sweep]; files that the text names are its artefacts
    int runs = 0;     // that the sweep makes
};

// A key is swept by itself; a section is swept as a whole where its runs have different keys (other algorithms) or not
// every combination of its values. The order of the runs becomes that of the sweep. A run that was made twice counts
// once. nullopt: fewer than two configurations, not every combination of what the runs differ in (cases, or some runs
// are missing), or each run has a file of its own.
[[nodiscard]] std::optional<SeriesDocument> seriesDocument(std::span<const RunItemPtr> runs);

}  // namespace dasgd::gui
