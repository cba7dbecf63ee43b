#include "gui/timeline/model/beside/beside_query.h"

#include <gtest/gtest.h>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class BesideQueryTest : public ::testing::Test {
protected:
    void SetUp() override {
        a_ = bench_.workspace.record({.ranks = 2, .steps = 60});
        b_ = bench_.workspace.record({.ranks = 3, .steps = 40});
        bench_.know();
        bench_.store.setWatch({a_, {}});
        QObject::connect(&query_, &BesideQuery::aligned, [this](const BesideOrigin& origin) { origin_ = origin; });
        QObject::connect(&query_, &BesideQuery::compared, [this](const BesideNumbers& numbers) { numbers_ = numbers; });
        QObject::connect(&query_, &BesideQuery::arrived, [this](const TimelineFramePtr& frame) { frame_ = frame; });
    }
    bool align(std::int64_t step) {
        origin_.reset();
        query_.align(a_, b_, step);
        return eventually([this] {
            bench_.refresh(query_);
            return origin_.has_value();
        });
    }
    LiveBench bench_;
    BesideQuery query_;
    QString a_, b_;
    std::optional<BesideOrigin> origin_;
    std::optional<BesideNumbers> numbers_;
    TimelineFramePtr frame_;
};

TEST_F(BesideQueryTest, AlignsAtAStepThatBothHave) {
    ASSERT_TRUE(align(20));
    EXPECT_EQ(origin_->step, 20);
    EXPECT_GT(origin_->ofB, origin_->extentOfB.start);
    ASSERT_TRUE(align(50));
    EXPECT_FALSE(origin_->step) << "the other ended before";
    EXPECT_EQ(origin_->ofB, origin_->extentOfB.start);
}

TEST_F(BesideQueryTest, DrawsTheRunThatIsNotWatched) {
    query_.requestFrame(b_, {.range = {0, 60'000'000'000}, .nsPerPixel = 1e7});
    bench_.refresh(query_);
    ASSERT_TRUE(frame_);
    EXPECT_EQ(frame_->runId, b_.toStdString());
    EXPECT_GT(frame_->spans, 0);
}

TEST_F(BesideQueryTest, TheNumbersAreOfWindowsInTheStretchOnly) {
    query_.compare(a_, {0, 600'000'000'000}, b_, {0, 600'000'000'000});
    bench_.refresh(query_);
    ASSERT_TRUE(numbers_);
    EXPECT_EQ(numbers_->partsOfA.ranks, 2);
    EXPECT_EQ(numbers_->partsOfB.ranks, 3);
    EXPECT_GT(numbers_->partsOfA.stepNs, 0);
    query_.compare(a_, {0, 1}, b_, {0, 1});
    bench_.refresh(query_);
    EXPECT_EQ(numbers_->partsOfA.ranks, 0);
}

}  // namespace
}  // namespace dasgd::gui
