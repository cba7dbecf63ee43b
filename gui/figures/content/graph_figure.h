// Figures of a graph of gossip: who mixes with whom in a round of a run.
#pragma once

#include <span>

#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Fills graph, notes, table and CSV with the graph of the first of `runs` that mixes over one. The reason why there is
// nothing to draw is put into `into.nothing`.
void takeGraph(const FigureSpec& spec, std::span<const RunItemPtr> runs, FigureContent& into);

}  // namespace dasgd::gui
