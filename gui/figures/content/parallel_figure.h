// Figures of parallel coordinates, as on the Compare page: a line for each configuration, over settings and numbers.
#pragma once

#include "gui/compare/model/compare_view.h"
#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Fills lines, legend, notes, table and CSV of the shown configurations, each of which has a finished run. `spec` names
// the axes. The reason why nothing can be drawn, such as a brush outside of its axis, is put into `into.nothing`.
void takeParallel(const CompareView& view, const FigureSpec& spec, FigureContent& into);

}  // namespace dasgd::gui
