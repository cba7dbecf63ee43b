// What the summary of a run is formed from: what each rank has said so far and what a batch adds to the run, and their
// rows `rank_state` and `run`. Knows nothing of journals, nor of the rows of single records.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/event.h"
#include "storage/database.h"

namespace dasgd::storage {

// Keeps the better of the two, or the first there is.
template <class T, class Better>
void improve(std::optional<T>& best, T value, Better better) {
    if (!best || better(value, *best)) best = value;
}

// Of one run, for one collector, of one thread. A rank's tally is fetched when its first record comes; it costs a batch
// nothing unless it changed. All methods throw SQLite::Exception; then throw the object away and make a new one.
class Tallies {
public:
    Tallies(SQLite::Database& database, std::int64_t runKey);

    void span(int rank, const Span& span);
    void metric(int rank, const Metric& metric);
    void state(int rank, RankState state, std::int64_t step, std::string_view text);

    // Inside a batch: the rows of the ranks that changed, and the run's.
    void write();
    // The batch with what was written is committed.
    void committed();

private:
    struct RankTally {
        int rank = 0;
        bool changed = false;
        std::int64_t events = 0, step = 0, samples = 0, bytesSent = 0, newest = 0;
        std::optional<std::int64_t> state;
        std::string stateText;
        std::optional<double> trainLoss, hidden, reduce, blocked, compute;
        bool trained = false;
    };

    // What one batch adds to the run's row; other processes may be adding theirs, so it goes in as max, min and sums.
    struct BatchTally {
        std::int64_t spans = 0;
        std::optional<std::int64_t> firstSpan, lastSpan;
        std::optional<std::int64_t> firstWall, lastWall;
        std::int64_t firstSamples = 0;
        std::optional<double> lossMin, lossMax, bestAccuracy, evalLoss;
        bool evaluated = false;
        std::string error;
    };

    RankTally& changing(int rank);
    RankTally& known(int rank);
    void fetch(RankTally& tally);
    void trained(RankTally& tally, const Metric& metric);
    void writeRank(const RankTally& tally);
    void writeRun();

    const std::int64_t runKey_;
    SQLite::Statement fetchRank_, writeRun_;
    HotStatement writeRank_;
    std::unordered_map<int, RankTally> ranks_;
    RankTally* latest_ = nullptr;  // records of a rank come in a row
    std::vector<RankTally*> changed_;
    BatchTally batch_;
};

}  // namespace dasgd::storage
