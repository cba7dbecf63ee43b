#include <numeric>

#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

class Complete final : public NeighbourGraph {
public:
    explicit Complete(const GraphWeights& params) : NeighbourGraph(params.weights) {}

private:
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        std::vector<int> all(static_cast<std::size_t>(round.size));
        std::iota(all.begin(), all.end(), 0);
        all.erase(all.begin() + rank);
        return all;
    }
};

const GraphRegistry::Add<Complete, GraphWeights> kCompleteEntry{"complete",
                                                                "All ranks with all: the mean in one round"};

}  // namespace
}  // namespace dasgd
