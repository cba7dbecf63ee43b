// Parallel coordinates on a page of a paper.
#pragma once

#include "gui/kit/plots/paper/paper_page.h"
#include "gui/kit/plots/paper/parallel_words.h"

namespace dasgd::gui {

// Called on the UI thread; paint() of the page may run on any thread, one call at a time.
[[nodiscard]] PaperPage layOut(const ParallelFigure& figure);

}  // namespace dasgd::gui
