#include "gui/data/curves/span_curve.h"

#include <gtest/gtest.h>

#include "core/base/metric_names.h"
#include "gui/run/model/span_series_query.h"
#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

RunItemPtr itemOf(storage::RunReader& reader, const QString& run) {
    return makeRunItem(reader.row(run.toStdString()).value());
}

// True if lab.db too has the step of both ranks. The loss is the last that a rank records of a step.
bool bothRanksCameTo(storage::MetricReader& reader, const std::string& run, std::int64_t step) {
    int ranks = 0;
    for (const int rank : {0, 1}) {
        const auto losses = reader.samples({.runId = run, .name = metrics::kTrainLoss, .rank = rank});
        if (losses && !losses->samples.empty() && losses->samples.back().step == step) ++ranks;
    }
    return ranks == 2;
}

// A figure has the same curve as the window.
TEST(SpanCurve, IsWhatTheQueryOfTheWindowTells) {
    LiveBench bench;
    const QString run = bench.workspace.record({.ranks = 3, .steps = 300});
    bench.know();
    bench.store.setWatch({run, {}});
    SpanSeriesQuery query;
    RankBatch told;
    QObject::connect(&query, &SpanSeriesQuery::arrived, [&](const RankBatch& batch) { told = batch; });
    auto reader = storage::WorkspaceReader::open(bench.workspace.path()).value();
    for (const char* name : kSpanCurves) {
        told = {};
        query.want(name);
        ASSERT_TRUE(eventually([&] {
            bench.refresh(query);
            return told.name == name && !told.samples.empty();
        })) << name;
        query.release(name);
        const auto curve = readSpanCurve(reader, *itemOf(reader.runs(), run), name);
        ASSERT_TRUE(curve) << curve.error().message;
        ASSERT_EQ(curve->size(), told.samples.size()) << name;
        for (std::size_t i = 0; i < curve->size(); ++i) {
            EXPECT_EQ((*curve)[i].rank, told.samples[i].rank) << name;
            EXPECT_EQ((*curve)[i].step, told.samples[i].step) << name;
            EXPECT_DOUBLE_EQ((*curve)[i].value, told.samples[i].value) << name;
        }
        // Quantities that a figure's axis may show.
        EXPECT_GT(curve->back().epoch, curve->front().epoch) << name;
        EXPECT_GT(curve->back().samples, curve->front().samples) << name;
        EXPECT_GT(curve->back().bytesSent, curve->front().bytesSent) << name;
    }
}

// Neither curve counts a part of the run of which a rank may still have to report.
TEST(SpanCurve, OfALiveRunEndsWhereTheQueryOfTheWindowDoes) {
    LiveBench bench;
    test::SyntheticRun run(bench.workspace.store(), {.ranks = 2, .steps = 200});
    run.train(45);
    const QString id = QString::fromStdString(run.id());
    auto reader = storage::WorkspaceReader::open(bench.workspace.path()).value();
    // Curve and query must read the same records: the recorder takes the ranks' steps in meanwhile.
    ASSERT_TRUE(eventually([&] { return bothRanksCameTo(reader.metrics(), run.id(), 45); }));
    bench.know();
    bench.store.setWatch({id, {}});
    SpanSeriesQuery query;
    RankBatch told;
    QObject::connect(&query, &SpanSeriesQuery::arrived, [&](const RankBatch& batch) { told = batch; });
    query.want(kSpansThroughput);
    ASSERT_TRUE(eventually([&] {
        bench.store.touch();
        bench.refresh(query);
        return !told.samples.empty();
    }));
    const auto curve = readSpanCurve(reader, *itemOf(reader.runs(), id), kSpansThroughput);
    ASSERT_TRUE(curve) << curve.error().message;
    ASSERT_EQ(curve->size(), told.samples.size());
    EXPECT_EQ(curve->back().step, told.samples.back().step);
    EXPECT_DOUBLE_EQ(curve->back().value, told.samples.back().value);
}

TEST(SpanCurve, OfARunWithoutSpansIsEmpty) {
    Workspace workspace;
    storage::RunInfo info{.runId = "none", .experiment = "e", .algorithm = "dasgd", .workers = 1};
    ASSERT_TRUE(workspace.store().addRun(info));
    ASSERT_TRUE(workspace.store().abandonRun("none", "stopped", ""));
    auto reader = storage::WorkspaceReader::open(workspace.path()).value();
    const auto curve = readSpanCurve(reader, *itemOf(reader.runs(), QStringLiteral("none")), kSpansHidden);
    ASSERT_TRUE(curve) << curve.error().message;
    EXPECT_TRUE(curve->empty());
}

}  // namespace
}  // namespace dasgd::gui
