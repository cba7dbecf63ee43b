// Prepared statements of one connection, kept for the next time: preparing costs more than most of what a live window
// asks ten times a second.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "storage/base/database.h"

namespace dasgd::storage {

// `S`: SQLite::Statement or HotStatement. Used by one thread at a time, as the connection is.
template <class S>
class StatementPool {
public:
    // A statement that nobody else has; it goes back reset, so that it keeps no read transaction open, and empty.
    class Lease {
    public:
        Lease(StatementPool& pool, std::string sql, std::unique_ptr<S> statement)
            : pool_(pool), sql_(std::move(sql)), statement_(std::move(statement)) {}
        ~Lease() {
            clear(*statement_);
            pool_.free_.insert_or_assign(std::move(sql_), std::move(statement_));
        }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        S& operator*() const { return *statement_; }
        S* operator->() const { return statement_.get(); }

    private:
        StatementPool& pool_;
        std::string sql_;
        std::unique_ptr<S> statement_;
    };

    // `database` outlives the pool.
    explicit StatementPool(SQLite::Database& database) : database_(database) {}

    // Throws SQLite::Exception.
    [[nodiscard]] Lease take(std::string_view sql) {
        if (const auto known = free_.find(sql); known != free_.end()) {
            auto taken = free_.extract(known);
            return {*this, std::move(taken.key()), std::move(taken.mapped())};
        }
        std::string text(sql);
        auto statement = std::make_unique<S>(database_, text.c_str());
        return {*this, std::move(text), std::move(statement)};
    }

private:
    static void clear(SQLite::Statement& statement) {
        statement.tryReset();
        statement.clearBindings();
    }
    static void clear(HotStatement& statement) {
        sqlite3_reset(statement.get());
        sqlite3_clear_bindings(statement.get());
    }

    SQLite::Database& database_;
    std::map<std::string, std::unique_ptr<S>, std::less<>> free_;  // by their text
};

}  // namespace dasgd::storage
