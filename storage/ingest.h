// From the journals of one run to its rows: reads, inserts, keeps the summary. No thread of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/journal.h"
#include "storage/database.h"
#include "storage/tally.h"

namespace dasgd::storage {

class RunIngest {
public:
    // `runKey` is run.id; `journals` are those that this object reads, by the rank that each is of, each by one process
    // at a time. A shared journal's records go to the ranks that they were written for.
    RunIngest(WriteConnection& connection, std::int64_t runKey, std::string runId, std::vector<int> journals);
    ~RunIngest();

    // Moves up to `limit` entries (of all journals together) into the tables, in one transaction; answers how many.
    // After an error nothing of it is there, and the next call starts again from what is.
    Result<std::size_t> collect(std::size_t limit);
    // Until there is nothing left that is whole.
    Status collectAll();

    // One sentence for each journal whose end cannot be read although there is more. The writers must be dead.
    [[nodiscard]] std::string damage() const;
    [[nodiscard]] std::int64_t stored() const { return stored_; }

private:
    struct Journal;
    struct Statements;

    // Rows of `span` that are this run's and follow one another; the one that rows are being added to.
    struct Chunk {
        std::int64_t first = 0, last = -1;
        Ns start = 0, end = 0;
        [[nodiscard]] std::int64_t rows() const { return last - first + 1; }
    };

    void load();
    std::size_t readJournals(std::size_t limit, std::unique_ptr<Batch>& batch);
    void take(int rank, const JournalEntry& entry);
    void takeSpan(int rank, const Span& span);
    void takeMetric(int rank, const Metric& metric);
    void takeState(int rank, const JournalEntry& entry);
    std::int64_t nameKey(std::string_view name);
    void writeChunk();
    void writePlace(const Journal& journal);

    WriteConnection& connection_;
    const std::int64_t runKey_;
    const std::string runId_;
    const std::vector<int> journalNumbers_;
    std::vector<Journal> journals_;
    std::unique_ptr<Tallies> tallies_;
    Chunk chunk_;
    bool chunkGrew_ = false;  // in this batch
    std::unique_ptr<Statements> statements_;
    std::map<std::string, std::int64_t, std::less<>> names_;
    std::int64_t stored_ = 0;
    bool loaded_ = false;
};

}  // namespace dasgd::storage
