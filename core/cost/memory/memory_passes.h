// Traffic of memory in snapshots and merges, in passes: one pass reads or writes every element of a tensor once, so
// that P passes over B bytes take P·B ÷ [compute] memory_bandwidth. Calibration finds that rate from a copy. The counts
// are those of the operators of core/gpu/flat_ops.h.
#pragma once

#include <cstdint>

namespace dasgd {

constexpr double kPassesOfCopy = 2;    // reads x, writes y
constexpr double kPassesOfUpdate = 3;  // reads x and y, writes x

// The merge family (core/algorithms/averaging/delayed_average.h): a snapshot reads the weights and writes what leaves;
// with a correction c > 0 it also writes the copy that the merge compares with.
constexpr double passesOfSnapshot(bool isCorrected) { return isCorrected ? 3 : kPassesOfCopy; }
// A merge reads the mean and writes the weights; it reads the weights where ξ > 0 or c > 0, the copy where c > 0, and
// `parts` further tensors that arrived.
constexpr double passesOfMerge(bool isLocal, bool isCorrected, int parts = 0) {
    return (isCorrected ? 4 : isLocal ? kPassesOfUpdate : kPassesOfCopy) + parts;
}

// One bit a number (core/compression/sign.cpp): passes over the numbers, measured. Error feedback reads and writes what
// was not sent, and reads what is to be sent.
constexpr double kPassesOfPutSigns = 1.6, kPassesOfAddedSigns = 3.1;
constexpr double kPassesOfFeedback = 3;

// Bytes of a span: a snapshot's are charged as a copy, a merge's as an update. `passes` over a tensor of `bytes`.
constexpr std::int64_t snapshotBytes(double passes, std::int64_t bytes) {
    return static_cast<std::int64_t>(passes / kPassesOfCopy * static_cast<double>(bytes));
}
constexpr std::int64_t mergeBytes(double passes, std::int64_t bytes) {
    return static_cast<std::int64_t>(passes * static_cast<double>(bytes) / kPassesOfUpdate);
}

}  // namespace dasgd
