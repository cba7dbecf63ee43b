// Roles of a run's ranks: which train and which serve. A serving rank makes no local steps, has no data and no part in
// means over the workers: of weights, losses, samples per second and consensus distance.
//
// Where a model is cut into stages (core/step/stage.h), the last stage of each replica trains in this sense, as it has
// the loss, and the others serve it; all of them make steps.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/base/ids.h"

namespace dasgd {

class Roles {
public:
    [[nodiscard]] static Roles allTrain(int ranks) { return {ranks, {}}; }
    // `stages` > 1 divides `ranks`.
    [[nodiscard]] static Roles ofStages(int ranks, int stages) {
        std::vector<int> lower;
        for (int rank = 0; rank < ranks; ++rank) {
            if (rank % stages != stages - 1) lower.push_back(rank);
        }
        Roles roles(ranks, lower);
        roles.wholeReplicas_ = false;
        return roles;
    }
    // All train, and none has a whole replica.
    [[nodiscard]] static Roles ofParts(int ranks) {
        Roles roles = allTrain(ranks);
        roles.wholeReplicas_ = false;
        return roles;
    }
    // `serving`: some of the ranks 0 … ranks−1.
    Roles(int ranks, const std::vector<int>& serving) : trains_(static_cast<std::size_t>(ranks), true) {
        for (const int rank : serving) trains_.at(static_cast<std::size_t>(rank)) = false;
    }

    [[nodiscard]] bool trains(Rank rank) const { return trains_.at(static_cast<std::size_t>(rank.value())); }
    [[nodiscard]] int trainers() const { return static_cast<int>(std::ranges::count(trains_, true)); }
    [[nodiscard]] bool everyoneTrains() const { return trainers() == static_cast<int>(trains_.size()); }
    // False where a rank that trains has a part of its replica of the model only.
    [[nodiscard]] bool wholeReplicas() const { return wholeReplicas_; }
    // Number of a rank among those that train, 0 … trainers−1 in the order of the ranks; it selects the rank's shard of
    // the data. For a rank that trains.
    [[nodiscard]] int trainerIndex(Rank rank) const {
        DASGD_CHECK(trains(rank));
        return static_cast<int>(std::count(trains_.begin(), trains_.begin() + rank.value(), true));
    }
    // The rank that records what is recorded once for all trainers. At least one rank trains.
    [[nodiscard]] Rank firstTrainer() const {
        return Rank(static_cast<int>(std::ranges::find(trains_, true) - trains_.begin()));
    }

private:
    std::vector<bool> trains_;
    bool wholeReplicas_ = true;
};

}  // namespace dasgd
