// The probabilities p ≥ ε/n that minimise Σ a²/p, for numbers a ≥ 0 of which one changes at a time (El Hanchi and
// Stephens, arXiv 2103.12293):
//
//   p_i = max(ε/n, a_i/λ)      λ = S/(1 − rε/n), S the sum of all a but the r smallest, which have the floor ε/n
//
// In the order of a, "a is above the floor if all before it are at the floor", a·(1 − rε/n) ≥ S·ε/n with r the number
// before it and S the sum from it on, once true stays true: r is found by descent in a tree that is ordered by a and
// has counts and sums of its subtrees. Each call takes O(log n), expected.
//
// The tree is a treap (Seidel and Aragon, Algorithmica 16, 1996) where the paper has a red-black tree. Its priorities
// are a hash of the number's index: shape and sums depend on the numbers alone, and not on what came before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dasgd {

class OrderedWeights {
public:
    // `floor`: ε, 0 < ε <= 1. At least one value.
    OrderedWeights(const std::vector<double>& values, double floor);

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] double operator[](std::size_t i) const { return nodes_[i].value; }
    void set(std::size_t i, double value);

    [[nodiscard]] double probability(std::size_t i) const;
    // The number i with probability(i), for `uniform` in [0, 1).
    [[nodiscard]] std::size_t find(double uniform) const;
    // λ; 0 where all are equally likely because all values are 0, or the floor is all there is.
    [[nodiscard]] double lambda() const { return lambda_; }

private:
    using Index = std::int32_t;
    static constexpr Index kNone = -1;
    struct Node {
        double value = 0;
        double sum = 0;  // of the subtree
        Index left = kNone, right = kNone;
        Index count = 1;  // of the subtree
        std::uint32_t priority = 0;
    };

    [[nodiscard]] Node& at(Index i) { return nodes_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const Node& at(Index i) const { return nodes_[static_cast<std::size_t>(i)]; }
    [[nodiscard]] double sumOf(Index tree) const { return tree == kNone ? 0 : at(tree).sum; }
    [[nodiscard]] Index countOf(Index tree) const { return tree == kNone ? 0 : at(tree).count; }
    [[nodiscard]] bool isBefore(Index a, Index b) const;
    [[nodiscard]] bool isAbove(Index a, Index b) const;
    void addUp(Index tree);
    [[nodiscard]] Index merged(Index before, Index after);
    void split(Index tree, Index by, Index& before, Index& after);
    [[nodiscard]] Index without(Index tree, Index i);
    [[nodiscard]] Index with(Index tree, Index i);
    void build(const std::vector<Index>& order);
    void findThreshold();
    [[nodiscard]] Index byRank(Index rank) const;
    [[nodiscard]] Index bySumFromTheEnd(double sum) const;

    std::vector<Node> nodes_;  // of number i at i
    Index root_ = kNone;
    double least_;       // ε/n
    Index atFloor_ = 0;  // r
    double above_ = 0;   // S
    double lambda_ = 0;
};

}  // namespace dasgd
