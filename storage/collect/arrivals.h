// Collectives that not all of their ranks have reported yet: as the table `arrival` has them, and what a batch adds.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "core/base/event.h"
#include "storage/base/database.h"

namespace dasgd::storage {

// Of one run, for one collector, of one thread. All methods throw SQLite::Exception; then throw the object away and
// make a new one.
class Arrivals {
public:
    // What is kept of the collectives under way, or so many of each rank where that is more. Beyond, the oldest stay
    // undivided for good: some rank has died then.
    static constexpr std::size_t kMostKept = 32'768;
    static constexpr std::size_t kMostOfRank = 64;

    struct Arrival {
        int rank = 0;
        Span reduce;
        std::int64_t row = 0;  // of the undivided reduce in the table `span`; 0: none was stored
    };
    // Told of each rank of a collective that all ranks have reported. `lastArrival` is that of its last rank.
    using Complete = std::function<void(const Arrival&, Ns lastArrival)>;
    // Told once of each arrival of a collective that is not complete at the end of the batch that brought it; answers
    // the row that it was stored in, or 0.
    using Waiting = std::function<std::int64_t(const Arrival&)>;

    // Reads what is there.
    Arrivals(SQLite::Database& database, std::int64_t runKey, int workers);

    // A rank's reduce of a collective, from the journal. A rank that reports one number twice has begun to count anew:
    // what it said first stays undivided.
    void take(int rank, const Span& reduce);
    // At the end of a batch, inside its transaction.
    void settle(const Complete& complete, const Waiting& waiting);
    [[nodiscard]] std::size_t kept() const { return kept_; }

private:
    struct Known {
        Arrival arrival;
        bool stored = false;
    };
    using Collective = std::vector<Known>;

    [[nodiscard]] bool isComplete(const Collective& collective) const;
    void remove(std::uint64_t number, const Known& known);
    void store(std::uint64_t number, Known& known, const Waiting& waiting);
    void dropOldest();

    const std::int64_t runKey_;
    const std::size_t workers_;
    HotStatement insert_, delete_;
    std::map<std::uint64_t, Collective> collectives_;
    std::set<std::uint64_t> touched_;
    std::vector<Arrival> replaced_;  // in this batch, before they had a row
    std::size_t kept_ = 0;
};

}  // namespace dasgd::storage
