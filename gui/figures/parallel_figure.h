// Parallel coordinates of configurations, as the Compare page has them: a line each, over settings and numbers.
#pragma once

#include "gui/figures/figure_content.h"
#include "gui/models/compare/compare_view.h"

namespace dasgd::gui {

// Lines, legend, notes, table and CSV of the shown configurations, each of which has a finished run. `spec` names its
// axes. What cannot be drawn, a brush that its axis does not have among it, is in `into.nothing`.
void takeParallel(const CompareView& view, const FigureSpec& spec, FigureContent& into);

}  // namespace dasgd::gui
