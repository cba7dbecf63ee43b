#include "gui/run/model/metric_names_query.h"

#include <gtest/gtest.h>

#include <optional>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

TEST(MetricNamesQuery, SaysWhatTheDrawnRunsRecorded) {
    LiveBench bench;
    const QString evaluated = bench.workspace.record({.steps = 100});
    const QString young = bench.workspace.record({.algorithm = "sync_sgd", .steps = 20});
    bench.workspace.record({.algorithm = "local_sgd", .steps = 100});
    bench.know();
    bench.store.setWatch({evaluated, {young}});
    MetricNamesQuery query;
    std::optional<RecordedMetrics> last;
    int deliveries = 0;
    QObject::connect(&query, &MetricNamesQuery::arrived, [&](const RecordedMetrics& recorded) {
        last = recorded;
        ++deliveries;
    });
    bench.refresh(query);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->drawn, 2);
    EXPECT_EQ(last->runs.at("train/loss"), 2);
    EXPECT_EQ(last->runs.at("eval/accuracy"), 1) << "the other run made no evaluation";
    bench.refresh(query);
    EXPECT_EQ(deliveries, 1) << "nothing new";
    bench.store.setWatch({young, {}});
    bench.refresh(query);
    EXPECT_FALSE(last->runs.contains("eval/accuracy"));
    EXPECT_EQ(last->drawn, 1);
}

// A metric that comes later in a run that is looked at.
TEST(MetricNamesQuery, NoticesAMetricThatComesLater) {
    LiveBench bench;
    test::SyntheticRun run(bench.workspace.store(), {.steps = 100});
    run.train(10);
    const QString id = QString::fromStdString(run.id());
    bench.know();
    bench.store.setWatch({id, {}});
    MetricNamesQuery query;
    RecordedMetrics last;
    QObject::connect(&query, &MetricNamesQuery::arrived, [&](const RecordedMetrics& recorded) { last = recorded; });
    run.train(100);
    run.finish();
    ASSERT_TRUE(eventually([&] {
        bench.refresh(query);
        return last.runs.contains("eval/accuracy");
    }));
}

}  // namespace
}  // namespace dasgd::gui
