// A model cut into fragments of whole layers, for algorithms that send one fragment at a time.
#pragma once

#include <cstdint>
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

}  // namespace dasgd
