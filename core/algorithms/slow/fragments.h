// A model cut into fragments of whole layers, for algorithms that send one fragment at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace dasgd {

// Elements begin … end−1 of the flat parameters.
struct Fragment {
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] std::int64_t size() const { return end - begin; }
};

// Numbers of elements of the indivisible parts, in order of registration. A layer begins with a parameter of two or
// more dimensions; the vectors after it (bias, normalisation) belong to it. Where all parameters are vectors each is a
// part of its own, and in a model that is one vector, such as `quadratic`, each element is.
[[nodiscard]] std::vector<std::int64_t> indivisibleSizes(const std::vector<std::vector<std::int64_t>>& shapes);

// Cuts into `count` fragments, none empty, each cut at the part boundary nearest to equal sizes, the later of two
// equally near ones. `sizes` has at least `count` parts, none empty; count >= 1.
[[nodiscard]] std::vector<Fragment> cutIntoFragments(const std::vector<std::int64_t>& sizes, std::int64_t count);

// The parts of each of `count` fragments, ascending: those of cutIntoFragments(), or strided, where part i belongs to
// fragment i mod count. The same conditions.
[[nodiscard]] std::vector<std::vector<Fragment>> partsOfFragments(const std::vector<std::int64_t>& sizes,
                                                                  std::int64_t count, bool strided);
// `parts` with neighbours joined; `parts` is ascending.
[[nodiscard]] std::vector<Fragment> joined(const std::vector<Fragment>& parts);

// When fragments take their turns: fragment i has its outer step after step ⌊(i+1)·H/F⌋ of each round of H steps, and
// leaves δ steps ahead of it; in the first round not where that would be before the first step. Steps count from 1.
class FragmentTurns {
public:
    // 1 <= `fragments` <= `period`, 0 <= `delay` < `period`.
    FragmentTurns(std::int64_t period, std::int64_t fragments, std::int64_t delay)
        : period_(period), fragments_(fragments), delay_(delay) {}

    // The fragment that leaves, or has its outer step, after step k; at most one does.
    [[nodiscard]] std::optional<std::size_t> leavingAfter(std::int64_t k) const { return steppedAfter(k + delay_); }
    [[nodiscard]] std::optional<std::size_t> steppedAfter(std::int64_t k) const;
    // True where each fragment has had its outer step before the next one leaves.
    [[nodiscard]] bool oneAtATime() const { return delay_ < period_ / fragments_; }

private:
    std::int64_t period_, fragments_, delay_;
};

}  // namespace dasgd
