// Set-up of the runs of a figure (model, data, workers, link, machine) and its differences, for notes and caption.
#pragma once

#include "core/base/result.h"
#include "gui/figures/content/figure_content.h"

namespace dasgd::gui {

// Fills `into.setup` from the runs in the picture. Notes and cautions name the differences of their set-ups and, where
// a time is shown, the runs beside which other programs took cores. Workers and hosts of a scaling figure are its
// variables and no differences, nor are the batches of strong scaling. Errors: a store that cannot be read.
[[nodiscard]] Status addSetup(storage::WorkspaceReader& reader, const FigureSpec& spec, FigureContent& into);

// Caption of a figure: the user's words, else its title, then the set-up with the commits or the run's id, the notes,
// and the cautions: "Loss. lenet on mnist, 4 workers, batch 32 a worker, gloo, link not emulated, n = 3, commit
// 83e1fb3d. Mean ± std, n = 3. Set-ups differ: …". A figure of panels has each of these once, with the letters of its
// panels. The artwork has no notes.
[[nodiscard]] QString captionOf(const FigureContent& content, const FigureSpec& spec);

}  // namespace dasgd::gui
