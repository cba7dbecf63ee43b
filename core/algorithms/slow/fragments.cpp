#include "core/algorithms/slow/fragments.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "core/base/check.h"

namespace dasgd {

std::vector<std::int64_t> indivisibleSizes(const std::vector<std::vector<std::int64_t>>& shapes) {
    const auto elements = [](const std::vector<std::int64_t>& shape) {
        return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    };
    const auto beginsLayer = [](const std::vector<std::int64_t>& shape) { return shape.size() >= 2; };
    if (shapes.size() == 1 && !beginsLayer(shapes[0])) {
        return std::vector<std::int64_t>(static_cast<std::size_t>(elements(shapes[0])), 1);
    }
    const bool allVectors = std::ranges::none_of(shapes, beginsLayer);
    std::vector<std::int64_t> sizes;
    bool begun = false;
    for (const auto& shape : shapes) {
        // Vectors ahead of the first layer belong to it.
        if (sizes.empty() || allVectors || (begun && beginsLayer(shape))) sizes.push_back(0);
        begun = begun || beginsLayer(shape);
        sizes.back() += elements(shape);
    }
    return sizes;
}

std::vector<Fragment> cutIntoFragments(const std::vector<std::int64_t>& sizes, std::int64_t count) {
    const auto parts = static_cast<std::int64_t>(sizes.size());
    DASGD_CHECK(count >= 1 && count <= parts);
    std::vector<std::int64_t> ends(sizes.size());
    std::partial_sum(sizes.begin(), sizes.end(), ends.begin());
    std::vector<Fragment> fragments;
    std::int64_t part = 0, begin = 0;
    for (std::int64_t i = 1; i <= count; ++i) {
        const auto distance = [&](std::int64_t of) {
            return std::abs(ends[static_cast<std::size_t>(of)] * count - i * ends.back());
        };
        // Each of the following fragments needs a part.
        const std::int64_t last = parts - 1 - (count - i);
        std::int64_t cut = i == count ? last : part;
        while (cut < last && distance(cut + 1) <= distance(cut)) ++cut;
        fragments.push_back({begin, ends[static_cast<std::size_t>(cut)]});
        begin = fragments.back().end;
        part = cut + 1;
    }
    return fragments;
}

}  // namespace dasgd
