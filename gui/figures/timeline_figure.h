// The overlap timeline of a run as a paper figure: some steps of the steady state, with its legend.
#pragma once

#include <QString>
#include <optional>

#include "core/analysis/overlap.h"
#include "core/base/result.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// About a dozen steps near the middle of the run, with as little evaluation in them as may be; nullopt where it
// recorded no spans.
[[nodiscard]] Result<std::optional<TimeRange>> steadyWindow(storage::RunReader& reader, const storage::RunDetail& run);

// `stem` without suffix; writes .pdf, .svg and .png. At most `ranks` ranks are drawn, and the figure says so.
[[nodiscard]] Status writeTimelineFigure(storage::RunReader& reader, const storage::RunDetail& run, TimeRange window,
                                         double widthIn, int ranks, const QString& stem);

}  // namespace dasgd::gui
