#include "storage/base/lock_wait.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "storage/base/workspace.h"
#include "tests/support/processes.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

// The error that ends the wait.
std::string errorOf(LockWait wait) {
    for (;;) {
        if (const Status paused = wait.pause(); !paused) return paused.error().message;
    }
}

TEST(LockWaitTest, ItEndsAndNamesTheHolderOfAFlock) {
    const TempDir folder;
    const auto file = folder / "lock";
    const FileLock lock = orDie(FileLock::wait(file, FileLock::Kind::Exclusive));
    EXPECT_THAT(flockHolders(file), ElementsAre(::getpid()));
    EXPECT_THAT(errorOf({file, LockWait::Lock::Flock, std::chrono::milliseconds(20)}),
                MatchesRegex(file.string() + " has been held by process " + std::to_string(::getpid()) +
                             " \\(.*\\) for 0 s: wait for it to end, or end it"));
}

// Readers hold locks of the same file.
TEST(LockWaitTest, OnlyTheWriterOfADatabaseIsNamed) {
    const TempDir folder;
    const std::string file = (folder / "some.db").string();
    SQLite::Database reader(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    reader.exec("PRAGMA journal_mode = WAL; CREATE TABLE number (value INTEGER)");
    SQLite::Transaction reading(reader);
    EXPECT_EQ(reader.execAndGet("SELECT count(*) FROM number").getInt(), 0);
    EXPECT_THAT(databaseWriters(file), IsEmpty());
    EXPECT_THAT(errorOf({file, LockWait::Lock::Database, std::chrono::milliseconds(20)}),
                HasSubstr("held by another process for 0 s: end its transaction"));
    SQLite::Database writer(file, SQLite::OPEN_READWRITE);
    {
        const SQLite::Transaction writing(writer, SQLite::TransactionBehavior::IMMEDIATE);
        EXPECT_THAT(databaseWriters(file), ElementsAre(::getpid()));
        EXPECT_THAT(errorOf({file, LockWait::Lock::Database, std::chrono::milliseconds(20)}),
                    HasSubstr("held by process " + std::to_string(::getpid()) + " ("));
    }
    EXPECT_THAT(databaseWriters(file), IsEmpty());
}

TEST(LockWaitTest, ASignalThatAsksForTheEndEndsIt) {
    for (const int number : {SIGTERM, SIGUSR1}) {
        sigset_t signals, before;
        sigemptyset(&signals);
        sigaddset(&signals, number);
        ::pthread_sigmask(SIG_BLOCK, &signals, &before);
        ::raise(number);
        EXPECT_THAT(errorOf({"some.db", LockWait::Lock::Database, std::chrono::seconds(60)}),
                    HasSubstr("stopped while waiting for some.db, held by "));
        int taken = 0;
        ::sigwait(&signals, &taken);
        EXPECT_EQ(taken, number);
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
}

TEST(LockWaitTest, HoldersAreNamedWithTheirPrograms) {
    EXPECT_EQ(namesOf({}), "another process");
    EXPECT_THAT(namesOf({::getpid(), 1 << 30}),
                MatchesRegex("process " + std::to_string(::getpid()) + " \\(.+\\) and process 1073741824"));
}

}  // namespace
}  // namespace dasgd::storage
