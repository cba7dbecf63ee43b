// In round t a rank hears the one 2^(t mod ⌈log₂P⌉) before it: the exponential graph, one neighbour at a time (arXiv
// 2110.13363). After log₂P rounds all ranks have the mean if, and only if, P is a power of two.
#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

class OnePeerExponential final : public NeighbourGraph {
public:
    explicit OnePeerExponential(const GraphWeights& params) : NeighbourGraph(params.weights) {}
    [[nodiscard]] std::int64_t period(int size) const override { return std::max(1, ceilLog2(size)); }
    [[nodiscard]] bool isSymmetric() const override { return false; }

private:
    [[nodiscard]] std::vector<int> atDistance(const GraphRound& round, int rank, int sign) const {
        if (round.size == 1) return {};
        const int step = 1 << (round.number % period(round.size));
        return {(rank + sign * step + round.size) % round.size};
    }
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        return atDistance(round, rank, -1);
    }
    [[nodiscard]] std::vector<int> receiversOf(const GraphRound& round, int rank) const override {
        return atDistance(round, rank, 1);
    }
};

const GraphRegistry::Add<OnePeerExponential, GraphWeights> kOnePeerExponentialEntry{
    "one-peer-exponential", "In turn the rank 1, 2, 4, ... before", "arXiv 2110.13363"};

}  // namespace
}  // namespace dasgd
