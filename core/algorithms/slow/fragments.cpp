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

std::vector<std::vector<Fragment>> partsOfFragments(const std::vector<std::int64_t>& sizes, std::int64_t count,
                                                    bool strided) {
    const std::vector<Fragment> fragments = cutIntoFragments(sizes, count);
    std::vector<std::vector<Fragment>> parts(fragments.size());
    std::size_t number = 0, consecutive = 0;
    std::int64_t begin = 0;
    for (const std::int64_t size : sizes) {
        if (begin == fragments[consecutive].end) ++consecutive;
        parts[strided ? number++ % fragments.size() : consecutive].push_back({begin, begin + size});
        begin += size;
    }
    return parts;
}

std::vector<Fragment> joined(const std::vector<Fragment>& parts) {
    std::vector<Fragment> ranges;
    for (const Fragment& part : parts) {
        if (!ranges.empty() && ranges.back().end == part.begin) {
            ranges.back().end = part.end;
        } else {
            ranges.push_back(part);
        }
    }
    return ranges;
}

std::optional<std::size_t> FragmentTurns::steppedAfter(std::int64_t k) const {
    if (k < 1) return std::nullopt;
    const std::int64_t place = (k - 1) % period_ + 1;
    const std::int64_t turn = (place * fragments_ + period_ - 1) / period_;  // of them, from 1
    if (turn * period_ / fragments_ != place) return std::nullopt;
    return static_cast<std::size_t>(turn - 1);
}

}  // namespace dasgd
