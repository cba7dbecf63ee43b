#include "storage/read/workspace_reader.h"

#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

TEST(WorkspaceReaderTest, TheVersionChangesWithEachCommit) {
    OneRun run;
    const auto recorder = orDie(Recorder::start(run.store, run.runId, {0}));
    WorkspaceReader reader = run.reader();
    const auto version = orDie(reader.dataVersion());
    EXPECT_EQ(orDie(reader.dataVersion()), version);
    run.rank(0).metric({.name = "train/loss", .step = 1});
    EXPECT_TRUE(eventually([&] { return recorder->recordsStored() == 1; }));
    EXPECT_NE(orDie(reader.dataVersion()), version);
    EXPECT_TRUE(reader.checkIntegrity());
}

// Copies of the three outlive the object that handed them out, which keeps no more than their connection.
TEST(WorkspaceReaderTest, ItsReadersReadOverOneConnection) {
    OneRun run;
    run.rank(0).span({.step = 1, .start = 0, .end = 5});
    run.rank(0).metric({.name = "train/loss", .step = 1});
    run.finish();
    std::optional<WorkspaceReader> reader = run.reader();
    RunReader runs = reader->runs();
    SpanReader spans = reader->spans();
    MetricReader metrics = reader->metrics();
    reader.reset();
    EXPECT_EQ(orDie(runs.list()).size(), 1U);
    EXPECT_EQ(orDie(spans.count(run.runId)), 1);
    EXPECT_EQ(orDie(metrics.names(run.runId)).size(), 1U);
}

TEST(WorkspaceReaderTest, AQueryOverTheViewsAnswersItsFirstRow) {
    OneRun run;
    run.rank(0).metric({.name = "train/loss", .step = 1, .value = 2.5});
    run.finish();
    WorkspaceReader reader = run.reader();
    const auto row = orDie(reader.firstRow("SELECT value, step, name, NULL FROM metric_points"));
    EXPECT_EQ(row, (std::vector<std::optional<double>>{2.5, 1, std::nullopt, std::nullopt}));
    EXPECT_TRUE(orDie(reader.firstRow("SELECT 1 FROM run_list WHERE run_id = 'none'")).empty());
    EXPECT_FALSE(reader.firstRow("SELECT nothing FROM nowhere"));
    EXPECT_FALSE(reader.firstRow("DELETE FROM run")) << "it only reads";
    EXPECT_EQ(orDie(reader.runs().list()).size(), 1U);
}

}  // namespace
}  // namespace dasgd::storage
