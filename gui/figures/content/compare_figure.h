// Figures of the Compare page: bars, maps and scatter plots of configurations.
#pragma once

#include <span>

#include "core/base/result.h"
#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Reads table, picture, sources and notes of `runs` into `into`. `all`: every run of the workspace; it decides the
// styles. Errors: a store that cannot be read, a malformed target. An unknown baseline is told in `into.nothing`.
[[nodiscard]] Status readComparison(storage::WorkspaceReader& reader, const FigureSpec& spec,
                                    std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all,
                                    FigureContent& into);

}  // namespace dasgd::gui
