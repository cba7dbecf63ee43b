// Records that cannot be taken in: a journal that is damaged or gone, a database that was taken away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "storage/write/recorder.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

TEST(LostRecords, ADamagedJournalIsReportedAndKept) {
    OneRun run;
    for (std::int64_t step = 0; step < 100; ++step) run.rank(0).span({.step = step});
    const fs::path journal = run.store.paths().journal(run.runId, 0);
    std::fstream file(journal / "0000000000.seg", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(51 * 64 + 30);
    file.put('x');
    file.close();
    run.finish();
    EXPECT_EQ(orDie(run.reader().spans().count(run.runId)), 50);
    EXPECT_THAT(rowOf(run).error, AllOf(HasSubstr("rank 0"), HasSubstr("damaged after record 50")));
    EXPECT_EQ(rowOf(run).status, "failed") << "no success without its record";
    EXPECT_TRUE(fs::exists(journal));
}

TEST(LostRecords, AJournalThatCannotBeReadHoldsUpNoOther) {
    OneRun run(3);
    for (std::int64_t step = 0; step < 100; ++step) {
        for (int rank = 0; rank < 3; ++rank) run.rank(rank).span({.step = step});
    }
    const fs::path journal = run.store.paths().journal(run.runId, 1);
    std::fstream file(journal / "0000000000.seg", std::ios::in | std::ios::out | std::ios::binary);
    file.put('x');
    file.close();
    run.finish();
    EXPECT_EQ(orDie(run.reader().spans().count(run.runId)), 200);
    EXPECT_EQ(rowOf(run).status, "failed");
    EXPECT_THAT(rowOf(run).error, AllOf(HasSubstr("rank-0001"), HasSubstr("damaged")));
    EXPECT_TRUE(fs::exists(journal)) << "to be read again when it is whole";
}

// A byte of the disk that reads right again, or is mended from a copy.
TEST(LostRecords, AJournalThatWasMendedIsReadWhenTheWorkspaceIsOpenedAgain) {
    OneRun run(3);
    for (std::int64_t step = 0; step < 100; ++step) {
        for (int rank = 0; rank < 3; ++rank) run.rank(rank).span({.step = step});
    }
    const fs::path journal = run.store.paths().journal(run.runId, 1);
    const auto put = [&](char byte) {
        std::fstream file(journal / "0000000000.seg", std::ios::in | std::ios::out | std::ios::binary);
        const auto was = static_cast<char>(file.peek());
        file.put(byte);
        return was;
    };
    const char right = put('x');
    run.finish();
    const std::string before = rowOf(run).error;
    const auto openAgain = [&] { orDie(Store::open(run.store.paths().root)); };
    openAgain();
    EXPECT_EQ(orDie(run.reader().spans().count(run.runId)), 200) << "still damaged";
    EXPECT_EQ(rowOf(run).error, before);
    put(right);
    openAgain();
    EXPECT_EQ(orDie(run.reader().spans().count(run.runId)), 300) << "each once";
    EXPECT_EQ(rowOf(run).status, "failed") << "nobody knows what was decided without them";
    EXPECT_THAT(rowOf(run).error, AllOf(HasSubstr(before), HasSubstr("what could not be read came later")));
    EXPECT_FALSE(fs::exists(journal));
    const std::string after = rowOf(run).error;
    openAgain();
    EXPECT_EQ(rowOf(run).error, after) << "once";
}

// The collecting process was killed between the last commit and the removal of the journal.
TEST(LostRecords, AJournalThatWasCollectedWholeIsRemovedWithoutAWord) {
    OneRun run;
    for (std::int64_t step = 0; step < 100; ++step) run.rank(0).span({.step = step});
    const fs::path journal = run.store.paths().journal(run.runId, 0), kept = run.folder / "kept";
    run.journals.clear();
    fs::copy(journal, kept, fs::copy_options::recursive);
    run.finish("stopped", "a person stopped it");
    ASSERT_FALSE(fs::exists(journal));
    fs::copy(kept, journal, fs::copy_options::recursive);
    orDie(Store::open(run.store.paths().root));
    EXPECT_EQ(orDie(run.reader().spans().count(run.runId)), 100) << "none twice";
    EXPECT_EQ(rowOf(run).error, "a person stopped it");
    EXPECT_FALSE(fs::exists(journal));
}

TEST(LostRecords, AJournalThatIsRemovedIsALoss) {
    OneRun run;
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    run.rank(0).span({.step = 1});
    ASSERT_TRUE(eventually([&] { return recorder->recordsStored() == 1; }));
    removeWhatIsInUse(run.store.paths().journal(run.runId, 0));
    run.rank(0).state(RankState::Finished, 1, "");
    run.journals.clear();
    const RanksEnd end = orDie(recorder->finish("finished", ""));
    EXPECT_EQ(end.status, "failed");
    EXPECT_EQ(rowOf(run).status, "failed");
    EXPECT_THAT(rowOf(run).error, AllOf(HasSubstr("rank 0 was removed"), HasSubstr("may be lost")));
    EXPECT_EQ(end.error, rowOf(run).error);
}

TEST(LostRecords, ADatabaseThatIsRemovedIsNotWrittenOn) {
    OneRun run;
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    const fs::path database = run.store.paths().database();
    fs::remove(database);
    run.rank(0).span({.step = 1});
    EXPECT_TRUE(
        eventually([&] { return recorder->currentError().find("was removed or replaced") != std::string::npos; }));
    const auto ended = recorder->finish("finished", "");
    ASSERT_FALSE(ended);
    EXPECT_THAT(ended.error().message, HasSubstr(database.string()));
    EXPECT_TRUE(fs::exists(run.store.paths().journal(run.runId, 0))) << "the records are still there";
}

}  // namespace
}  // namespace dasgd::storage
