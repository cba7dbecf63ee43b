// The sparse text of LIBSVM and of its data sets (https://www.csie.ntu.edu.tw/~cjlin/libsvm/): one sample per line,
// `target index:value index:value …`, indices ascending, from 1 on or from 0 on, what is absent is 0; `#` begins a
// comment. SVMlight's `qid:number` behind a target and a byte order mark are read over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// Largest index of a sample.
inline constexpr std::int64_t kMaxLibsvmFeatures = 2'000'000'000;

// Compressed rows: row i has the entries starts[i] to starts[i + 1] − 1.
struct SparseRows {
    std::vector<double> targets;
    std::vector<std::size_t> starts{0};
    std::vector<std::int32_t> columns;  // indices as they are written
    std::vector<float> values;
    bool fromZero = false;  // index 0 occurs
    std::int64_t largestIndex = 0;
    std::string widest;        // place of the largest index: name:line:column
    std::int64_t skipped = 0;  // damaged lines
    std::string firstSkipped;  // text of the error for the first damaged line
};

// `name` is what errors call the text; they begin with name:line:column. A number too large for float32 is damage; one
// too small to be told from 0 is 0. Damaged lines are counted instead where
// `skipsDamage`; one with an index above kMaxLibsvmFeatures is damaged. Errors also, whatever `skipsDamage`: a line in
// order with an index above `maxIndex`, which is at most kMaxLibsvmFeatures; no line that holds a sample.
[[nodiscard]] Result<SparseRows> parseLibsvm(std::string_view text, const std::string& name, bool skipsDamage,
                                             std::int64_t maxIndex);

}  // namespace dasgd
