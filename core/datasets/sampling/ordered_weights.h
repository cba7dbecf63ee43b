// The probabilities p ≥ ε/n that minimise Σ a²/p, for numbers a ≥ 0 of which one changes at a time (El Hanchi and
// Stephens, arXiv 2103.12293):
//
//   p_i = max(ε/n, a_i/λ)      λ = S/(1 − rε/n), S the sum of all a but the r smallest, which have the floor ε/n
//
// In the order of a, "a is above the floor if all before it are at the floor", a·(1 − rε/n) ≥ S·ε/n with r the number
// before it and S the sum from it on, once true stays true: r is found by descent in a tree that is ordered by a and
// has counts and sums of its subtrees. Each call takes O(log n), expected.
//
// The paper has a red-black tree. Here the numbers lie in order in short runs, each of which begins with a number that
// a hash of its index chose as a head, one of 64; a treap (Seidel and Aragon, Algorithmica 16, 1996) holds the runs,
// with hashes as priorities. So the part that is searched stays in a processor's cache, and runs, shape and sums depend
// on the numbers alone, and not on what came before: a run that is resumed draws what the whole one does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dasgd {

class OrderedWeights {
public:
    // `floor`: ε, 0 < ε <= 1. At least one value.
    OrderedWeights(const std::vector<double>& values, double floor);

    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] double operator[](std::size_t i) const { return values_[i]; }
    void set(std::size_t i, double value);

    [[nodiscard]] double probability(std::size_t i) const;
    // The number i with probability(i), for `uniform` in [0, 1).
    [[nodiscard]] std::size_t find(double uniform) const;
    // λ; 0 where all are equally likely because all values are 0, or the floor is all there is.
    [[nodiscard]] double lambda() const { return lambda_; }

private:
    using Index = std::int32_t;
    static constexpr Index kNone = -1;
    // A number with its index: different in any case, and in the order of the numbers.
    using Entry = std::pair<double, Index>;
    // A run, as a node of the treap. Run 0 has no head: it is the first, and may be empty.
    struct Run {
        std::vector<Entry> entries;  // ascending
        Entry head;                  // entries.front(), but for run 0
        double own = 0, sum = 0;     // of the entries, and of those of the subtree
        Index left = kNone, right = kNone;
        Index count = 0;  // entries of the subtree
        std::uint64_t priority = 0;
    };

    [[nodiscard]] static bool isHead(Index i);
    [[nodiscard]] Run& at(Index run) { return runs_[static_cast<std::size_t>(run)]; }
    [[nodiscard]] const Run& at(Index run) const { return runs_[static_cast<std::size_t>(run)]; }
    [[nodiscard]] double sumOf(Index tree) const { return tree == kNone ? 0 : at(tree).sum; }
    [[nodiscard]] Index countOf(Index tree) const { return tree == kNone ? 0 : at(tree).count; }
    [[nodiscard]] Index runOf(Index head) const;
    [[nodiscard]] Index runWith(const Entry& entry) const;
    void addUp(Index tree);
    void changed(Index run);
    void addUpTo(Index tree, const Entry& head);
    [[nodiscard]] Index merged(Index before, Index after);
    [[nodiscard]] std::pair<Index, Index> split(Index tree, const Entry& by);
    [[nodiscard]] Index without(Index tree, Index run);
    [[nodiscard]] Index with(Index tree, Index run);
    void build();
    void insert(const Entry& entry);
    void erase(const Entry& entry);
    void findThreshold();
    [[nodiscard]] bool isAboveFloor(double value, Index before, double from) const;
    void setThreshold(Index before, double from);
    [[nodiscard]] Index byRank(Index rank) const;
    [[nodiscard]] Index bySumFromTheEnd(double sum) const;
    [[nodiscard]] Index inRun(const Run& run, double sum) const;

    std::vector<double> values_;
    std::vector<Run> runs_;     // run 0, then those of the heads in the order of their indices
    std::vector<Index> heads_;  // the heads, ascending
    Index root_ = kNone;
    double least_;       // ε/n
    Index atFloor_ = 0;  // r
    double lambda_ = 0;
};

}  // namespace dasgd
