#include "gui/data/feed/metrics_query.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class MetricsQueryTest : public ::testing::Test {
protected:
    MetricsQueryTest() {
        QObject::connect(&query_, &MetricsQuery::arrived, &query_, [this](const MetricBatch& batch) {
            counts_[batch.runId.toStdString() + " " + batch.name] += batch.samples.size();
        });
    }
    std::size_t& count(const QString& run, const std::string& name) { return counts_[run.toStdString() + " " + name]; }

    LiveBench bench_;
    MetricsQuery query_;
    std::map<std::string, std::size_t> counts_;
};

TEST_F(MetricsQueryTest, DeliversEveryPointOfAWantedMetricOnce) {
    const QString id = bench_.workspace.record({.ranks = 2, .steps = 40, .stepsPerEpoch = 20});
    bench_.know();
    for (const char* name : {"train/loss", "throughput/samples_per_s"}) query_.want(name);
    bench_.store.setWatch({id, {}});
    for (int round = 0; round < 3; ++round) bench_.refresh(query_);
    EXPECT_EQ(count(id, "train/loss"), 80U);
    EXPECT_EQ(count(id, "throughput/samples_per_s"), 8U);
    EXPECT_EQ(count(id, "eval/accuracy"), 0U) << "nobody wants it";
    query_.want("eval/accuracy");
    bench_.refresh(query_);
    EXPECT_EQ(count(id, "eval/accuracy"), 2U) << "wanted later, also of a run that has ended";
    EXPECT_EQ(count(id, "train/loss"), 80U);
}

TEST_F(MetricsQueryTest, ARunThatComesBackIsDeliveredFromItsStart) {
    const QString a = bench_.workspace.record({.ranks = 1, .steps = 10});
    const QString b = bench_.workspace.record({.ranks = 1, .steps = 10});
    query_.want("train/loss");
    bench_.store.setWatch({a, {b}});
    bench_.refresh(query_);
    EXPECT_TRUE(counts_.empty()) << "their rows have not been read";
    bench_.know();
    ASSERT_TRUE(eventually([&] {
        bench_.store.touch();
        bench_.refresh(query_);
        return count(a, "train/loss") == 10;
    }));
    bench_.store.setWatch({b, {}});
    bench_.store.setWatch({a, {b}});
    bench_.refresh(query_);
    EXPECT_EQ(count(a, "train/loss"), 20U) << "what was delivered first was forgotten meanwhile";
    EXPECT_EQ(count(b, "train/loss"), 10U);
}

TEST_F(MetricsQueryTest, ALiveRunIsReadOnUntilItHasEnded) {
    test::SyntheticRun run(bench_.workspace.store(), {.ranks = 1, .steps = 20});
    const QString id = QString::fromStdString(run.id());
    query_.want("train/loss");
    bench_.know();
    bench_.store.setWatch({id, {}});
    bench_.refresh(query_);
    run.train(20);
    run.finish();
    ASSERT_TRUE(eventually([&] {
        bench_.refresh(query_);
        return count(id, "train/loss") == 20;
    }));
}

// Points are drawn in batches as they arrive, not one by one.
TEST_F(MetricsQueryTest, ManyCommitsAreReadTogether) {
    test::SyntheticRun run(bench_.workspace.store(), {.ranks = 1, .steps = 400});
    const QString id = QString::fromStdString(run.id());
    query_.want("train/loss");
    bench_.know();
    bench_.store.setWatch({id, {}});
    int batches = 0;
    QObject::connect(&query_, &MetricsQuery::arrived, &query_, [&] { ++batches; });
    for (int step = 1; step <= 400; ++step) {
        run.train(step);
        bench_.store.touch();
        bench_.refresh(query_);
    }
    EXPECT_LT(batches, 200);
    run.finish();
    ASSERT_TRUE(eventually([&] {
        bench_.store.touch();
        bench_.refresh(query_);
        return count(id, "train/loss") == 400;
    }));
}

// A long history delays no later point, and the last ones come with the end.
TEST_F(MetricsQueryTest, TheEndOfARunIsReadAtOnce) {
    test::SyntheticRun run(bench_.workspace.store(), {.ranks = 1, .steps = 6'000});
    const QString id = QString::fromStdString(run.id());
    run.train(5'990);
    query_.want("train/loss");
    bench_.know();
    bench_.store.setWatch({id, {}});
    bench_.refresh(query_);
    const std::size_t history = count(id, "train/loss");
    run.train(6'000);
    run.finish();
    bench_.know();
    bench_.refresh(query_);
    EXPECT_EQ(count(id, "train/loss"), 6'000U) << "of which " << history << " at first";
}

}  // namespace
}  // namespace dasgd::gui
