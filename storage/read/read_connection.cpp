#include "storage/read/read_connection.h"

#include <algorithm>

#include "storage/base/schema.h"
#include "storage/levels/span_row.h"

namespace dasgd::storage {

namespace {

constexpr std::int64_t kNewestSpans = 65536;

}  // namespace

ReadConnection::ReadConnection(const std::filesystem::path& workspace)
    : root(workspace),
      file(WorkspacePaths{workspace}.database()),
      database(file.string(), SQLite::OPEN_READONLY | kUnlocked) {
    database.setBusyTimeout(5000);
}

Result<std::shared_ptr<ReadConnection>> ReadConnection::open(const std::filesystem::path& workspace) {
    const WorkspacePaths paths{workspace};
    std::error_code ignored;
    if (!std::filesystem::exists(paths.database(), ignored)) {
        return fail("there is no workspace in " + workspace.string() + " (no lab.db); `dasgd run` makes one");
    }
    DASGD_TRY(checkDatabaseFile(paths.database()));
    return guarded(paths.database(), [&]() -> Result<std::shared_ptr<ReadConnection>> {
        auto opened = std::make_shared<ReadConnection>(workspace);
        DASGD_TRY(checkSchema(opened->database, paths.database()));
        return opened;
    });
}

std::int64_t ReadConnection::integerOf(const std::string& runId, const char* column) {
    const auto query = statements.take(std::string("SELECT ") + column + " FROM run WHERE run_id = ?");
    query->bind(1, runId);
    return query->executeStep() ? query->getColumn(0).getInt64() : 0;
}

std::map<int, std::string> ReadConnection::hostsOfRanks(std::int64_t run) {
    SQLite::Statement query(
        database, "SELECT rank, text FROM state_event WHERE run = ? AND state = ? AND text <> '' ORDER BY id");
    query.bind(1, run);
    query.bind(2, static_cast<int>(RankState::Starting));
    std::map<int, std::string> hosts;
    while (query.executeStep()) hosts[query.getColumn(0).getInt()] = query.getColumn(1).getString();
    return hosts;
}

std::vector<SpanRow> ReadConnection::newestSpans(std::int64_t run) {
    std::vector<SpanRow> rows;
    const auto chunks =
        statements.take("SELECT first_id, last_id FROM span_chunk WHERE run = ? ORDER BY first_id DESC");
    const auto query = hotStatements.take(
        "SELECT tag, step, start_ns, duration_ns, bytes, collective FROM span WHERE id BETWEEN ? AND ?");
    chunks->bind(1, run);
    while (static_cast<std::int64_t>(rows.size()) < kNewestSpans && chunks->executeStep()) {
        const std::int64_t last = chunks->getColumn(1).getInt64();
        const std::int64_t wanted = kNewestSpans - static_cast<std::int64_t>(rows.size());
        query->bind(1, std::max(chunks->getColumn(0).getInt64(), boundedSum(last, 1 - wanted)));
        query->bind(2, last);
        eachRow(*query, [&](sqlite3_stmt* row) { return rows.push_back(spanOfRow(row)), true; });
    }
    return rows;
}

}  // namespace dasgd::storage
