#include "gui/timeline/model/hidden_query.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "gui/timeline/model/timeline_query.h"
#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class HiddenQueryTest : public ::testing::Test {
protected:
    HiddenAnswer ask(const QString& run, TimeRange range) {
        bench_.know();
        bench_.store.setWatch({run, {}});
        HiddenQuery query;
        HiddenAnswer last;
        QObject::connect(&query, &HiddenQuery::arrived, [&](const HiddenAnswer& answer) { last = answer; });
        query.request(run, range);
        bench_.refresh(query);
        return last;
    }
    LiveBench bench_;
};

TEST_F(HiddenQueryTest, AWindowSaysTheSameOfItsStepsAsTheWholeRun) {
    const QString run = bench_.workspace.record({.ranks = 3, .steps = 60});
    const HiddenAnswer all = ask(run, {0, 60'000'000'000});
    ASSERT_GT(all.steps.size(), 5U);
    EXPECT_FALSE(all.tooMany);
    EXPECT_EQ(all.steps[2].ranks, 3);
    // Narrower than a transfer, which begins long before it.
    const HiddenAnswer part = ask(run, {1'000'000'000, 1'060'000'000});
    ASSERT_FALSE(part.steps.empty());
    for (const HiddenStep& step : part.steps) {
        EXPECT_NE(std::find(all.steps.begin(), all.steps.end(), step), all.steps.end()) << step.step;
    }
}

TEST_F(HiddenQueryTest, OutsideTheRunThereIsNothing) {
    const QString run = bench_.workspace.record({.ranks = 2, .steps = 20});
    EXPECT_TRUE(ask(run, {900'000'000'000, 901'000'000'000}).steps.empty());
}

TEST_F(HiddenQueryTest, TooManySpansAreNotTold) {
    const QString run = bench_.workspace.record({.ranks = 24, .steps = 900});
    const HiddenAnswer all = ask(run, {0, 600'000'000'000});
    EXPECT_TRUE(all.tooMany);
    EXPECT_TRUE(all.steps.empty());
    EXPECT_FALSE(ask(run, {1'000'000'000, 2'000'000'000}).steps.empty());
}

TEST_F(HiddenQueryTest, WhatTheTimelineHasReadIsNotReadAgain) {
    const QString run = bench_.workspace.record({.ranks = 3, .steps = 60});
    const TimeRange range{1'000'000'000, 1'060'000'000};
    const HiddenAnswer read = ask(run, range);
    ASSERT_FALSE(read.steps.empty());
    TimelineQuery timeline;
    timeline.request({run, {{0, 60'000'000'000}, 1e5}});
    bench_.refresh(timeline);
    SQLite::Database((bench_.workspace.path() / "lab.db").string(), SQLite::OPEN_READWRITE).exec("DELETE FROM span");
    EXPECT_EQ(ask(run, range).steps, read.steps);
    // The timeline has no spans of another run.
    const QString other = bench_.workspace.record({.ranks = 2, .steps = 60});
    EXPECT_EQ(ask(other, range).steps.at(0).ranks, 2);
    bench_.store.setSpans(nullptr);
}

TEST_F(HiddenQueryTest, ATimelineThatHasReadNothingSaysNothing) {
    // The first window of this run ends with its first evaluation.
    test::SyntheticRun run(bench_.workspace.store(), {.ranks = 2, .steps = 60, .stepsPerEpoch = 20});
    run.train(50);
    const QString id = QString::fromStdString(run.id());
    SpanCache fresh;
    fresh.reset(run.id(), 2);
    bench_.store.setSpans(&fresh);
    EXPECT_TRUE(eventually([&] { return !ask(id, {0, 60'000'000'000}).steps.empty(); }));
    bench_.store.setSpans(nullptr);
    run.train(60);
    run.finish();
}

// The last spans of a run that has ended count, though the timeline has not read them yet.
TEST_F(HiddenQueryTest, WhatTheTimelineLacksOfAnEndedRunIsRead) {
    const QString run = bench_.workspace.record({.ranks = 2, .steps = 40});
    const TimeRange all{0, 60'000'000'000};
    const HiddenAnswer read = ask(run, all);
    SpanCache behind;
    behind.reset(run.toStdString(), 2);
    bench_.store.setSpans(&behind);
    EXPECT_EQ(ask(run, all).steps, read.steps);
    bench_.store.setSpans(nullptr);
}

}  // namespace
}  // namespace dasgd::gui
