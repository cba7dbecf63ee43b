#include "gui/timeline/model/overview_query.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class OverviewQueryTest : public ::testing::Test {
protected:
    OverviewQueryTest() {
        QObject::connect(&query_, &OverviewQuery::arrived, &query_,
                         [this](const OverviewPicturePtr& picture) { pictures_.push_back(picture); });
    }
    void watch(const QString& run) {
        bench_.know();
        bench_.store.setWatch({run, {}});
    }
    LiveBench bench_;
    OverviewQuery query_;
    std::vector<OverviewPicturePtr> pictures_;
};

TEST_F(OverviewQueryTest, AnswersOnceWithAllSpansOfTheRun) {
    const QString id = bench_.workspace.record({.steps = 60});
    watch(id);
    query_.setWidth(500);
    for (int i = 0; i < 5; ++i) bench_.refresh(query_);
    ASSERT_EQ(pictures_.size(), 1U) << "nothing has changed since";
    const storage::RunRow row = bench_.store.reader().runs().row(id.toStdString()).value();
    const auto extent = bench_.store.reader().spans().extent(id.toStdString()).value();
    ASSERT_TRUE(extent);
    EXPECT_EQ(pictures_[0]->range.start, extent->start);
    EXPECT_EQ(pictures_[0]->range.end, extent->end);
    EXPECT_EQ(pictures_[0]->ranks, 4);
    EXPECT_GT(pictures_[0]->spans, 60U * 4 * 3);
    EXPECT_EQ(pictures_[0]->rgba.size(), 4U * static_cast<std::size_t>(pictures_[0]->width));
    EXPECT_TRUE(std::ranges::any_of(pictures_[0]->rgba, [](std::uint32_t pixel) { return pixel != 0; }));
    query_.setWidth(800);
    bench_.refresh(query_);
    ASSERT_EQ(pictures_.size(), 2U);
    EXPECT_LT(pictures_[1]->nsPerPixel, pictures_[0]->nsPerPixel);
}

// The time after the last window is known to be untimed only once the run has ended.
TEST_F(OverviewQueryTest, TheEndOfARunIsDrawnAtOnce) {
    test::SyntheticRun run(bench_.workspace.store(), {.steps = 20});
    run.train(10);
    watch(QString::fromStdString(run.id()));
    query_.setWidth(500);
    ASSERT_TRUE(eventually([&] {
        bench_.refresh(query_);
        return !pictures_.empty() && pictures_.back()->complete;
    }));
    const std::size_t before = pictures_.size();
    run.finish();
    bench_.know();
    bench_.store.touch();
    bench_.refresh(query_);
    EXPECT_GT(pictures_.size(), before);
}

TEST_F(OverviewQueryTest, ReadsNothingWhileItIsNotShown) {
    watch(bench_.workspace.record({.steps = 20}));
    bench_.refresh(query_);
    EXPECT_TRUE(pictures_.empty());
}

}  // namespace
}  // namespace dasgd::gui
