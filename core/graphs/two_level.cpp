// Ranks of one node take their mean, and the nodes mix: W = W_nodes ⊗ 11ᵀ/G.
#include "core/graphs/graph.h"

namespace dasgd {
namespace {

struct TwoLevelParams {
    std::int64_t ranksPerNode = 2;
    std::string outer = "ring";
    void visit(auto&& f) {
        f(ranksPerNode, "ranks_per_node",
          {.min = 1, .max = 1e6, .unit = "ranks", .symbol = "G", .help = "Ranks of a node, which divide all"});
        f(outer, "outer",
          {.help = "The graph of the nodes", .choices = {"ring", "torus", "line", "star", "complete", "exponential"}});
    }
};

class TwoLevel final : public Graph {
public:
    explicit TwoLevel(const TwoLevelParams& params)
        : perNode_(static_cast<int>(params.ranksPerNode)),
          nodes_(GraphRegistry::find(params.outer)->create(Value(Value::Table{}), {}).value()) {}
    [[nodiscard]] bool isSymmetric() const override { return nodes_->isSymmetric(); }
    [[nodiscard]] Mix mix(const GraphRound& round, int rank) const override {
        if (round.size == 1) return {};
        const Mix outer = nodes_->mix({.size = round.size / perNode_}, rank / perNode_);
        Mix mix{.self = outer.self / perNode_};
        addNode(mix, rank / perNode_, mix.self, rank);
        for (const auto& [node, weight] : outer.from) addNode(mix, node.value(), weight / perNode_, rank);
        for (int member = 0; member < perNode_; ++member) {
            const int other = rank / perNode_ * perNode_ + member;
            if (other != rank) mix.to.emplace_back(other);
        }
        for (const Rank node : outer.to) {
            for (int member = 0; member < perNode_; ++member) mix.to.emplace_back(node.value() * perNode_ + member);
        }
        return mix;
    }

private:
    void addNode(Mix& mix, int node, double weight, int rank) const {
        for (int member = 0; member < perNode_; ++member) {
            const int other = node * perNode_ + member;
            if (other != rank) mix.from.push_back({Rank(other), weight});
        }
    }
    [[nodiscard]] std::optional<FieldError> checkSize(int size) const override {
        if (size == 1 || size % perNode_ == 0) return std::nullopt;
        return FieldError{"ranks_per_node", "ranks_per_node is " + std::to_string(perNode_) +
                                                ", which does not divide " + std::to_string(size) +
                                                " ranks: choose a divisor"};
    }

    int perNode_;
    std::unique_ptr<Graph> nodes_;
};

const GraphRegistry::Add<TwoLevel, TwoLevelParams> kTwoLevelEntry{"two-level",
                                                                  "The mean within nodes, and a graph of the nodes"};

}  // namespace
}  // namespace dasgd
