#include "storage/base/statement_pool.h"

#include <gtest/gtest.h>

namespace dasgd::storage {
namespace {

class StatementPoolTest : public testing::Test {
protected:
    void SetUp() override {
        database_.exec("CREATE TABLE row (id INTEGER)");
        database_.exec("INSERT INTO row VALUES (1), (2), (3)");
    }
    SQLite::Database database_{":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
    StatementPool<SQLite::Statement> pool_{database_};
};

constexpr const char* kRows = "SELECT id FROM row WHERE id >= ? ORDER BY id";

TEST_F(StatementPoolTest, GivesTheSameStatementAgainAtItsStartAndWithoutValues) {
    const SQLite::Statement* first = nullptr;
    {
        const auto rows = pool_.take(kRows);
        first = &*rows;
        rows->bind(1, 2);
        ASSERT_TRUE(rows->executeStep());
        EXPECT_EQ(rows->getColumn(0).getInt(), 2);
    }
    const auto again = pool_.take(kRows);
    EXPECT_EQ(&*again, first);
    EXPECT_FALSE(again->executeStep()) << "nothing is bound: no row is at least NULL";
}

TEST_F(StatementPoolTest, WhoeverAsksWhileOneIsInUseGetsAnother) {
    const auto outer = pool_.take(kRows);
    outer->bind(1, 1);
    ASSERT_TRUE(outer->executeStep());
    {
        const auto inner = pool_.take(kRows);
        inner->bind(1, 3);
        ASSERT_TRUE(inner->executeStep());
        EXPECT_EQ(inner->getColumn(0).getInt(), 3);
    }
    ASSERT_TRUE(outer->executeStep());
    EXPECT_EQ(outer->getColumn(0).getInt(), 2) << "goes on where it was";
}

// A statement that was left in the middle of its rows would hold a lock on the table.
TEST_F(StatementPoolTest, OneThatWasGivenBackKeepsNoTransactionOpen) {
    {
        const auto rows = pool_.take(kRows);
        rows->bind(1, 1);
        ASSERT_TRUE(rows->executeStep());
    }
    EXPECT_NO_THROW(database_.exec("DROP TABLE row"));
    EXPECT_THROW(static_cast<void>(pool_.take(kRows)->executeStep()), SQLite::Exception) << "and it sees the change";
}

}  // namespace
}  // namespace dasgd::storage
