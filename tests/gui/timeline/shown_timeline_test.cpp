#include "gui/timeline/shown_timeline.h"

#include <gtest/gtest.h>

#include "tests/gui/support/chart_bench.h"

namespace dasgd::gui {
namespace {

using ShownTimeline = ChartBench;

TEST_F(ShownTimeline, OfATimelineItHasWhatIsMarkedElseWhatIsSeen) {
    session_.selection().setWindow({1'000'000'000, 3'000'000'000});
    auto spec = figureOfTimeline(session_);
    ASSERT_TRUE(spec && spec->windowS);
    EXPECT_EQ(spec->windowS->low, 1);
    EXPECT_EQ(spec->windowS->high, 3);
    EXPECT_TRUE(spec->hiddenKinds.isEmpty());
    session_.selection().mark(TimeRange{1'500'000'000, 2'000'000'000});
    session_.timelineRows().setShown(SpanKind::Forward, false);
    spec = figureOfTimeline(session_);
    ASSERT_TRUE(spec && spec->windowS);
    EXPECT_EQ(spec->windowS->low, 1.5);
    EXPECT_EQ(spec->windowS->high, 2);
    EXPECT_EQ(spec->hiddenKinds, QStringList{QStringLiteral("forward")});
    EXPECT_EQ(spec->runs, QStringList{session_.currentId()});
}

}  // namespace
}  // namespace dasgd::gui
