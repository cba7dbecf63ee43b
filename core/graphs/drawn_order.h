// An order of the ranks that is drawn anew in each round, the same on all of them.
#pragma once

#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/graphs/graph.h"

namespace dasgd {

// Fisher and Yates from the top: for i = P − 1 … 1 place i changes with ⌊u·(i + 1)⌋, u being a draw of 53 bits.
[[nodiscard]] inline std::vector<int> drawnOrder(const GraphRound& round) {
    std::mt19937_64 draws(
        streamSeed(round.seed, kEveryRank, StreamPurpose::Graph, static_cast<std::uint64_t>(round.number)));
    std::vector<int> order(static_cast<std::size_t>(round.size));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i-- > 1;) {
        const double u = static_cast<double>(draws() >> 11) * 0x1p-53;
        std::swap(order[i], order[static_cast<std::size_t>(u * static_cast<double>(i + 1))]);
    }
    return order;
}

// Place of `rank` in an order.
[[nodiscard]] inline std::size_t placeOf(const std::vector<int>& order, int rank) {
    std::size_t place = 0;
    while (order[place] != rank) ++place;
    return place;
}

}  // namespace dasgd
