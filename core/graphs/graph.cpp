#include "core/graphs/graph.h"

#include <algorithm>
#include <cmath>

namespace dasgd {

namespace {

constexpr double kTolerance = 1e-6;
// Rounds that are looked at of a graph that is drawn, and the most of one that repeats: the weights of a graph are of
// one kind in all of them.
constexpr std::int64_t kDrawnRounds = 4, kMostRounds = 64;

std::int64_t roundsToLookAt(const Graph& graph, int size) {
    const std::int64_t period = graph.period(size);
    return period > 0 ? std::min(period, kMostRounds) : kDrawnRounds;
}

}  // namespace

std::vector<std::vector<double>> matrixOf(const Graph& graph, const GraphRound& round) {
    const auto size = static_cast<std::size_t>(round.size);
    std::vector<std::vector<double>> matrix(size, std::vector<double>(size, 0));
    for (std::size_t i = 0; i < size; ++i) {
        const Graph::Mix mix = graph.mix(round, static_cast<int>(i));
        matrix[i][i] = mix.self;
        for (const auto& [rank, weight] : mix.from) matrix[i][static_cast<std::size_t>(rank.value())] += weight;
    }
    return matrix;
}

int largestDegree(const Graph& graph, int size, std::uint64_t seed) {
    if (const auto known = graph.degree(size)) return *known;
    std::size_t most = 0;
    for (std::int64_t t = 0; t < roundsToLookAt(graph, size); ++t) {
        for (int rank = 0; rank < size; ++rank) {
            most = std::max(most, graph.mix({.number = t, .size = size, .seed = seed}, rank).to.size());
        }
    }
    return static_cast<int>(most);
}

bool isConnected(const Graph& graph, int size, std::uint64_t seed) {
    std::vector<int> reached{0};
    std::vector<bool> known(static_cast<std::size_t>(size), false);
    known[0] = true;
    for (std::size_t next = 0; next < reached.size(); ++next) {
        for (std::int64_t t = 0; t < roundsToLookAt(graph, size); ++t) {
            for (const Rank to : graph.mix({.number = t, .size = size, .seed = seed}, reached[next]).to) {
                if (known[static_cast<std::size_t>(to.value())]) continue;
                known[static_cast<std::size_t>(to.value())] = true;
                reached.push_back(to.value());
            }
        }
    }
    return std::ssize(reached) == size || graph.period(size) == 0;
}

std::optional<FieldError> Graph::check(int size) const {
    if (auto refused = checkSize(size)) return refused;
    for (std::int64_t t = 0; t < roundsToLookAt(*this, size); ++t) {
        std::vector<double> columns(static_cast<std::size_t>(size), 0);
        for (const auto& row : matrixOf(*this, {.number = t, .size = size})) {
            for (std::size_t j = 0; j < row.size(); ++j) columns[j] += row[j];
        }
        const auto off = std::ranges::find_if(columns, [](double sum) { return std::abs(sum - 1) > kTolerance; });
        if (off == columns.end()) continue;
        return FieldError{"weights", "the weights that rank " + std::to_string(off - columns.begin()) +
                                         " has at all ranks sum to " + std::to_string(*off) +
                                         ", so that mixing would move the mean of the ranks: each column of W must "
                                         "sum to 1, as with weights = \"metropolis\" on a symmetric graph"};
    }
    return std::nullopt;
}

}  // namespace dasgd
