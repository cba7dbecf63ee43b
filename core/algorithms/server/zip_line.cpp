#include "core/algorithms/server/zip_line.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace dasgd {

// With the points of all workers in ascending order, the best choice that ends at a point has every worker's newest
// point until then: any other is earlier.
ZipLineChoice zipLine(const std::vector<std::vector<Ns>>& instants) {
    struct Point {
        Ns at;
        std::size_t worker;
        std::int64_t index;
    };
    std::vector<Point> points;
    for (std::size_t worker = 0; worker < instants.size(); ++worker) {
        for (std::size_t i = 0; i < instants[worker].size(); ++i) {
            points.push_back({instants[worker][i], worker, static_cast<std::int64_t>(i)});
        }
    }
    std::ranges::sort(points, {}, [](const Point& point) { return std::tuple(point.at, point.worker, point.index); });
    std::vector<std::int64_t> newest(instants.size(), -1);
    std::multiset<Ns> window;
    ZipLineChoice best;
    for (const Point& point : points) {
        std::int64_t& index = newest[point.worker];
        if (index >= 0) window.erase(window.find(instants[point.worker][static_cast<std::size_t>(index)]));
        window.insert(point.at);
        index = point.index;
        if (window.size() < instants.size()) continue;
        const Ns spread = point.at - *window.begin();
        if (best.chosen.empty() || spread < best.spread) best = {spread, newest};
    }
    return best;
}

}  // namespace dasgd
