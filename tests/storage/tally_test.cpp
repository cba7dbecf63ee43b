#include "storage/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/database.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TallyTest : public ::testing::Test {
protected:
    TallyTest() : connection_(orDie(WriteConnection::open(run_.store.paths()))), tallies_(connection_->database(), 1) {}

    void write() {
        const auto batch = orDie(Batch::begin(*connection_));
        tallies_.write();
        batch->commit();
        tallies_.committed();
    }
    [[nodiscard]] RunRow row() const { return orDie(run_.reader().run(run_.runId)).row; }

    OneRun run_;
    std::unique_ptr<WriteConnection> connection_;
    Tallies tallies_;
};

Metric at(const char* name, std::int64_t step, std::int64_t seconds, std::int64_t samples, double value) {
    return {.name = name, .step = step, .wall = seconds * 1'000'000'000, .samples = samples, .value = value};
}

TEST_F(TallyTest, StepTimesAreEnoughForStepsAndThroughput) {
    tallies_.metric(0, at("train/step_ms", 50, 5, 3200, 100));
    tallies_.metric(1, at("train/step_ms", 50, 6, 3200, 120));
    write();
    tallies_.metric(1, at("train/step_ms", 150, 17, 9600, 110));
    tallies_.metric(0, at("train/step_ms", 200, 25, 12'800, 133));
    write();
    EXPECT_EQ(row().steps, 200);
    EXPECT_EQ(row().samples, 12'800);
    EXPECT_DOUBLE_EQ(row().wallS, 25);
    EXPECT_DOUBLE_EQ(row().samplesPerS.value(), (12'800.0 - 3200) / (25 - 5));
    EXPECT_FALSE(row().finalLoss) << "milliseconds are no loss";
    auto& database = connection_->database();
    EXPECT_EQ(database.execAndGet("SELECT first_wall_ns FROM run").getInt64(), 5'000'000'000);
    EXPECT_EQ(database.execAndGet("SELECT last_wall_ns FROM run").getInt64(), 25'000'000'000);
    EXPECT_TRUE(database.execAndGet("SELECT loss_max FROM run").isNull());
}

TEST_F(TallyTest, StepTimesBesideLossesChangeNeither) {
    tallies_.metric(0, at("train/loss", 1, 1, 64, 2));
    tallies_.metric(0, at("train/loss", 2, 2, 128, 1.5));
    tallies_.metric(0, at("train/step_ms", 2, 2, 128, 1000));
    write();
    EXPECT_EQ(row().steps, 2);
    EXPECT_DOUBLE_EQ(row().samplesPerS.value(), 64);
    EXPECT_DOUBLE_EQ(row().finalLoss.value(), 1.5);
}

TEST_F(TallyTest, OnlyRanksThatChangedAreWritten) {
    auto& database = connection_->database();
    for (int rank = 0; rank < 1024; ++rank) tallies_.span(rank, {.end = rank});
    write();
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM rank_state").getInt(), 1024);
    database.exec(
        "CREATE TEMP TABLE written (rank INTEGER);"
        "CREATE TEMP TRIGGER watch AFTER UPDATE ON rank_state BEGIN INSERT INTO written VALUES (NEW.rank); END");
    const auto written = [&] {
        std::vector<int> ranks;
        SQLite::Statement query(database, "DELETE FROM written RETURNING rank");
        while (query.executeStep()) ranks.push_back(query.getColumn(0).getInt());
        return ranks;
    };
    tallies_.span(700, {.end = 5000});
    tallies_.span(3, {.end = 1});
    tallies_.state(700, RankState::Running, 1, "");
    write();
    EXPECT_THAT(written(), ElementsAre(700, 3));
    write();
    EXPECT_THAT(written(), IsEmpty());
    EXPECT_EQ(database.execAndGet("SELECT newest_ns FROM rank_state WHERE rank = 700").getInt64(), 5000);
    EXPECT_EQ(database.execAndGet("SELECT newest_ns FROM rank_state WHERE rank = 3").getInt64(), 3);
    EXPECT_EQ(database.execAndGet("SELECT events FROM rank_state WHERE rank = 700").getInt64(), 3);
}

TEST_F(TallyTest, AnotherObjectGoesOnFromTheRows) {
    tallies_.metric(5, at("train/loss", 7, 3, 448, 2));
    tallies_.metric(5, {.name = "overlap/hidden_s", .value = 3});
    tallies_.metric(5, {.name = "overlap/reduce_s", .bytesSent = 99, .value = 4});
    tallies_.state(5, RankState::Running, 8, "words");
    write();
    connection_->database().exec("UPDATE rank_state SET sequence = 1234");
    Tallies next(connection_->database(), 1);
    next.span(5, {.end = 1});
    {
        const auto batch = orDie(Batch::begin(*connection_));
        next.write();
        batch->commit();
    }
    SQLite::Statement query(connection_->database(),
                            "SELECT events, step, samples, bytes_sent, newest_ns, train_loss, trained, hidden_s, "
                            "reduce_s, state, state_text, sequence FROM rank_state WHERE rank = 5");
    ASSERT_TRUE(query.executeStep());
    std::vector<std::string> values;
    values.reserve(12);
    for (int i = 0; i < query.getColumnCount(); ++i) values.push_back(query.getColumn(i).getString());
    EXPECT_THAT(values,
                ElementsAre("5", "8", "448", "99", "3000000000", "2.0", "1", "3.0", "4.0", "1", "words", "1234"));
}

}  // namespace
}  // namespace dasgd::storage
