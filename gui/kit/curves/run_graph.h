// Who mixes with whom in a round of a run's gossip: computed from the recorded [graph], of which every round is a pure
// function (core/graphs/graph.h), so that nothing has to be recorded for it.
#pragma once

#include <QPointF>
#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "storage/runs/run_row.h"

namespace dasgd::gui {

struct RunGraph {
    static constexpr int kMostRanks = 128;  // of a graph that can still be told apart

    // `to` takes so much of what `from` sends; where it is mutual, the other way too.
    struct Edge {
        int from = 0, to = 0;
        double weight = 0;
        bool mutual = false;
        bool operator==(const Edge&) const = default;
    };

    QString name;  // "one-peer-exponential"
    int ranks = 0;
    std::int64_t round = 0;
    std::int64_t period = 1;  // rounds after which it repeats; 0: each round is drawn
    // Edges of the round by `from`, then `to`, without those of a rank to itself. A mutual pair with equal weights is
    // one edge, from the lower rank.
    std::vector<Edge> edges;
    bool operator==(const RunGraph&) const = default;

    // "ring of 8 ranks", "random-pair of 8 ranks, round 3", "groups of 8 ranks, round 1 of every 3".
    [[nodiscard]] QString inWords() const;
};

// True where the run's algorithm mixes over a graph.
[[nodiscard]] bool mixesOverGraph(const storage::RunRow& run);
// The graph of round `round` >= 0; nullopt where the run has none, more ranks than kMostRanks, or a graph that this
// program does not know.
[[nodiscard]] std::optional<RunGraph> graphOf(const storage::RunRow& run, std::int64_t round);

// Place of a rank on a circle of radius 1: rank 0 at the top, the others clockwise; y points down.
[[nodiscard]] QPointF placeOnCircle(int rank, int ranks);

}  // namespace dasgd::gui
