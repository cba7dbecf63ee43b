// `dasgd-lab figure --scaling`: the plots of the Scaling page as figures of a paper.
#pragma once

#include <QStringList>

#include "core/base/result.h"
#include "gui/figures/figure_command.h"

namespace dasgd::gui {

// Writes throughput.*, efficiency.* and, with a target, time-to-target.*, the table points.csv and figure.json. Answers
// the files written. Errors: no such run or experiment, none of them finished, a file that cannot be written.
[[nodiscard]] Result<QStringList> writeScalingFigures(const FigureOptions& options);

}  // namespace dasgd::gui
