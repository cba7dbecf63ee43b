// From the records of one run to its rows: reads, inserts, divides collectives, keeps the summary. The rows and the
// numbers depend on the records of each rank alone, not on how they fall into transactions or which rank is read first.
// No thread of its own.
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

// A metric that the collecting process measured itself.
struct OwnMetric {
    int rank = 0;
    std::string name;
    Metric metric;  // without its name
    [[nodiscard]] static OwnMetric of(int rank, const Metric& metric) {
        return {rank, std::string(metric.name), metric};
    }
};

class RunIngest {
public:
    static constexpr std::size_t kMostOwn = 4096;  // kept while they cannot be stored

    // `runKey` is run.id. A source's position is stored in the transaction that holds the rows of its records, so each
    // record lands exactly once, whoever is killed when. Records go to the ranks that they name.
    RunIngest(WriteConnection& connection, std::int64_t runKey, RecordSources sources,
              CollectorScope scope = CollectorScope::AllRanks);
    ~RunIngest();

    // Stored with the next transaction.
    void add(std::vector<OwnMetric> metrics);

    // Moves up to `limit` records (of all sources together) into the tables, in one transaction; answers how many.
    // After an error nothing of it is there, and the next call starts again from what is. A source that cannot be read
    // holds up no other; the next call tries it again.
    Result<std::size_t> collect(std::size_t limit);
    // Until no source has more. Then the overlap numbers, which are otherwise formed every now and then, are those of
    // every row that is stored; of a run that keeps no spans, of what the collectors had in memory. From now on
    // transactions wait as long as the database may be locked.
    Status collectAll();

    // Describes the records that the sources cannot read. The writers must have ended.
    [[nodiscard]] std::string damage() const;
    // Why a source could not be read the last time, "" where all could.
    [[nodiscard]] std::string unread() const;
    [[nodiscard]] std::int64_t stored() const { return stored_; }

private:
    struct Statements;

    // The wait of a transaction for the database while the run goes on: the journals keep the records, and the next
    // transaction tries again.
    static constexpr std::chrono::milliseconds kPatience{5'000};

    struct Position {
        std::uint64_t sequence = 0;  // of the newest record taken
        bool moved = false;          // in this transaction
    };

    // Rows of `span` that are this run's and follow one another; the one that rows are being added to.
    struct Chunk {
        std::int64_t first = 0, last = -1;
        Ns start = 0, end = 0;
        [[nodiscard]] std::int64_t rows() const { return last - first + 1; }
    };

    // Treatment of the overlap numbers by a transaction: left as they are, formed from the meters, or formed after the
    // meters that lack spans were formed anew.
    enum class Overlap { Stays, FromMeters, FromRows };

    Result<std::size_t> collect(std::size_t limit, Overlap overlap);
    [[nodiscard]] std::vector<int> ranksToRecompute(Overlap overlap);
    void load();
    void loadShared();
    void loadReached();
    void begin(std::unique_ptr<WriteTransaction>& transaction);
    void finish(WriteTransaction& transaction, Overlap overlap, const std::vector<int>& anew);
    std::size_t readSources(std::size_t limit, std::unique_ptr<WriteTransaction>& transaction);
    void take(int rank, const EventRecord& record);
    void takeSpan(int rank, const Span& span, std::string_view name);
    std::int64_t storeSpan(int rank, const Span& span);
    void storeLabel(std::int64_t row, std::string_view name);
    void divide(const Arrivals::Arrival& arrival, Ns lastArrival);
    void takeMetric(int rank, const Metric& metric);
    void storeMetric(int rank, const Metric& metric);
    [[nodiscard]] Metric placed(int rank, Metric metric) const;
    void storeOwn();
    void takeState(int rank, const EventRecord& record);
    std::int64_t nameKey(std::string_view name);
    void writeChunk();
    void writePosition(int rank, std::uint64_t sequence);

    WriteConnection& connection_;
    const std::int64_t runKey_;
    const RecordSources sources_;
    std::vector<std::string> unread_ =
        std::vector<std::string>(sources_.size());  // by source: why it was not read the last time
    const CollectorScope scope_;
    int workers_ = 1;
    bool keepsSpans_ = true;
    std::vector<Position> positions_;  // by source
    std::unique_ptr<Tallies> tallies_;
    std::unique_ptr<Arrivals> arrivals_;
    std::unique_ptr<RateSums> rateSums_;  // reads only what is new, so it outlives the transactions of other processes
    std::unique_ptr<LevelWriter> levels_;
    std::chrono::milliseconds patience_ = kPatience;
    std::chrono::steady_clock::time_point overlapFormed_;
    Chunk chunk_;
    bool chunkGrew_ = false;  // in this transaction
    std::unique_ptr<Statements> statements_;
    std::map<std::string, std::int64_t, std::less<>> names_;      // of metrics
    std::map<std::string, std::int64_t, std::less<>> spanNames_;  // of other programs
    std::vector<OwnMetric> own_;
    struct Reached {
        std::int64_t step = 0;
        double epoch = 0;
        std::int64_t samples = 0, bytesSent = 0;
    };
    std::map<int, Reached> reached_;  // by the last record of each rank
    std::int64_t stored_ = 0;
    bool loaded_ = false;
};

}  // namespace dasgd::storage
