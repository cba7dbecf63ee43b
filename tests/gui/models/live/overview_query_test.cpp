#include "gui/models/live/overview_query.h"

#include <gtest/gtest.h>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class OverviewQueryTest : public ::testing::Test {
protected:
    OverviewQueryTest() {
        QObject::connect(&query_, &OverviewQuery::arrived, &query_,
                         [this](const TimelineFramePtr& frame) { frames_.push_back(frame); });
    }
    void watch(const QString& run) {
        bench_.know();
        bench_.store.setWatch({run, {}});
    }
    LiveBench bench_;
    OverviewQuery query_;
    std::vector<TimelineFramePtr> frames_;
};

TEST_F(OverviewQueryTest, AnswersOnceWithAllSpansOfTheRun) {
    const QString id = bench_.workspace.record({.steps = 60});
    watch(id);
    query_.setWidth(500);
    for (int i = 0; i < 5; ++i) bench_.refresh(query_);
    ASSERT_EQ(frames_.size(), 1U) << "nothing has changed since";
    const storage::RunRow row = bench_.store.reader().row(id.toStdString()).value();
    const auto extent = bench_.store.reader().spanExtent(id.toStdString()).value();
    ASSERT_TRUE(extent);
    EXPECT_EQ(frames_[0]->range.start, extent->start);
    EXPECT_EQ(frames_[0]->range.end, extent->end);
    EXPECT_EQ(frames_[0]->rows.size(), 8U);
    EXPECT_GT(frames_[0]->spans, 60U * 4 * 3);
    query_.setWidth(800);
    bench_.refresh(query_);
    ASSERT_EQ(frames_.size(), 2U);
    EXPECT_LT(frames_[1]->nsPerPixel, frames_[0]->nsPerPixel);
}

TEST_F(OverviewQueryTest, ReadsNothingWhileItIsNotShown) {
    watch(bench_.workspace.record({.steps = 20}));
    bench_.refresh(query_);
    EXPECT_TRUE(frames_.empty());
}

}  // namespace
}  // namespace dasgd::gui
