// Graphs that are given by neighbours, with weights by their number. Base of most graphs.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/graphs/graph.h"

namespace dasgd {

// The field that graphs of neighbours share.
struct GraphWeights {
    std::string weights = "auto";
    void visit(auto&& f) {
        f(weights, "weights",
          {.help = "metropolis: 1 / (1 + the larger number of neighbours of the two). uniform: 1 / (1 + own number). "
                   "auto: metropolis where the graph is symmetric, else uniform",
           .choices = {"auto", "metropolis", "uniform"}});
    }
};

// Weights of Metropolis and Hastings (Xiao, Boyd, 2004): Wᵢⱼ = 1/(1 + max(dᵢ, dⱼ)), Wᵢᵢ the rest, which keeps the mean
// on any symmetric graph. Uniform weights, 1/(1 + dᵢ), keep it where all ranks have as many neighbours.
class NeighbourGraph : public Graph {
public:
    explicit NeighbourGraph(std::string weights) : weights_(std::move(weights)) {}
    [[nodiscard]] Mix mix(const GraphRound& round, int rank) const final {
        const std::vector<int> sources = sourcesOf(round, rank);
        const bool metropolis = weights_ == "metropolis" || (weights_ == "auto" && isSymmetric());
        Mix mix;
        double others = 0;
        for (const int source : sources) {
            std::size_t most = sources.size();
            if (metropolis) most = std::max(most, sourcesOf(round, source).size());
            mix.from.push_back({Rank(source), 1.0 / static_cast<double>(1 + most)});
            others += mix.from.back().weight;
        }
        // Equal weights are equal to the last bit.
        const bool equal = std::ranges::all_of(mix.from, [&](const Mix::From& from) {
            return from.weight == 1.0 / static_cast<double>(1 + sources.size());
        });
        mix.self = equal ? 1.0 / static_cast<double>(1 + sources.size()) : 1 - others;
        for (const int receiver : receiversOf(round, rank)) mix.to.emplace_back(receiver);
        return mix;
    }

private:
    // The ranks that `rank` hears, each once and without itself.
    [[nodiscard]] virtual std::vector<int> sourcesOf(const GraphRound& round, int rank) const = 0;
    // The ranks that hear it. Default: for symmetric graphs.
    [[nodiscard]] virtual std::vector<int> receiversOf(const GraphRound& round, int rank) const {
        return sourcesOf(round, rank);
    }

    std::string weights_;
};

// `others` without `rank` and without repetitions, in their order.
[[nodiscard]] inline std::vector<int> neighboursAmong(const std::vector<int>& others, int rank) {
    std::vector<int> all;
    for (const int other : others) {
        if (other != rank && std::ranges::find(all, other) == all.end()) all.push_back(other);
    }
    return all;
}

// Least m with 2ᵐ >= size.
[[nodiscard]] inline int ceilLog2(int size) {
    int m = 0;
    while ((1 << m) < size) ++m;
    return m;
}

}  // namespace dasgd
