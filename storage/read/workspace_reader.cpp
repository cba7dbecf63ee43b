#include "storage/read/workspace_reader.h"

#include <utility>

#include "storage/read/read_connection.h"

namespace dasgd::storage {

WorkspaceReader::WorkspaceReader(std::shared_ptr<ReadConnection> connection)
    : connection_(std::move(connection)), runs_(connection_), spans_(connection_), metrics_(connection_) {}

Result<WorkspaceReader> WorkspaceReader::open(const std::filesystem::path& workspace) {
    DASGD_ASSIGN(auto connection, ReadConnection::open(workspace));
    return WorkspaceReader(std::move(connection));
}

Result<std::int64_t> WorkspaceReader::dataVersion() {
    return guarded(connection_->file, [&]() -> Result<std::int64_t> {
        const auto version = connection_->statements.take("PRAGMA data_version");
        version->executeStep();
        return version->getColumn(0).getInt64();
    });
}

Result<std::vector<std::optional<double>>> WorkspaceReader::firstRow(const std::string& query) {
    return connection_->guard([&]() -> Result<std::vector<std::optional<double>>> {
        SQLite::Statement statement(connection_->database, query);
        std::vector<std::optional<double>> row;
        if (!statement.executeStep()) return row;
        for (int i = 0; i < statement.getColumnCount(); ++i) {
            const SQLite::Column column = statement.getColumn(i);
            row.push_back(column.isInteger() || column.isFloat() ? std::optional(column.getDouble()) : std::nullopt);
        }
        return row;
    });
}

Status WorkspaceReader::checkIntegrity() {
    return guarded(connection_->file, [&]() -> Status {
        const std::string verdict = connection_->database.execAndGet("PRAGMA integrity_check").getString();
        if (verdict == "ok") return {};
        return fail(connection_->file.string() + " is damaged: " + verdict +
                    ". Keep a copy; what can be read can be exported");
    });
}

std::string sqliteVersion() { return SQLite::getLibVersion(); }

}  // namespace dasgd::storage
