// Roles of a run's ranks: which train and which serve. A serving rank makes no local steps, has no data and no part in
// means over the workers: of weights, losses, samples per second and consensus distance.
#pragma once

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/base/ids.h"

namespace dasgd {

class Roles {
public:
    [[nodiscard]] static Roles allTrain(int ranks) { return {ranks, {}}; }
    // `serving`: some of the ranks 0 … ranks−1.
    Roles(int ranks, const std::vector<int>& serving) : trains_(static_cast<std::size_t>(ranks), true) {
        for (const int rank : serving) trains_.at(static_cast<std::size_t>(rank)) = false;
    }

    [[nodiscard]] bool trains(Rank rank) const { return trains_.at(static_cast<std::size_t>(rank.value())); }
    [[nodiscard]] int trainers() const { return static_cast<int>(std::ranges::count(trains_, true)); }
    [[nodiscard]] bool everyoneTrains() const { return trainers() == static_cast<int>(trains_.size()); }
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
};

}  // namespace dasgd
