// Who mixes with whom in gossip, and with what weights: xᵢ ← Σⱼ Wᵢⱼ·xⱼ. A pure function of the round, so that every
// rank knows the weights of all and nothing is sent for them. Not the cables: those are [network].
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/schema/fields.h"
#include "core/base/schema/registry.h"
#include "core/base/schema/value.h"

namespace dasgd {

// One round of a run among `size` ranks.
struct GraphRound {
    std::int64_t number = 0;  // t = 0, 1, …
    int size = 1;             // P >= 1
    std::uint64_t seed = 0;   // of the run, for graphs that are drawn
};

class Graph {
public:
    // A rank's row of W without zeros, and the ranks in whose rows it stands.
    struct Mix {
        struct From {
            Rank rank{0};
            double weight = 0;
        };
        double self = 1;
        std::vector<From> from;  // in the order in which what they send is added
        std::vector<Rank> to;
    };

    virtual ~Graph() = default;
    // Reads what the graph takes from a file, whose relative name counts from `folder`; called once, before everything
    // else. Answers the fields that a run's record has instead of the name, so that every rank, and every run that is
    // made from the record, has the values themselves. Errors name file, line and column. Default: there is no file.
    [[nodiscard]] virtual Result<Value::Table> open(const std::filesystem::path& /*folder*/) { return Value::Table(); }
    // Refuses a number of ranks that the graph cannot have, or with which the weights do not keep the mean. Errors name
    // the graph's own fields.
    [[nodiscard]] std::optional<FieldError> check(int size) const;
    [[nodiscard]] virtual Mix mix(const GraphRound& round, int rank) const = 0;
    // Number of rounds after which the graph repeats; 0: it is drawn.
    [[nodiscard]] virtual std::int64_t period(int /*size*/) const { return 1; }
    // The most ranks that one sends to in any round, where the rounds are too many to look at. Default: not known.
    [[nodiscard]] virtual std::optional<int> degree(int /*size*/) const { return std::nullopt; }
    // True where W is symmetric in every round.
    [[nodiscard]] virtual bool isSymmetric() const { return true; }

private:
    // The part of check() that is about the number of ranks. Default: accepts.
    [[nodiscard]] virtual std::optional<FieldError> checkSize(int /*size*/) const { return std::nullopt; }
};

using GraphRegistry = Registry<Graph>;

// W of one round, row by row.
[[nodiscard]] std::vector<std::vector<double>> matrixOf(const Graph& graph, const GraphRound& round);
// The most ranks that one sends to in any round: Graph::degree(), or else that of a period's rounds, or of the first
// rounds of a graph that is drawn.
[[nodiscard]] int largestDegree(const Graph& graph, int size, std::uint64_t seed);
// True where every rank hears rank 0 in the end. A graph that is drawn is.
[[nodiscard]] bool isConnected(const Graph& graph, int size, std::uint64_t seed = 0);

}  // namespace dasgd
