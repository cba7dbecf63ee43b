// Collectives that not all of their ranks have reported yet: those of the table `arrival`, and those of the
// transaction.
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

// Arrivals of one run, for one collector, on one thread. All methods throw SQLite::Exception; the object is unusable
// after that.
class Arrivals {
public:
    // So many reports are kept, or so many of each rank where that is more. Beyond, the oldest collectives stay
    // undivided for good: some rank has died then.
    static constexpr std::size_t kMostKept = 262'144;
    static constexpr std::size_t kMostOfRank = 64;

    struct Arrival {
        int rank = 0;
        Span reduce;
        std::int64_t row = 0;  // id of the undivided reduce in the table `span`; 0: none was stored
    };
    // Told of each rank of a collective that all ranks have reported. `lastArrival` is that of its last rank.
    using Complete = std::function<void(const Arrival&, Ns lastArrival)>;
    // Told once of each arrival of a collective that is not complete at the end of the transaction that brought it;
    // answers the row that it was stored in, or 0.
    using Waiting = std::function<std::int64_t(const Arrival&)>;
    // Told of each arrival of a collective that stays undivided for good because too many are kept.
    using GivenUp = std::function<void(const Arrival&)>;

    // Reads what is there.
    Arrivals(SQLite::Database& database, std::int64_t runKey, int workers);

    // A rank's reduce of a collective, from the journal. A rank that reports one number twice has begun to count anew:
    // what it said first stays undivided.
    void take(int rank, const Span& reduce);
    // At the end of a write transaction, inside it.
    void settle(
        const Complete& complete, const Waiting& waiting, const GivenUp& givenUp = [](const Arrival&) {});
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
    void dropOldest(const GivenUp& givenUp);

    const std::int64_t runKey_;
    const std::size_t workers_;
    HotStatement insert_, delete_;
    std::map<std::uint64_t, Collective> collectives_;
    std::set<std::uint64_t> touched_;
    std::vector<Arrival> replaced_;  // in this transaction, before they had a row
    std::size_t kept_ = 0;
};

}  // namespace dasgd::storage
