// The throughput of a run whose ranks never wait for each other: each records its own (timing/samples_per_s) at the
// same steps, and the sum over the ranks that train is the run's.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/base/event.h"

namespace dasgd::storage {

// Rates of one run, for one collector, on one thread. All methods throw SQLite::Exception; the object is unusable after
// that.
class RateSums {
public:
    // `trainers`: how many ranks train.
    RateSums(SQLite::Database& database, std::int64_t runKey, int trainers);

    // Takes the rates that were stored since the last transaction of this object: all of them at first, later those of
    // other collectors of the run. Inside a write transaction, before the first add().
    void catchUp();
    // A rank's rate, which this collector stores in this transaction. Answers throughput/samples_per_s at that step
    // once every rank has told its own, with the latest instant and the largest counts of the ranks: whoever stores the
    // last rate stores the sum, in the same transaction. Ranks come to the same steps in order, each once.
    [[nodiscard]] std::optional<Metric> add(const Metric& rate);
    // At the end of a write transaction, inside it, after its last row.
    void stored();

private:
    struct Sum {
        Metric metric;  // its value is that of one rank
        std::vector<double> rates;
    };

    const int trainers_;
    SQLite::Database& database_;
    SQLite::Statement later_;
    std::int64_t newest_ = 0;           // row that was taken
    std::map<std::int64_t, Sum> sums_;  // by step
};

}  // namespace dasgd::storage
