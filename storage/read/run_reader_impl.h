// Inside of RunReader: what runs it knows, and its connection.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/base/database.h"
#include "storage/base/statement_pool.h"
#include "storage/read/run_reader.h"

namespace dasgd::storage {

class RunReader::Impl {
public:
    explicit Impl(const std::filesystem::path& workspace)
        : root(workspace),
          file(WorkspacePaths{workspace}.database()),
          database(file.string(), SQLite::OPEN_READONLY | kUnlocked) {
        database.setBusyTimeout(5000);
    }

    // run.id, or 0.
    std::int64_t keyOf(const std::string& runId) { return integerOf(runId, "id"); }
    std::int64_t integerOf(const std::string& runId, const char* column);
    // The run that has this id, or the only one whose id begins with it.
    Result<std::string> fullId(const std::string& prefix);
    RunRow row(const std::string& fullId);
    // Place of each waiting entry of the queue, by run, counted from 0.
    std::map<std::string, double> queuePlaces();
    // RunDetail::waitsFor of an entry of the queue that is queued.
    std::string waitsFor(const std::string& fullId);
    // RunDetail::waitsFor of a queued run of a series; "" for a run of no series.
    std::string waitsInSeries(const RunRow& row);
    std::vector<HardwarePart> hardware(const std::string& fullId);
    // By rank, of those that said it.
    std::map<int, std::string> hostsOfRanks(std::int64_t run);
    // Inflation over the ranks of a run that know theirs; `mean` alone if none does, as for an imported run.
    Sample inflationOfRanks(std::int64_t run, std::optional<double> mean);
    // The newest spans of all ranks together, in any order.
    std::vector<SpanRow> newestSpans(std::int64_t run);
    // Reads what was added since the last call: the schema of a run is written once, with its row.
    void readSchemas();
    [[nodiscard]] std::shared_ptr<const std::string> schemaOf(const std::string& runId) const;
    // Computed anew only when the run has more spans than last time.
    std::optional<Straggler> straggler(std::int64_t run, std::int64_t spans);

    // In one read transaction, SQLite's exceptions turned into errors.
    template <class Work>
    auto guard(Work&& work) -> decltype(work()) {
        return guarded(file, [&] {
            const Snapshot snapshot(*this);
            return work();
        });
    }

    const std::filesystem::path root;
    const std::filesystem::path file;
    SQLite::Database database;
    StatementPool<SQLite::Statement> statements{database};
    StatementPool<HotStatement> hotStatements{database};

private:
    // One read transaction.
    class Snapshot {
    public:
        explicit Snapshot(Impl& reader) : end_(reader.end_) { reader.begin_.run(); }
        // After some errors SQLite has ended it itself, and refuses.
        ~Snapshot() {
            sqlite3_step(end_.get());
            sqlite3_reset(end_.get());
        }
        Snapshot(const Snapshot&) = delete;
        Snapshot& operator=(const Snapshot&) = delete;

    private:
        HotStatement& end_;
    };

    HotStatement begin_{database, "BEGIN"}, end_{database, "ROLLBACK"};
    std::int64_t timedRun_ = 0;
    std::int64_t timedSpans_ = -1;
    std::optional<Straggler> straggler_;
    std::map<std::int64_t, std::shared_ptr<const std::string>> schemas_;
    std::map<std::string, std::shared_ptr<const std::string>> schemaOf_;  // by run id
    std::int64_t newestRunWithSchema_ = 0;
};

}  // namespace dasgd::storage
