// The plots of the Scaling page as figures of a paper.
#pragma once

#include <span>

#include "core/base/result.h"
#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Fills curves, axes, table, points and sources from the finished runs among `runs`; `all` decides the styles.
[[nodiscard]] Status readScaling(storage::WorkspaceReader& reader, const FigureSpec& spec,
                                 std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all,
                                 FigureContent& into);

}  // namespace dasgd::gui
