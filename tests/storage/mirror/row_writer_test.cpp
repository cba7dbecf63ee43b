#include "storage/mirror/row_writer.h"

#include <gtest/gtest.h>

#include "tests/support/mirrors.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

MirrorPart spansFrom(std::int64_t first, std::int64_t count) {
    MirrorPart part{.runId = "run-a"};
    for (std::int64_t id = first; id < first + count; ++id) {
        part.spans.push_back({.id = id, .tag = 1, .step = id, .start = id * 10, .duration = 5});
    }
    return part;
}

class RowWriterTest : public ::testing::Test {
protected:
    std::int64_t chunks() { return database_.execAndGet("SELECT count(*) FROM span_chunk").getInt64(); }
    OneRun run_;
    SQLite::Database database_{(run_.folder / "workspace" / "lab.db").string(), SQLite::OPEN_READWRITE};
    RowWriter writer_{database_};
    std::int64_t key_ = keyOf(run_.store.paths(), "run-a");
    RowPositions from_;
};

TEST_F(RowWriterTest, RowsThatWereTakenArePassedOver) {
    EXPECT_EQ(writer_.write(key_, spansFrom(1, 100), from_), 100);
    EXPECT_EQ(from_.span, 100);
    EXPECT_EQ(writer_.write(key_, spansFrom(51, 100), from_), 50);
    EXPECT_EQ(from_.span, 150);
    EXPECT_EQ(contentOfRun(run_.folder / "workspace", "run-a").spans, 150);
}

// A live run comes a few rows at a time; a chunk each would make reading it slow.
TEST_F(RowWriterTest, ChunksGrowAsACollectorsDo) {
    // All rows are in one transaction, as in the product: 20,000 of them would wait for the disk.
    database_.exec("BEGIN");
    for (std::int64_t first = 1; first <= 20'000; first += 100) writer_.write(key_, spansFrom(first, 100), from_);
    database_.exec("COMMIT");
    EXPECT_EQ(chunks(), 3);
    // Rows of another run between them: they do not follow one another any more.
    orDie(run_.store.addRun(runInfo("run-b")));
    RowPositions other;
    writer_.write(keyOf(run_.store.paths(), "run-b"), spansFrom(1, 10), other);
    writer_.write(key_, spansFrom(20'001, 10), from_);
    EXPECT_EQ(chunks(), 5);
    EXPECT_EQ(contentOfRun(run_.folder / "workspace", "run-a").spans, 20'010);
    EXPECT_EQ(orDie(run_.reader().spans().touching("run-a", {0, 300'000})).size(), 20'010U) << "in the chunks' ranges";
}

TEST_F(RowWriterTest, NoLevelIsLeftBehindByRowsThatFollow) {
    writer_.write(key_, spansFrom(1, 100), from_);
    database_.exec("UPDATE span_chunk SET node = -1");
    writer_.write(key_, spansFrom(101, 100), from_);
    EXPECT_EQ(chunks(), 2) << "a chunk with a level never grows";
}

TEST_F(RowWriterTest, NamesAndTextsGoWithTheirRows) {
    MirrorPart part = spansFrom(1, 3);
    part.labels = {{2, "matmul"}};
    part.names = {"train/loss"};
    part.metrics = {{.id = 7, .name = 0, .rank = 1, .step = 3, .value = 0.5}};
    part.events = {{.id = 9, .rank = 0, .state = 3, .step = 4, .text = "why"}};
    EXPECT_EQ(writer_.write(key_, part, from_), 5);
    EXPECT_EQ(from_, (RowPositions{7, 3, 9}));
    EXPECT_EQ(
        database_
            .execAndGet(
                "SELECT span_name.name FROM span_name JOIN span_label ON span_name.id = span_label.name WHERE span = 2")
            .getString(),
        "matmul");
    EXPECT_EQ(metricRows(run_.store.paths(), "run-a").at(0).value, 0.5);
    EXPECT_EQ(database_.execAndGet("SELECT text FROM state_event").getString(), "why");
}

}  // namespace
}  // namespace dasgd::storage
