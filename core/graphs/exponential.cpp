// A rank hears those 1, 2, 4, … before it (Assran et al., arXiv 1811.10792; Ying et al., NeurIPS 2021, arXiv
// 2110.13363): log₂P neighbours and a spectral gap of 2/(1 + log₂P) where P is a power of two.
#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

class Exponential final : public NeighbourGraph {
public:
    explicit Exponential(const GraphWeights& params) : NeighbourGraph(params.weights) {}
    [[nodiscard]] bool isSymmetric() const override { return false; }

private:
    [[nodiscard]] static std::vector<int> atDistances(const GraphRound& round, int rank, int sign) {
        std::vector<int> all;
        for (int step = 1; step < round.size; step *= 2) {
            all.push_back((rank + sign * step + round.size) % round.size);
        }
        return neighboursAmong(all, rank);
    }
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        return atDistances(round, rank, -1);
    }
    [[nodiscard]] std::vector<int> receiversOf(const GraphRound& round, int rank) const override {
        return atDistances(round, rank, 1);
    }
};

const GraphRegistry::Add<Exponential, GraphWeights> kExponentialEntry{
    "exponential", "Each rank and those 1, 2, 4, ... before it", "arXiv 2110.13363"};

}  // namespace
}  // namespace dasgd
