// What the runs of a figure were made of and on, and in what they differ: for its notes and its caption.
#pragma once

#include "core/base/result.h"
#include "gui/figures/figure_content.h"

namespace dasgd::gui {

// Of the runs that are in the picture: a note in what their set-ups differ. The numbers of workers of scaling are what
// it is about, and so are the batches that share one between them. Errors: of the store.
[[nodiscard]] Status addSetup(storage::RunReader& reader, const FigureSpec& spec, FigureContent& into);

}  // namespace dasgd::gui
