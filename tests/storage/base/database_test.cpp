#include "storage/base/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <thread>

#include "tests/support/failing_disk.h"
#include "tests/support/foreign_writer.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class WriteTransactionTest : public ::testing::Test {
protected:
    WriteTransactionTest() {
        fs::create_directories(paths_.root);
        connection_ = orDie(WriteConnection::open(paths_));
    }
    static void addName(WriteConnection& connection, const std::string& name) {
        SQLite::Statement insert(connection.database(), "INSERT INTO metric_name (name) VALUES (?)");
        insert.bind(1, name);
        insert.exec();
    }
    std::int64_t names() {
        SQLite::Database reader(paths_.database().string(), SQLite::OPEN_READONLY);
        return reader.execAndGet("SELECT count(*) FROM metric_name").getInt64();
    }
    [[nodiscard]] std::uintmax_t walBytes() const { return fs::file_size(paths_.database().string() + "-wal"); }

    ForeignWriter shell_;
    TempDir folder_;
    WorkspacePaths paths_{folder_ / "w"};
    std::unique_ptr<WriteConnection> connection_;
};

TEST_F(WriteTransactionTest, IsAllOrNothing) {
    {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        addName(*connection_, "a");
    }
    EXPECT_EQ(names(), 0);
    const auto transaction = orDie(WriteTransaction::begin(*connection_));
    addName(*connection_, "a");
    addName(*connection_, "b");
    EXPECT_EQ(names(), 0);
    transaction->commit();
    EXPECT_EQ(names(), 2);
}

TEST_F(WriteTransactionTest, HoldsTheLockAsLongAsItIsOpen) {
    {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        EXPECT_FALSE(orDie(FileLock::tryNow(paths_.lock(), FileLock::Kind::Exclusive)));
    }
    EXPECT_TRUE(orDie(FileLock::tryNow(paths_.lock(), FileLock::Kind::Exclusive)));
}

TEST_F(WriteTransactionTest, AProgramThatWritesWithoutTheLockIsNamed) {
    ASSERT_TRUE(shell_.hold(paths_.database().string(), std::chrono::minutes(1)));
    const auto failed = WriteTransaction::begin(*connection_, std::chrono::milliseconds(300));
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message,
                HasSubstr("lab.db has been held by process " + std::to_string(shell_.id()) + " ("));
    EXPECT_THAT(failed.error().message, HasSubstr("end its transaction"));
    EXPECT_TRUE(orDie(FileLock::tryNow(paths_.lock(), FileLock::Kind::Exclusive)));
    shell_.kill();
    orDie(WriteTransaction::begin(*connection_, std::chrono::milliseconds(300)));
}

TEST_F(WriteTransactionTest, TheLockIsFreeWhileAnotherProgramIsWaitedFor) {
    ASSERT_TRUE(shell_.hold(paths_.database().string(), std::chrono::minutes(1)));
    std::atomic<bool> began = false;
    std::thread patient([&] {
        const auto connection = orDie(WriteConnection::open(paths_));
        began = true;
        orDie(WriteTransaction::begin(*connection));
    });
    ASSERT_TRUE(eventually([&] { return began.load(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto failed = WriteTransaction::begin(*connection_, std::chrono::milliseconds(500));
    EXPECT_THAT(failed ? "no error" : failed.error().message,
                HasSubstr("held by process " + std::to_string(shell_.id()) + " ("))
        << "and not by this process, which waits for it with another transaction";
    shell_.kill();
    patient.join();
}

TEST_F(WriteTransactionTest, ManyWritersTakeTurns) {
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 4; ++writer) {
        writers.emplace_back([&, writer] {
            const auto connection = orDie(WriteConnection::open(paths_));
            for (int i = 0; i < 50; ++i) {
                const auto transaction = orDie(WriteTransaction::begin(*connection));
                addName(*connection, std::to_string(writer) + "/" + std::to_string(i));
                transaction->commit();
            }
        });
    }
    for (auto& writer : writers) writer.join();
    EXPECT_EQ(names(), 200);
}

// 80 MB go through a WAL that is started over again and again, while readers come and go.
TEST_F(WriteTransactionTest, TheWalStaysBounded) {
    const std::string big(200'000, 'x');
    for (int i = 0; i < 400; ++i) {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        addName(*connection_, big + std::to_string(i));
        transaction->commit();
        if (i % 10 == 0) {
            EXPECT_EQ(names(), i + 1);
        }
    }
    EXPECT_LT(walBytes(), 40U << 20);
    EXPECT_EQ(connection_->walWarning(), "");
}

// A reader that never lets go: the WAL must grow, and that is said.
TEST_F(WriteTransactionTest, AReaderThatHoldsTheWalBackIsReported) {
    SQLite::Database reader(paths_.database().string(), SQLite::OPEN_READONLY);
    reader.exec("BEGIN");
    EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM metric_name").getInt(), 0);
    const std::string big(10'000'000, 'x');
    for (int i = 0; i < 15; ++i) {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        addName(*connection_, big + std::to_string(i));
        transaction->commit();
    }
    EXPECT_THAT(connection_->walWarning(), HasSubstr("128 MiB"));
    reader.exec("COMMIT");
    const auto transaction = orDie(WriteTransaction::begin(*connection_));
    transaction->commit(WriteTransaction::Then::CheckpointAll);
    EXPECT_EQ(connection_->walWarning(), "");
    EXPECT_EQ(walBytes(), 0U);
}

// The WAL stays as it is: nothing is lost, and the warning stands until it could be written back.
TEST_F(WriteTransactionTest, AWalThatCannotBeWrittenBackIsReported) {
    {
        // The first commit syncs the header of a new WAL, and would fail.
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        addName(*connection_, "before");
        transaction->commit();
    }
    const auto add = [&](const std::string& name) {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        addName(*connection_, name);
        transaction->commit(WriteTransaction::Then::CheckpointAll);
    };
    {
        DiskFaults faults;
        faults.ofSync = [](const fs::path& file) { return file.string().ends_with("lab.db-wal"); };
        add("first");
        EXPECT_GT(faults.injected, 0);
    }
    EXPECT_THAT(connection_->walWarning(), ::testing::AllOf(HasSubstr("lab.db-wal"), HasSubstr("I/O error")));
    EXPECT_EQ(names(), 2);
    EXPECT_GT(walBytes(), 0U);
    add("second");
    EXPECT_EQ(connection_->walWarning(), "");
    EXPECT_EQ(names(), 3);
    EXPECT_EQ(walBytes(), 0U);
}

TEST_F(WriteTransactionTest, ClosingWritesNothing) {
    {
        const auto transaction = orDie(WriteTransaction::begin(*connection_));
        addName(*connection_, "a");
        transaction->commit();
    }
    const auto before = walBytes();
    ASSERT_GT(before, 0U);
    connection_.reset();
    EXPECT_EQ(walBytes(), before) << "a checkpoint outside the lock";
    EXPECT_EQ(names(), 1);
}

TEST(GuardedTest, ExceptionsBecomeErrorsThatNameTheFile) {
    const auto failed = guarded("folder/lab.db", []() -> Status { throw SQLite::Exception("no luck", SQLITE_FULL); });
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().message, "folder/lab.db: no luck (make room on the disk)");
    const auto locked =
        guarded("folder/lab.db", []() -> Status { throw SQLite::Exception("database is locked", SQLITE_BUSY); });
    EXPECT_EQ(locked.error().message, "folder/lab.db: database is locked by another process: end its transaction");
}

TEST_F(WriteTransactionTest, AStatementThatBreaksAConstraintThrows) {
    const auto transaction = orDie(WriteTransaction::begin(*connection_));
    HotStatement insert(connection_->database(), "INSERT INTO metric_name (id, name) VALUES (?, 'x' || ?)");
    insert.bind(1, std::int64_t{1});
    insert.bind(2, 0.5);
    insert.run();
    EXPECT_THROW(insert.run(), SQLite::Exception);
    EXPECT_THROW(HotStatement(connection_->database(), "SELECT nothing FROM nowhere"), SQLite::Exception);
}

}  // namespace
}  // namespace dasgd::storage
