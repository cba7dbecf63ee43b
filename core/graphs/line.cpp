#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

class Line final : public NeighbourGraph {
public:
    explicit Line(const GraphWeights& params) : NeighbourGraph(params.weights) {}

private:
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        std::vector<int> all;
        if (rank > 0) all.push_back(rank - 1);
        if (rank + 1 < round.size) all.push_back(rank + 1);
        return all;
    }
};

const GraphRegistry::Add<Line, GraphWeights> kLineEntry{"line", "A ring that is cut between the last rank and rank 0"};

}  // namespace
}  // namespace dasgd
