#include "core/graphs/drawn_order.h"
#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

// The ranks in a drawn order, two and two; of an odd number the last one rests.
class RandomPair final : public NeighbourGraph {
public:
    explicit RandomPair(const GraphWeights& params) : NeighbourGraph(params.weights) {}
    [[nodiscard]] std::int64_t period(int /*size*/) const override { return 0; }

private:
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        const std::vector<int> order = drawnOrder(round);
        const std::size_t partner = placeOf(order, rank) ^ 1U;
        return partner < order.size() ? std::vector<int>{order[partner]} : std::vector<int>();
    }
};

const GraphRegistry::Add<RandomPair, GraphWeights> kRandomPairEntry{"random-pair",
                                                                    "Pairs that are drawn anew in each round"};

}  // namespace
}  // namespace dasgd
