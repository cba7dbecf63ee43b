// Reconstructs the experiment of a series from the recorded configurations of its runs: the configuration of one run
// with a [sweep] over the differences. Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <span>

#include "gui/data/runs/run_item.h"

namespace dasgd::gui {

struct SeriesDocument {
    QString text;     // TOML
    RunItemPtr base;  // run whose settings stand outside [sweep]; files named in the text are its artefacts
    int runs = 0;     // number of runs of the sweep
};

// A key is swept by itself; a section is swept as a whole if its runs have different keys (other algorithms) or not
// every combination of its values. The order of the runs becomes that of the sweep. A run made twice counts once.
// nullopt: fewer than two configurations, not every combination of the differences (cases, or missing runs), or each
// run has a file of its own.
[[nodiscard]] std::optional<SeriesDocument> seriesDocument(std::span<const RunItemPtr> runs);

}  // namespace dasgd::gui
