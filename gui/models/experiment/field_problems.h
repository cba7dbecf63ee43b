// What is wrong with the fields that an experiment's text sets, by the schema alone. The program stops at the first
// error that it finds; by this the others are seen beside it. Rules across fields, files, the sweep and the cases are
// the program's: nothing is said of them here.
#pragma once

#include "gui/models/experiment/experiment_document.h"

namespace dasgd::gui {

// In the words of the program, by line: keys that their section does not know, values of another type or out of range.
// Fields that [sweep] or a [[case]] sets are passed over, as what stands under them in their section is used by no run,
// and so are the unknown keys of a section whose plug-in they choose.
[[nodiscard]] std::vector<Problem> fieldProblems(const ExperimentDocument& document, const ExperimentSchema& schema);

// `first`, as the program said it, with those of `others` that are of other keys, by line.
[[nodiscard]] std::vector<Problem> withOthers(const Problem& first, std::vector<Problem> others);

}  // namespace dasgd::gui
