#include "storage/collect/journal_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

struct Read {
    std::vector<std::int64_t> steps;
    std::uint64_t last = 0;
};

Read readSpans(RecordSource& source, std::size_t limit = 1'000'000) {
    Read read;
    const std::size_t count = orDie(source.read(limit, [&](const EventRecord& record) {
        read.steps.push_back(record.span.step);
        read.last = record.sequence;
    }));
    EXPECT_EQ(count, read.steps.size());
    return read;
}

void writeSpans(JournalWriter& journal, std::int64_t first, std::int64_t last) {
    for (std::int64_t step = first; step <= last; ++step) journal.span({.step = step});
}

TEST(JournalSourceTest, ReadsOnAndAgainFromWhereItIsTold) {
    const TempDir folder;
    JournalSource source(3, folder / "journal");
    EXPECT_EQ(source.rank(), 3);
    source.startAfter(0);
    EXPECT_THAT(readSpans(source).steps, IsEmpty()) << "there is no journal yet";
    const auto journal = newJournal(folder / "journal");
    writeSpans(*journal, 1, 5);
    const Read firstTwo = readSpans(source, 2);
    EXPECT_THAT(firstTwo.steps, ElementsAre(1, 2));
    EXPECT_THAT(readSpans(source).steps, ElementsAre(3, 4, 5));
    source.startAfter(firstTwo.last);
    EXPECT_THAT(readSpans(source).steps, ElementsAre(3, 4, 5));
    writeSpans(*journal, 6, 6);
    EXPECT_THAT(readSpans(source).steps, ElementsAre(6));
}

TEST(JournalSourceTest, ReleasedSegmentsGoAndTheOthersStayReadable) {
    const TempDir folder;
    const auto journal = newJournal(folder / "journal", {.segmentRecords = 64});
    writeSpans(*journal, 1, 200);
    JournalSource source(0, folder / "journal");
    source.startAfter(0);
    const Read read = readSpans(source, 100);
    // Segments are named and not counted: the writer's helper may be adding the next one.
    ASSERT_TRUE(fs::exists(folder / "journal" / "0000000000.seg"));
    source.release(read.last);
    EXPECT_FALSE(fs::exists(folder / "journal" / "0000000000.seg")) << "63 records a segment";
    EXPECT_TRUE(fs::exists(folder / "journal" / "0000000001.seg")) << "holds records that are not released";
    source.startAfter(read.last);
    EXPECT_EQ(readSpans(source).steps.front(), 101);
}

TEST(JournalSourceTest, OnlyADamagedJournalIsReported) {
    const TempDir folder;
    {
        const auto journal = newJournal(folder / "journal");
        writeSpans(*journal, 1, 10);
    }
    JournalSource source(2, folder / "journal");
    source.startAfter(0);
    EXPECT_EQ(readSpans(source).steps.size(), 10U);
    EXPECT_EQ(source.damage(), "");

    std::fstream file(folder / "journal" / "0000000000.seg", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(64 * 5 + 20);
    file.put('x');
    file.close();
    source.startAfter(0);
    EXPECT_THAT(readSpans(source).steps, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(source.damage(), HasSubstr("rank 2 is damaged after record 4"));
}

TEST(JournalSourceTest, ARunHasASourceForEachOfItsJournals) {
    OneRun run(3);
    run.rank(2).span({.step = 42});
    const RecordSources sources = journalSources(run.store.paths(), run.runId, {0, 2});
    ASSERT_EQ(sources.size(), 2U);
    EXPECT_EQ(sources[0]->rank(), 0);
    EXPECT_EQ(sources[1]->rank(), 2);
    sources[1]->startAfter(0);
    EXPECT_THAT(readSpans(*sources[1]).steps, ElementsAre(42));
}

}  // namespace
}  // namespace dasgd::storage
