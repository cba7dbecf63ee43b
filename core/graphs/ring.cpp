#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

class Ring final : public NeighbourGraph {
public:
    explicit Ring(const GraphWeights& params) : NeighbourGraph(params.weights) {}

private:
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        return neighboursAmong({(rank + round.size - 1) % round.size, (rank + 1) % round.size}, rank);
    }
};

const GraphRegistry::Add<Ring, GraphWeights> kRingEntry{"ring", "Each rank and its two neighbours on a ring"};

}  // namespace
}  // namespace dasgd
