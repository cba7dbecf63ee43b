// A ring on which ranks also hear the next but one; made by tests/bench/add_one_of_each.sh.
#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

class ExtraGraph final : public NeighbourGraph {
public:
    explicit ExtraGraph(const GraphWeights& params) : NeighbourGraph(params.weights) {}

private:
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        std::vector<int> near;
        for (const int distance : {-2, -1, 1, 2}) near.push_back((rank + distance + 2 * round.size) % round.size);
        return neighboursAmong(near, rank);
    }
};

const GraphRegistry::Add<ExtraGraph, GraphWeights> kExtraGraphEntry{"extra_graph", "Up to four neighbours on a ring"};

}  // namespace
}  // namespace dasgd
