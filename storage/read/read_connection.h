// The connection that the readers of a workspace share; included by their sources alone.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/base/database.h"
#include "storage/base/statement_pool.h"
#include "storage/read/span_reader.h"

namespace dasgd::storage {

class ReadConnection {
public:
    // Errors: as RunReader::open().
    static Result<std::shared_ptr<ReadConnection>> open(const std::filesystem::path& workspace);
    // Throws SQLite::Exception.
    explicit ReadConnection(const std::filesystem::path& workspace);

    // run.id, or 0.
    std::int64_t keyOf(const std::string& runId) { return integerOf(runId, "id"); }
    std::int64_t integerOf(const std::string& runId, const char* column);
    // By rank, of those that reported their host.
    std::map<int, std::string> hostsOfRanks(std::int64_t run);
    // The newest spans of all ranks together, in any order.
    std::vector<SpanRow> newestSpans(std::int64_t run);

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
        explicit Snapshot(ReadConnection& reader) : end_(reader.end_) { reader.begin_.run(); }
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
};

// nullopt for NULL.
inline std::optional<double> optionalNumber(const SQLite::Column& column) {
    if (column.isNull()) return std::nullopt;
    return column.getDouble();
}

}  // namespace dasgd::storage
