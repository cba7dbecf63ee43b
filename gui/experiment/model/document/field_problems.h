// Errors in the fields of an experiment's text that the schema alone reveals. The program stops at its first error;
// these are shown beside it. Rules across fields, files, the sweep and the cases are checked only by the program.
#pragma once

#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

// Errors in the program's wording, by line: unknown keys, values of another type or out of range. Fields that [sweep]
// or a
// [[case]] sets are skipped, as no run uses their value in the section; so are unknown keys of a section whose plug-in
// they choose.
[[nodiscard]] std::vector<Problem> fieldProblems(const ExperimentDocument& document, const ExperimentSchema& schema);

// `first`, the error of the program, together with `others` at other keys and lines; by line.
[[nodiscard]] std::vector<Problem> withOthers(const Problem& first, std::vector<Problem> others);

}  // namespace dasgd::gui
