// Turns the records of one run into its rows: reads the sources, inserts rows, divides collectives and keeps the
// summary up to date. The contents of the rows and the numbers depend on the records of each rank alone, not on how
// records fall into transactions or which rank is read first; ids and order of the rows do depend on that. No thread of
// its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "storage/base/database.h"
#include "storage/collect/arrivals.h"
#include "storage/collect/rate_sums.h"
#include "storage/collect/record_source.h"
#include "storage/collect/tally.h"
#include "storage/levels/level_writer.h"

namespace dasgd::storage {

// Share of the run's ranks that this process collects. SomeRanks: other processes collect the rest, so nothing is
// remembered from one transaction to the next but what the tables say. LateRanks: likewise, and rows of an earlier
// transaction are not followed by more in their chunk, because whoever opens the workspace may already have made the
// levels of a run that has ended.
enum class CollectorScope { AllRanks, SomeRanks, LateRanks };

// A metric that the collecting process measured itself, such as the load of a rank's CPU; it is in no journal.
struct ProcessMetric {
    int rank = 0;  // -1: of the whole run
    std::string name;
    Metric metric;  // its `name` is not used, because that does not own its characters
    [[nodiscard]] static ProcessMetric of(int rank, const Metric& metric) {
        return {rank, std::string(metric.name), metric};
    }
};

class RunIngest {
public:
    static constexpr std::size_t kMostProcessMetrics = 4096;  // number held while they cannot be stored

    // `runKey` is run.id. The position of a source is stored in the transaction that holds the rows of its records, so
    // each record is stored exactly once, whenever a process is killed. A record belongs to the rank that it names, or
    // to the rank of its source where it names none.
    RunIngest(WriteConnection& connection, std::int64_t runKey, RecordSources sources,
              CollectorScope scope = CollectorScope::AllRanks);
    ~RunIngest();

    // Holds `metrics` for the next transaction. Of more than kMostProcessMetrics the oldest are dropped.
    void add(std::vector<ProcessMetric> metrics);

    // Moves records of all sources into the tables, in one transaction, and answers how many: up to `limit`, in equal
    // shares per source, but at least one of each source that has one. After an error nothing of the transaction is
    // stored, and the next call reloads all state in memory from the tables. A source that cannot be read does not hold
    // up the others; the next call tries it again.
    Result<std::size_t> collect(std::size_t limit);
    // Collects until no source has more. The overlap numbers, which collect() updates only at intervals, then cover all
    // stored spans; in a run that keeps no spans, those that the collectors had in memory. From then on transactions
    // wait FileLock::kPatience for the database.
    Status collectAll();

    // Describes the records that the sources cannot read; "" where there are none. Precondition: the writers have
    // ended.
    [[nodiscard]] std::string damage() const;
    // Reason for which a source could not be read by the last collect(); "" where all could.
    [[nodiscard]] std::string unread() const;
    // Number of records that this object has stored.
    [[nodiscard]] std::int64_t stored() const { return stored_; }

private:
    struct Statements;

    // The wait of a transaction for the database while the run goes on: the journals keep the records, and the next
    // transaction tries again.
    static constexpr std::chrono::milliseconds kPatience{5'000};

    struct Position {
        std::uint64_t sequence = 0;  // number of the newest record taken
        bool moved = false;          // records were taken in this transaction
    };

    // A row of span_chunk: consecutive rows of the table span, all of this run.
    struct Chunk {
        std::int64_t first = 0, last = -1;
        Ns start = 0, end = 0;
        [[nodiscard]] std::int64_t rows() const { return last - first + 1; }
    };

    // Treatment of the stored overlap numbers by a transaction.
    enum class Overlap {
        Keep,    // they stay as they are
        Update,  // they are formed from the meters of the ranks
        Rebuild  // likewise, after meters that lack spans were recomputed from the rows
    };

    Result<std::size_t> collect(std::size_t limit, Overlap overlap);
    // Ranks whose meters a transaction with this treatment recomputes.
    [[nodiscard]] std::vector<int> ranksToRecompute(Overlap overlap);
    // Loads all state in memory from the database: before the first transaction, and after one that failed.
    void load();
    // Loads the part of the state that other collectors of this run may have changed.
    void loadShared();
    // Loads the steps that the ranks had reached when an earlier collector ended: a metric of the process may come
    // before the next step.
    void loadReached();
    // Begins the transaction. Throws dasgd::Error or SQLite::Exception.
    void begin(std::unique_ptr<WriteTransaction>& transaction);
    // Writes what a transaction writes after its records, and commits it.
    void finish(WriteTransaction& transaction, Overlap overlap, const std::vector<int>& partial);
    std::size_t readSources(std::size_t limit, std::unique_ptr<WriteTransaction>& transaction);
    void take(int rank, const EventRecord& record);
    void takeSpan(int rank, const Span& span, std::string_view name);
    std::int64_t storeSpan(int rank, const Span& span);
    void storeLabel(std::int64_t row, std::string_view name);
    void divide(const Arrivals::Arrival& arrival, Ns lastArrival);
    void takeMetric(int rank, const Metric& metric);
    void storeMetric(int rank, const Metric& metric);
    [[nodiscard]] Metric placed(int rank, Metric metric) const;
    void storeProcessMetrics();
    void takeState(int rank, const EventRecord& record);
    std::int64_t nameKey(std::string_view name);
    void writeChunk();
    void writePosition(int rank, std::uint64_t sequence);

    WriteConnection& connection_;
    const std::int64_t runKey_;
    const RecordSources sources_;
    std::vector<std::string> unread_ =
        std::vector<std::string>(sources_.size());  // by source: reason for which it could not be read, "" without one
    const CollectorScope scope_;
    int workers_ = 1;
    bool keepsSpans_ = true;
    std::vector<Position> positions_;  // by source: position up to which records were taken
    std::unique_ptr<Tallies> tallies_;
    std::unique_ptr<Arrivals> arrivals_;
    std::unique_ptr<RateSums> rateSums_;  // reads only what is new, so it outlives the transactions of other processes
    std::unique_ptr<LevelWriter> levels_;
    std::chrono::milliseconds patience_ = kPatience;
    std::chrono::steady_clock::time_point overlapFormed_;
    Chunk chunk_;             // chunk to which rows are being added
    bool chunkGrew_ = false;  // rows were added to chunk_ in this transaction
    std::unique_ptr<Statements> statements_;
    std::map<std::string, std::int64_t, std::less<>> names_;      // ids of the names of metrics
    std::map<std::string, std::int64_t, std::less<>> spanNames_;  // ids of names that other programs gave to spans
    std::vector<ProcessMetric> processMetrics_;                   // not stored yet
    // Point of the training that a rank had reached at its last metric.
    struct Reached {
        std::int64_t step = 0;
        double epoch = 0;
        std::int64_t samples = 0, bytesSent = 0;
    };
    std::map<int, Reached> reached_;  // by rank
    std::int64_t stored_ = 0;
    bool loaded_ = false;  // the state in memory is that of the database
};

}  // namespace dasgd::storage
