// Experiments of one file that differ in several places at once.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/value.h"

namespace dasgd::experiments {

struct Case {
    Value document;     // without [[case]]; values keep the places they came from
    std::string label;  // "case=large": the names of the case and of those it is in, else their numbers
};

// Each [[case]] laid over the rest of the file, in order: tables are merged key by key, anything else is replaced. A
// case may hold cases of its own and a [sweep]. Without any: the document as it is. Errors: `case` is no array of
// tables, is empty, or nests without end.
[[nodiscard]] Result<std::vector<Case>> expandCases(const Value& document);

}  // namespace dasgd::experiments
