#include "storage/collect/arrivals.h"

#include <algorithm>
#include <optional>

namespace dasgd::storage {

Arrivals::Arrivals(SQLite::Database& database, std::int64_t runKey, int workers)
    : runKey_(runKey),
      workers_(static_cast<std::size_t>(std::max(1, workers))),
      insert_(database, "INSERT INTO arrival VALUES (?,?,?,?,?,?,?,?,?)"),
      delete_(database, "DELETE FROM arrival WHERE run = ? AND collective = ? AND rank = ?") {
    SQLite::Statement query(database,
                            "SELECT collective, rank, ifnull(span, 0), step, start_ns, end_ns, bytes, ranks "
                            "FROM arrival WHERE run = ?");
    query.bind(1, runKey);
    while (query.executeStep()) {
        const auto number = static_cast<std::uint64_t>(query.getColumn(0).getInt64());
        const Arrival arrival{.rank = query.getColumn(1).getInt(),
                              .reduce = {.lane = Lane::Comm,
                                         .kind = SpanKind::Reduce,
                                         .step = query.getColumn(3).getInt64(),
                                         .start = query.getColumn(4).getInt64(),
                                         .end = query.getColumn(5).getInt64(),
                                         .bytes = query.getColumn(6).getInt64(),
                                         .collective = number,
                                         .ranks = query.getColumn(7).getInt64()},
                              .row = query.getColumn(2).getInt64()};
        collectives_[number].push_back({.arrival = arrival, .stored = true});
        ++kept_;
    }
}

void Arrivals::take(int rank, const Span& reduce) {
    Collective& collective = collectives_[reduce.collective];
    const auto before = std::find_if(collective.begin(), collective.end(),
                                     [&](const Known& known) { return known.arrival.rank == rank; });
    if (before != collective.end()) {
        if (!before->stored) replaced_.push_back(before->arrival);
        remove(reduce.collective, *before);
        collective.erase(before);
    }
    collective.push_back({.arrival = {.rank = rank, .reduce = reduce}});
    ++kept_;
    touched_.insert(reduce.collective);
}

void Arrivals::settle(const Complete& complete, const Waiting& waiting, const GivenUp& givenUp) {
    for (const std::uint64_t number : touched_) {
        const auto place = collectives_.find(number);
        Collective& collective = place->second;
        if (!isComplete(collective)) {
            for (Known& known : collective) store(number, known, waiting);
            continue;
        }
        Ns last = collective.front().arrival.reduce.start;
        for (const Known& known : collective) last = std::max(last, known.arrival.reduce.start);
        for (const Known& known : collective) {
            complete(known.arrival, last);
            remove(number, known);
        }
        collectives_.erase(place);
    }
    touched_.clear();
    for (const Arrival& arrival : replaced_) waiting(arrival);
    replaced_.clear();
    while (kept_ > std::max(kMostKept, kMostOfRank * workers_)) dropOldest(givenUp);
}

bool Arrivals::isComplete(const Collective& collective) const {
    const std::int64_t ranks = collective.front().arrival.reduce.ranks;
    return collective.size() >= (ranks > 0 ? static_cast<std::size_t>(ranks) : workers_);
}

void Arrivals::remove(std::uint64_t number, const Known& known) {
    --kept_;
    if (!known.stored) return;
    delete_.bind(1, runKey_);
    delete_.bind(2, static_cast<std::int64_t>(number));
    delete_.bind(3, static_cast<std::int64_t>(known.arrival.rank));
    delete_.run();
}

void Arrivals::store(std::uint64_t number, Known& known, const Waiting& waiting) {
    if (known.stored) return;
    Arrival& arrival = known.arrival;
    arrival.row = waiting(arrival);
    known.stored = true;
    insert_.bind(1, runKey_);
    insert_.bind(2, static_cast<std::int64_t>(number));
    insert_.bind(3, static_cast<std::int64_t>(arrival.rank));
    insert_.bind(4, arrival.row == 0 ? std::nullopt : std::optional(arrival.row));
    insert_.bind(5, arrival.reduce.step);
    insert_.bind(6, arrival.reduce.start);
    insert_.bind(7, arrival.reduce.end);
    insert_.bind(8, arrival.reduce.bytes);
    insert_.bind(9, arrival.reduce.ranks);
    insert_.run();
}

void Arrivals::dropOldest(const GivenUp& givenUp) {
    const auto oldest = collectives_.begin();
    for (const Known& known : oldest->second) {
        remove(oldest->first, known);
        givenUp(known.arrival);
    }
    collectives_.erase(oldest);
}

}  // namespace dasgd::storage
