#include "gui/timeline/model/timeline_query.h"

#include <gtest/gtest.h>

#include "core/analysis/spans/overlap.h"
#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class TimelineQueryTest : public ::testing::Test {
protected:
    TimelineQueryTest() {
        QObject::connect(&query_, &TimelineQuery::arrived, &query_,
                         [this](const TimelineFramePtr& frame) { frames_.push_back(frame); });
        QObject::connect(&query_, &TimelineQuery::measured, &query_,
                         [this](const Measure& measure) { measures_.push_back(measure); });
    }
    void watch(const QString& run) {
        bench_.know();
        bench_.store.setWatch({run, {}});
    }
    LiveBench bench_;
    TimelineQuery query_;
    std::vector<TimelineFramePtr> frames_;
    std::vector<Measure> measures_;
};

TEST_F(TimelineQueryTest, AnswersTheLatestRequestOfTheWatchedRun) {
    const QString id = bench_.workspace.record({.steps = 40});
    watch(id);
    for (int i = 1; i <= 50; ++i) query_.request({id, {{0, i * 10'000'000}, 1e5}});
    bench_.refresh(query_);
    ASSERT_EQ(frames_.size(), 1U);
    EXPECT_EQ(frames_[0]->range.end, 500'000'000);
    EXPECT_EQ(frames_[0]->rows.size(), 8U);
    EXPECT_GT(frames_[0]->spans, 0U);
    EXPECT_FALSE(frames_[0]->links.empty());
    query_.request({QStringLiteral("another"), {{0, 10'000'000}, 1e5}});
    bench_.refresh(query_);
    EXPECT_EQ(frames_.size(), 1U);
}

TEST_F(TimelineQueryTest, WhatHasGrownIsAnsweredAgainInTheNextRound) {
    test::SyntheticRun run(bench_.workspace.store(), {.steps = 40});
    const QString id = QString::fromStdString(run.id());
    run.train(10);
    watch(id);
    query_.request({id, {{0, 2'000'000'000}, 1e6}});
    ASSERT_TRUE(eventually([&] {
        bench_.refresh(query_);
        return !frames_.empty() && frames_.back()->spans > 0;
    }));
    const std::size_t spans = frames_.back()->spans;
    run.train(20);
    ASSERT_TRUE(eventually([&] {
        bench_.refresh(query_);
        return frames_.back()->spans > spans;
    }));
    run.finish();
}

TEST_F(TimelineQueryTest, MeasuresLikeTheFormula) {
    const QString id = bench_.workspace.record({.steps = 40});
    const TimeRange range{100'000'000, 400'000'000};
    watch(id);
    Ns expected = 0;
    const auto spans = bench_.store.reader().spans().touching(id.toStdString(), range).value();
    for (int rank = 0; rank < 4; ++rank) {
        std::vector<Span> own;
        for (const storage::SpanRow& row : spans) {
            if (row.rank == rank) own.push_back(row.span);
        }
        expected += summariseOverlap(own, range).hidden;
    }
    query_.requestMeasure(id, range);
    ASSERT_TRUE(eventually([&] {
        bench_.refresh(query_);
        return !measures_.empty();
    }));
    EXPECT_GT(expected, 0);
    EXPECT_EQ(measures_[0].mean.hidden, expected / 4);
    EXPECT_EQ(measures_[0].mean.compute + measures_[0].mean.blocked + measures_[0].mean.idle, range.end - range.start);
}

}  // namespace
}  // namespace dasgd::gui
