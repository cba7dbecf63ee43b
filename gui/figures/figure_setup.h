// What the runs of a figure were made of and on, and in what they differ: for its notes and its caption.
#pragma once

#include "core/base/result.h"
#include "gui/figures/figure_content.h"

namespace dasgd::gui {

// Of the runs that are in the picture: `setup`, and as notes and cautions in what their set-ups differ and beside which
// of them other programs took cores, where a time is shown. The numbers of workers and hosts of scaling are what it is
// about, and so are the batches that share one between them. Errors: of the store.
[[nodiscard]] Status addSetup(storage::RunReader& reader, const FigureSpec& spec, FigureContent& into);

// What a caption says of the figure: the words that were written for it, else its title, then the set-up, with what
// leads from the paper to the runs, and the cautions: "Loss. lenet on mnist, 4 workers, batch 32 a worker, gloo, link
// not emulated, n = 3, commit 83e1fb3d. Set-ups differ: …"; of panels each set-up and each caution with its letters.
[[nodiscard]] QString captionOf(const FigureContent& content, const FigureSpec& spec);

}  // namespace dasgd::gui
