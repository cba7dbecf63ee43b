// Bars, maps and scatters of configurations: the numbers of the Compare page, read at once.
#pragma once

#include <span>

#include "core/base/result.h"
#include "gui/figures/figure_content.h"

namespace dasgd::gui {

// `all`: of the workspace; they decide the styles.
[[nodiscard]] Status readComparison(storage::RunReader& reader, const FigureSpec& spec,
                                    std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all,
                                    FigureContent& into);

}  // namespace dasgd::gui
