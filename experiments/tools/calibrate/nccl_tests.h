// The text output of NVIDIA's nccl-tests, read into timings of collectives and fitted.
//
// The format, as nccl-tests 2.0 to 2.20 print it (github.com/NVIDIA/nccl-tests, src/common.cu and src/util.cu): a list
// of ranks ("#  Rank  0 Group  0 Pid …"), a line of column names ("#  size  count  type  redop  root  time  algbw
// busbw  #wrong  time  algbw  busbw  #wrong") and a row for each size, with the time out of place and in place in
// microseconds and bandwidths in 10⁹ bytes per second. Columns are found by their names; all_gather_perf of older
// versions has no redop and root. The name of the test is in a line "# Collective test starting: all_reduce_perf",
// which versions before 2.17 do not print; then the last command line before the table that names one counts, or the
// name of the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/schema/value.h"
#include "core/cost/cost.h"
#include "core/cost/fit/collective_fit.h"

namespace dasgd::experiments {

struct NcclRow {
    double bytes = 0;
    double outOfPlace = 0;  // seconds
    double inPlace = 0;
};

struct NcclCollective {
    Collective collective{};
    std::vector<NcclRow> rows;  // those of all tables of this collective
    CollectiveFit fit;          // residuals: out of place and in place of each row in turn
};

struct NcclTests {
    int ranks = 0;
    std::vector<NcclCollective> collectives;  // by Collective, which is also by preference for a calibration
    std::size_t emptyRows = 0;                // rows of 0 bytes, which say nothing of a transfer
    std::size_t passedOver = 0;               // lines between rows that are none, as messages of NCCL

    // The collective whose α and β stand for the link: the all-reduce where there is one.
    [[nodiscard]] const NcclCollective& chosen() const { return collectives.front(); }
    [[nodiscard]] LinkCost link() const { return {.alpha = chosen().fit.alpha, .beta = chosen().fit.beta}; }
};

// Each row is held to algbw = size ÷ time and busbw = algbw · bytesShare (2(P−1)/P for an all-reduce) within what its
// digits can say. Errors, with file and line: a row that is not whole, wrong values, bandwidths that do not fit, a
// table without ranks or without a name, ranks without a collective between them.
[[nodiscard]] Result<NcclTests> readNcclTests(const std::vector<std::string>& files);

// [cluster] and [network] of the calibration; an experiment on it computes as its own [compute] says.
[[nodiscard]] Value calibratedCluster(const NcclTests& tests);
// The text of a calibration file, with the source of each number.
[[nodiscard]] std::string calibrationDocument(const NcclTests& tests, const std::vector<std::string>& files);

}  // namespace dasgd::experiments
