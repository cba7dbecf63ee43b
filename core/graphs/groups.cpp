// Disjoint groups, each of which takes its mean: WAGMA-SGD's (Li et al., arXiv 2005.00124), DS-Sync's (arXiv
// 2007.03298).
#include "core/graphs/drawn_order.h"
#include "core/graphs/neighbour_graph.h"

namespace dasgd {
namespace {

struct GroupsParams {
    GraphWeights common;
    std::int64_t size = 2;
    std::string pattern = "butterfly";
    std::int64_t globalEvery = 0;
    void visit(auto&& f) {
        common.visit(f);
        f(size, "size",
          {.min = 2, .max = 1e6, .unit = "ranks", .symbol = "S", .help = "Ranks of a group, which divide all"});
        f(pattern, "pattern",
          {.help =
               "butterfly: in round t the ranks that differ in digit t of their numbers to the base of the size, so "
               "that after all digits everyone has the mean. fixed: always the same. shuffled: drawn in each round",
           .choices = {"butterfly", "fixed", "shuffled"}});
        f(globalEvery, "global_every",
          {.min = 0, .max = 1e9, .unit = "rounds", .help = "Every so many rounds all ranks are one group; 0: never"});
    }
};

class Groups final : public NeighbourGraph {
public:
    explicit Groups(const GroupsParams& params) : NeighbourGraph(params.common.weights), params_(params) {}
    [[nodiscard]] std::int64_t period(int size) const override {
        if (params_.pattern == "shuffled") return 0;
        const std::int64_t digits = params_.pattern == "fixed" ? 1 : digitsOf(size);
        return params_.globalEvery == 0 ? digits : std::lcm(digits, params_.globalEvery);
    }

    [[nodiscard]] std::optional<int> degree(int size) const override {
        return (params_.globalEvery > 0 ? size : std::min(size, static_cast<int>(params_.size))) - 1;
    }

private:
    // Number m of digits of S^m ranks; 1 where there is one rank.
    [[nodiscard]] std::int64_t digitsOf(int size) const {
        std::int64_t digits = 0;
        for (std::int64_t power = 1; power < size; power *= params_.size) ++digits;
        return std::max<std::int64_t>(1, digits);
    }
    [[nodiscard]] std::optional<FieldError> checkSize(int size) const override {
        const std::string ranks = std::to_string(size) + " ranks";
        if (size == 1) return std::nullopt;
        if (size % params_.size != 0) {
            return FieldError{"size", "size is " + std::to_string(params_.size) + ", which does not divide " + ranks +
                                          ": choose a divisor"};
        }
        std::int64_t power = 1;
        while (power < size) power *= params_.size;
        if (params_.pattern != "butterfly" || power == size) return std::nullopt;
        return FieldError{"pattern", "a butterfly of groups of " + std::to_string(params_.size) +
                                         " needs a power of that number of ranks, not " + std::to_string(size) +
                                         ": set pattern = \"shuffled\", or another size"};
    }
    [[nodiscard]] std::vector<int> sourcesOf(const GraphRound& round, int rank) const override {
        std::vector<int> all(static_cast<std::size_t>(round.size));
        std::iota(all.begin(), all.end(), 0);
        const bool global = params_.globalEvery > 0 && (round.number + 1) % params_.globalEvery == 0;
        std::vector<int> group = global || round.size == 1 ? std::move(all) : groupOf(round, rank, all);
        std::erase(group, rank);
        return group;
    }
    [[nodiscard]] std::vector<int> groupOf(const GraphRound& round, int rank, const std::vector<int>& all) const {
        const int size = static_cast<int>(params_.size);
        std::vector<int> group;
        if (params_.pattern == "butterfly") {
            int stride = 1;
            for (std::int64_t t = round.number % digitsOf(round.size); t > 0; --t) stride *= size;
            const int first = rank - rank / stride % size * stride;
            for (int digit = 0; digit < size; ++digit) group.push_back(first + digit * stride);
            std::erase_if(group, [&](int member) { return member >= round.size; });
            return group;
        }
        const std::vector<int> order = params_.pattern == "shuffled" ? drawnOrder(round) : all;
        const std::size_t first =
            placeOf(order, rank) / static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
        const std::size_t end = std::min(first + static_cast<std::size_t>(size), order.size());
        group.assign(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(end));
        std::ranges::sort(group);
        return group;
    }

    GroupsParams params_;
};

const GraphRegistry::Add<Groups, GroupsParams> kGroupsEntry{"groups", "Disjoint groups, each of which takes its mean",
                                                            "arXiv 2005.00124"};

}  // namespace
}  // namespace dasgd
