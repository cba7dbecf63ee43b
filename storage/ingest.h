// From the journals of one run to its rows: reads, inserts, keeps the summary. No thread of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/journal.h"
#include "storage/database.h"

namespace dasgd::storage {

class RunIngest {
public:
    // `runKey` is run.id; `ranks` are those whose journals this object reads, each by one process at a time.
    RunIngest(WriteConnection& connection, std::int64_t runKey, std::string runId, std::vector<int> ranks);
    ~RunIngest();

    // Moves up to `limit` entries (of all ranks together) into the tables, in one transaction; answers how many. After
    // an error nothing of it is there, and the next call starts again from what is.
    Result<std::size_t> collect(std::size_t limit);
    // Until there is nothing left that is whole.
    Status collectAll();

    // One sentence for each journal whose end cannot be read although there is more. The writers must be dead.
    [[nodiscard]] std::string damage() const;
    [[nodiscard]] std::int64_t stored() const { return stored_; }

private:
    struct RankTally;
    struct RunTally;
    struct Statements;

    void load();
    std::size_t readRanks(std::size_t limit, std::unique_ptr<Batch>& batch);
    void take(RankTally& rank, const JournalEntry& entry);
    void takeSpan(RankTally& rank, const Span& span);
    void takeMetric(RankTally& rank, const Metric& metric);
    void tallyMetric(RankTally& rank, const Metric& metric);
    void takeState(RankTally& rank, const JournalEntry& entry);
    std::int64_t nameKey(std::string_view name);
    void writeChunk();
    void writeRank(const RankTally& rank);
    void writeRun();

    WriteConnection& connection_;
    const std::int64_t runKey_;
    const std::string runId_;
    const std::vector<int> rankNumbers_;
    std::vector<RankTally> ranks_;
    std::unique_ptr<RunTally> run_;
    std::unique_ptr<Statements> statements_;
    std::map<std::string, std::int64_t, std::less<>> names_;
    std::int64_t stored_ = 0;
    bool loaded_ = false;
};

}  // namespace dasgd::storage
