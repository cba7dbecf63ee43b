// The numbers that the summary of a run is formed from, of each rank and of a transaction, and their rows `rank_state`
// and `run`. Knows nothing of journals.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/analysis/spans/rank_meter.h"
#include "core/base/event.h"
#include "storage/base/database.h"

namespace dasgd::storage {

// Keeps the better of the two, or the first there is.
template <class T, class Better>
void improve(std::optional<T>& best, T value, Better better) {
    if (!best || better(value, *best)) best = value;
}

// Tallies of one run, for one collector, on one thread. A rank's tally is fetched when its first record comes; it costs
// a transaction nothing unless it changed. All methods throw SQLite::Exception; the object is unusable after that.
class Tallies {
public:
    Tallies(SQLite::Database& database, std::int64_t runKey, int workers);

    // A record of the rank's journal.
    void reported(int rank, const Span& span);
    // A span derived from the record: the record itself, or a part of a collective that was divided.
    void derived(int rank, const Span& span);
    // A row of `span`.
    void stored(const Span& span);
    void metric(int rank, const Metric& metric);
    void state(int rank, RankState state, std::int64_t step, std::string_view text);

    // The reduce of this collective, which was derived before, will never be divided.
    void undivided(int rank, std::uint64_t collective);

    // True if spans came since the overlap numbers were computed.
    [[nodiscard]] bool overlapIsStale() const { return !stale_.empty(); }
    // Ranks whose overlap numbers lack spans that were stored: the collector before was killed, there was no memory for
    // what another rank had not reported yet, or records came after the rank's meter was deleted. `own` limits the
    // answer to these ranks and to those that no collector has a meter of; nullopt: all ranks of the run.
    [[nodiscard]] std::vector<int> partialRanks(const std::optional<std::vector<int>>& own);
    // Inside a write transaction: the meters of these ranks anew, from every row of the run. The rows of this
    // transaction are written.
    void recomputeMeters(const std::vector<int>& ranks);
    // Inside a write transaction, before write(): the overlap numbers of the ranks that have new spans, and what
    // another collector needs to go on with them.
    void formOverlap();
    // Inside a write transaction: the rows of the ranks that changed, and the run's.
    void write();
    // The transaction with what was written is committed.
    void committed();

private:
    struct RankTally {
        int rank = 0;
        bool changed = false;
        std::int64_t events = 0, step = 0, samples = 0, bytesSent = 0, newest = 0;
        std::optional<std::int64_t> state;
        std::string stateText;
        std::optional<double> trainLoss, measured, hidden, transfer, blocked, compute, skew, inflation, timedSeconds;
        std::optional<std::int64_t> collectives, timedSteps;
        bool trained = false;
        RankMeter meter;
        bool stale = false;         // the overlap numbers are older than the meter
        bool overlapStays = false;  // the numbers are of records that the meter knows nothing of
        bool lacksRows = false;     // records came that such numbers do not count
    };

    // The contribution of one transaction to the run's row: maxima, minima and sums, because other processes may add
    // theirs.
    struct RunDelta {
        std::int64_t spans = 0;
        std::optional<std::int64_t> firstSpan, lastSpan;
        std::optional<double> lossMin, lossMax, bestAccuracy, chosenAccuracy, evalLoss;
        bool evaluated = false;
        bool timed = false;
        bool overlap = false;  // overlap numbers of a rank were formed
        std::string error;
    };

    RankTally& changing(int rank);
    RankTally& known(int rank);
    RankTally& touched(int rank);
    void makeStale(RankTally& tally);
    void fetch(RankTally& tally);
    void fetchMeter(RankTally& tally);
    [[nodiscard]] std::size_t mostKept() const;
    void writeRate();
    void writeInflation();
    void writeRank(const RankTally& tally);
    void writeMeter(const RankTally& tally, const std::string& state);
    void writeRun();

    const std::int64_t runKey_;
    const int workers_;
    SQLite::Database& database_;
    SQLite::Statement fetchRank_, fetchMeter_, writeRun_;
    HotStatement writeRank_, insertMeter_;
    std::unordered_map<int, RankTally> ranks_;
    RankTally* latest_ = nullptr;  // records of a rank come in a row
    std::vector<RankTally*> changed_, stale_;
    RunDelta delta_;
};

}  // namespace dasgd::storage
