// Distinct integer types, so that `rank < step` does not compile.
#pragma once

#include <compare>
#include <cstdint>

namespace dasgd {

template <class Tag, class Int>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(Int value) : value_(value) {}
    [[nodiscard]] constexpr Int value() const { return value_; }
    constexpr auto operator<=>(const Id&) const = default;

private:
    Int value_ = 0;
};

// 0 .. workers-1. kWholeRun (-1) marks a number that belongs to the run, not to a rank.
using Rank = Id<struct RankTag, std::int32_t>;
inline constexpr Rank kWholeRun{-1};

// Completed local steps: 0 is the start, k the state after the k-th step's merge, snapshot and launch.
using Step = Id<struct StepTag, std::int64_t>;

}  // namespace dasgd
