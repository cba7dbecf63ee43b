#include <numeric>

#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

class Star final : public NeighbourGraph {
public:
    explicit Star(const GraphWeights& params) : NeighbourGraph(params.weights) {}

private:
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        if (rank > 0) return {0};
        std::vector<int> all(static_cast<std::size_t>(round.size - 1));
        std::iota(all.begin(), all.end(), 1);
        return all;
    }
};

const GraphRegistry::Add<Star, GraphWeights> kStarEntry{"star", "Rank 0 and each of the others"};

}  // namespace
}  // namespace dasgd
