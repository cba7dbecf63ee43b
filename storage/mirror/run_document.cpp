#include "storage/mirror/run_document.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dasgd::storage {

namespace {

struct DocumentTable {
    const char* name;
    const char* key;
    const char* order;
};
// The first has one row.
constexpr std::array<DocumentTable, 6> kDocumentTables{{{"run", "id", "id"},
                                                        {"rank_state", "run", "rank"},
                                                        {"run_series", "run", "run"},
                                                        {"run_hardware", "run", "place"},
                                                        {"run_lineage", "run", "run"},
                                                        {"run_restart", "run", "run"}}};

constexpr std::array<std::string_view, 6> kStatusWords{"queued", "running", "finished",
                                                       "failed", "stopped", "interrupted"};

StoredValue valueOf(const SQLite::Column& column) {
    switch (column.getType()) {
        case SQLITE_INTEGER: return column.getInt64();
        case SQLITE_FLOAT: return column.getDouble();
        case SQLITE_NULL: return std::monostate();
        default: return column.getString();
    }
}

void bindValue(SQLite::Statement& statement, int place, const StoredValue& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        statement.bind(place, *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
        statement.bind(place, *real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
        statement.bindNoCopy(place, *text);
    } else {
        statement.bind(place);
    }
}

std::string marks(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += ", ?";
    return text;
}

}  // namespace

std::string DocumentTables::Table::list(const char* separator, const char* suffix) const {
    std::string text;
    for (const std::string& column : columns) text += (text.empty() ? "" : separator) + column + suffix;
    return text;
}

std::size_t DocumentTables::Table::placeOf(const std::string& column) const {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
}

DocumentTables::DocumentTables(SQLite::Database& database) : database_(database) {
    for (const DocumentTable& known : kDocumentTables) {
        Table& table = tables_.emplace_back(Table{.name = known.name});
        SQLite::Statement query(database, "SELECT name FROM pragma_table_info(?) ORDER BY cid");
        query.bind(1, known.name);
        while (query.executeStep()) {
            if (query.getColumn(0).getString() != known.key) table.columns.push_back(query.getColumn(0).getString());
        }
    }
}

RunDocument DocumentTables::read(std::int64_t runKey) const {
    RunDocument document;
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        const DocumentTable& known = kDocumentTables[i];
        SQLite::Statement query(database_, "SELECT " + tables_[i].list(", ", "") + " FROM " + known.name + " WHERE " +
                                               known.key + " = ? ORDER BY " + known.order);
        query.bind(1, runKey);
        auto& rows = document.tables.emplace_back();
        while (query.executeStep()) {
            StoredRow& row = rows.emplace_back();
            for (int place = 0; place < query.getColumnCount(); ++place) row.push_back(valueOf(query.getColumn(place)));
        }
    }
    SQLite::Statement schema(
        database_, "SELECT fields FROM run_schema JOIN schema ON schema.id = run_schema.schema WHERE run = ?");
    schema.bind(1, runKey);
    if (schema.executeStep()) document.schema = schema.getColumn(0).getString();
    return document;
}

void DocumentTables::setEnd(RunDocument& document, const std::string& status, const std::string& error) const {
    StoredRow& run = document.tables.front().front();
    run[tables_.front().placeOf("status")] = status;
    run[tables_.front().placeOf("error")] = error;
    run[tables_.front().placeOf("ended_at")] = std::monostate();
}

std::string DocumentTables::statusOf(const RunDocument& document) const {
    const auto* status = std::get_if<std::string>(&document.tables.front().front()[tables_.front().placeOf("status")]);
    return status ? *status : "";
}

Status DocumentTables::check(const RunDocument& document, const std::string& runId) const {
    const auto wrong = [&](const std::string& what) {
        return fail("what was told of run " + runId + " cannot be stored: " + what);
    };
    if (document.tables.size() != tables_.size() || document.tables.front().size() != 1) return wrong("its tables");
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        for (const StoredRow& row : document.tables[i]) {
            if (row.size() != tables_[i].columns.size()) return wrong("the columns of " + tables_[i].name);
        }
    }
    const auto* id = std::get_if<std::string>(&document.tables.front().front()[tables_.front().placeOf("run_id")]);
    if (!id || *id != runId) return wrong("it is of another run");
    if (std::ranges::find(kStatusWords, statusOf(document)) == kStatusWords.end()) return wrong("its status");
    return {};
}

std::int64_t DocumentTables::insert(const RunDocument& document) const {
    const Table& table = tables_.front();
    const StoredRow& row = document.tables.front().front();
    SQLite::Statement insert(
        database_, "INSERT INTO run (id, " + table.list(", ", "") + ") VALUES (NULL" + marks(row.size()) + ")");
    for (std::size_t i = 0; i < row.size(); ++i) bindValue(insert, static_cast<int>(i) + 1, row[i]);
    insert.exec();
    const std::int64_t key = database_.getLastInsertRowid();
    writeRows(key, document);
    return key;
}

void DocumentTables::replace(std::int64_t runKey, const RunDocument& document) const {
    const StoredRow& row = document.tables.front().front();
    SQLite::Statement update(database_, "UPDATE run SET " + tables_.front().list(", ", " = ?") + " WHERE id = ?");
    for (std::size_t i = 0; i < row.size(); ++i) bindValue(update, static_cast<int>(i) + 1, row[i]);
    update.bind(static_cast<int>(row.size()) + 1, runKey);
    update.exec();
    writeRows(runKey, document);
}

void DocumentTables::writeRows(std::int64_t runKey, const RunDocument& document) const {
    for (std::size_t i = 1; i < tables_.size(); ++i) {
        const Table& table = tables_[i];
        SQLite::Statement clear(database_, "DELETE FROM " + table.name + " WHERE run = ?");
        clear.bind(1, runKey);
        clear.exec();
        SQLite::Statement insert(database_, "INSERT INTO " + table.name + " (run, " + table.list(", ", "") +
                                                ") VALUES (?" + marks(table.columns.size()) + ")");
        for (const StoredRow& row : document.tables[i]) {
            insert.bind(1, runKey);
            for (std::size_t place = 0; place < row.size(); ++place) {
                bindValue(insert, static_cast<int>(place) + 2, row[place]);
            }
            insert.exec();
            insert.reset();
        }
    }
    if (document.schema.empty()) return;
    SQLite::Statement schema(database_, "INSERT OR IGNORE INTO schema (fields) VALUES (?)");
    schema.bindNoCopy(1, document.schema);
    schema.exec();
    SQLite::Statement link(database_,
                           "INSERT OR REPLACE INTO run_schema (run, schema) SELECT ?, id FROM schema WHERE fields = ?");
    link.bind(1, runKey);
    link.bindNoCopy(2, document.schema);
    link.exec();
}

}  // namespace dasgd::storage
