// Parallel coordinates on a page of a paper.
#pragma once

#include "gui/plots/paper_page.h"
#include "gui/plots/parallel_words.h"

namespace dasgd::gui {

// UI thread; its paint() any thread, one at a time.
[[nodiscard]] PaperPage layOut(const ParallelFigure& figure);

}  // namespace dasgd::gui
