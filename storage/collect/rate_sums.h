// The throughput of a run whose ranks never wait for each other: no rank speaks for all, so each records its own
// (timing/samples_per_s), after the same steps as the others, and the sum over the ranks is the run's.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <map>
#include <optional>

#include "core/base/event.h"

namespace dasgd::storage {

// Of one run, for one collector, of one thread.
class RateSums {
public:
    // Reads the rates that are in no sum yet. Throws SQLite::Exception.
    RateSums(SQLite::Database& database, std::int64_t runKey, int workers);

    // A rank's rate, from the journal; answers throughput/samples_per_s after that step once every rank has told its
    // own. Ranks come to the same steps in order, each once.
    [[nodiscard]] std::optional<Metric> add(const Metric& rate);

private:
    struct Sum {
        Metric metric;
        int ranks = 0;
    };
    const int workers_;
    std::map<std::int64_t, Sum> sums_;  // by step
};

}  // namespace dasgd::storage
