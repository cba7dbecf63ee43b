// The sparse text of LIBSVM and of its data sets (https://www.csie.ntu.edu.tw/~cjlin/libsvm/): a sample a line,
// `target index:value index:value …`, indices from 1 on and ascending, what is absent is 0; `#` begins a comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// Of a sample.
inline constexpr std::int64_t kMaxLibsvmFeatures = 2'000'000'000;

// Compressed rows: row i has the entries starts[i] to starts[i + 1] − 1.
struct SparseRows {
    std::vector<double> targets;
    std::vector<std::size_t> starts{0};
    std::vector<std::int32_t> columns;  // from 0 on
    std::vector<float> values;
    std::int64_t width = 0;    // the largest index there is
    std::string widest;        // where it is: name:line:column
    std::int64_t skipped = 0;  // damaged lines
    std::string firstSkipped;  // what an error would have said of the first of them
};

// `name` is what errors call the text; they begin with name:line:column. Damaged lines are counted instead where
// `skipsDamage`; one with an index above kMaxLibsvmFeatures is damaged. Errors also, whatever `skipsDamage`: a line in
// order with an index above `maxIndex`, which is at most kMaxLibsvmFeatures; no line that holds a sample.
[[nodiscard]] Result<SparseRows> parseLibsvm(std::string_view text, const std::string& name, bool skipsDamage,
                                             std::int64_t maxIndex);

}  // namespace dasgd
