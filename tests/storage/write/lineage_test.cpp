// Records of a run that was resumed from another one's checkpoint.
#include "storage/write/lineage.h"

#include <gmock/gmock.h>

#include "core/base/metric_names.h"
#include "tests/support/runs.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

void tell(EventSink& sink, const char* name, std::int64_t step, double value) {
    sink.metric({.name = name,
                 .step = step,
                 .epoch = static_cast<double>(step) / 10,
                 .wall = step * 1'000'000,
                 .samples = step * 32,
                 .bytesSent = step * 100,
                 .value = value});
}

// A run of ten steps, evaluated after 4 and 8, with the best accuracy at 8.
class LineageTest : public ::testing::Test {
protected:
    LineageTest() {
        for (std::int64_t step = 1; step <= 10; ++step)
            tell(run_.rank(0), metrics::kTrainLoss, step, 1.0 / double(step));
        tell(run_.rank(0), metrics::kEvalLoss, 4, 0.4);
        tell(run_.rank(0), metrics::kEvalAccuracy, 4, 0.7);
        tell(run_.rank(0), metrics::kEvalLoss, 8, 0.2);
        tell(run_.rank(0), metrics::kEvalAccuracy, 8, 0.9);
        run_.finish("failed", "rank 0 died");
    }
    storage::RunRow resumedAt(std::int64_t step, const std::string& id) {
        storage::RunInfo info = runInfo(id);
        info.resumedFrom = run_.runId;
        info.resumedStep = step;
        orDie(run_.store.addRun(info));
        return orDie(run_.reader().runs().detail(id)).row;
    }
    OneRun run_;
};

TEST_F(LineageTest, ItsRowNamesTheOther) {
    const storage::RunRow row = resumedAt(8, "run-b");
    EXPECT_EQ(row.resumedFrom, run_.runId);
    EXPECT_EQ(row.resumedStep, 8);
    EXPECT_EQ(rowOf(run_).resumedFrom, "");
    EXPECT_EQ(rowOf(run_).resumedStep, 0);
}

TEST_F(LineageTest, MetricsUpToTheCheckpointAreItsOwn) {
    static_cast<void>(resumedAt(6, "run-b"));
    std::vector<std::int64_t> losses;
    for (const MetricRow& row : metricRows(run_.store.paths(), "run-b")) {
        EXPECT_LE(row.step, 6);
        if (row.name == metrics::kTrainLoss) losses.push_back(row.step);
    }
    EXPECT_EQ(losses, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    auto reader = run_.reader();
    const auto points = orDie(reader.metrics().samples({.runId = "run-b", .name = metrics::kTrainLoss, .rank = 0}));
    ASSERT_EQ(points.samples.size(), 6U);
    EXPECT_EQ(points.samples[2].samples, 96);
    EXPECT_EQ(points.samples[2].bytesSent, 300);
    EXPECT_NEAR(points.samples[2].wallS, 0.003, 1e-12);
    EXPECT_EQ(metricRows(run_.store.paths(), run_.runId).size(), 14U) << "the first run keeps its own";
}

TEST_F(LineageTest, TheSummaryIsOfWhatWasTakenOver) {
    const storage::RunRow early = resumedAt(6, "run-b");
    EXPECT_EQ(early.bestAccuracy, 0.7) << "what came after the checkpoint is not its own";
    EXPECT_EQ(early.finalLoss, 0.4);
    const storage::RunRow late = resumedAt(10, "run-c");
    EXPECT_EQ(late.bestAccuracy, 0.9);
    const storage::RunRow before = resumedAt(3, "run-d");
    EXPECT_FALSE(before.bestAccuracy);
    EXPECT_FALSE(late.hidden) << "formed from spans, which stay with the run that measured them";
    EXPECT_FALSE(late.stepMs);
}

// The best accuracy of the whole training, whichever part it was reached in.
TEST_F(LineageTest, RecordsThatFollowAddToIt) {
    static_cast<void>(resumedAt(8, "run-b"));
    {
        auto journal = newJournal(run_.store.paths().journal("run-b", 0), {.segmentRecords = 256});
        tell(*journal, metrics::kTrainLoss, 9, 0.05);
        tell(*journal, metrics::kEvalLoss, 12, 0.1);
        tell(*journal, metrics::kEvalAccuracy, 12, 0.8);
    }
    const auto recorder = orDie(storage::Recorder::start(run_.store, "run-b", {0}));
    static_cast<void>(orDie(recorder->finish("finished", "")));
    const storage::RunRow row = orDie(run_.reader().runs().detail("run-b")).row;
    EXPECT_EQ(row.bestAccuracy, 0.9);
    EXPECT_EQ(row.finalLoss, 0.1);
    EXPECT_EQ(row.steps, 12);
}

TEST_F(LineageTest, ARunThatIsNotThereIsNamed) {
    storage::RunInfo info = runInfo("run-b");
    info.resumedFrom = "run-z";
    const Status added = run_.store.addRun(info);
    ASSERT_FALSE(added);
    EXPECT_THAT(added.error().message, HasSubstr("no run run-z"));
    EXPECT_FALSE(run_.reader().runs().detail("run-b")) << "nothing of it was written";
}

}  // namespace
}  // namespace dasgd::test
