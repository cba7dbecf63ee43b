#include "gui/timeline/model/find/span_finder.h"

#include <gtest/gtest.h>

#include "gui/data/spans/timeline_rows.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class SpanFinderTest : public SessionBench {
protected:
    void find(const char* text, int direction = 1) {
        finder_.find(QString::fromUtf8(text), direction);
        EXPECT_TRUE(eventually([&] { return !finder_.words().startsWith(QStringLiteral("searching")); }));
    }
    [[nodiscard]] bool seen() {
        const TimeRange window = session_.selection().window();
        return finder_.shown() && finder_.shown()->span.start >= window.start &&
               finder_.shown()->span.end <= window.end;
    }
    SpanFinder finder_{session_};
};

TEST_F(SpanFinderTest, GoesFromOneToTheNextAndBackAndAround) {
    look();
    session_.selection().setWindow({0, 100'000'000});
    find("merge and rank = 1");
    ASSERT_TRUE(finder_.shown());
    const RankSpan first = *finder_.shown();
    EXPECT_TRUE(seen());
    EXPECT_TRUE(finder_.words().endsWith(QStringLiteral("found, 1st shown"))) << finder_.words().toStdString();
    find("merge and rank = 1");
    EXPECT_GT(finder_.shown()->span.start, first.span.start);
    EXPECT_TRUE(finder_.words().contains(QStringLiteral("2nd shown")));
    EXPECT_TRUE(seen());
    find("merge and rank = 1", -1);
    EXPECT_EQ(finder_.shown()->span.start, first.span.start);
    find("merge and rank = 1", -1);
    EXPECT_GT(finder_.shown()->span.start, first.span.start) << "before the first comes the last";
}

TEST_F(SpanFinderTest, BeginsWithWhatIsSeen) {
    look();
    const TimeRange extent = session_.selection().extent();
    const Ns middle = (extent.start + extent.end) / 2;
    session_.selection().setWindow({middle, middle + 50'000'000});
    find("merge");
    EXPECT_GE(finder_.shown()->span.start, middle);
    finder_.clear();
    EXPECT_FALSE(finder_.shown());
    session_.selection().setWindow({middle, middle + 50'000'000});
    find("merge", -1);
    EXPECT_LT(finder_.shown()->span.start, middle + 50'000'000);
    EXPECT_GT(finder_.shown()->span.start, middle - 200'000'000);
}

TEST_F(SpanFinderTest, OpensTheGroupOfTheRankAndShowsItsKind) {
    look({.ranks = 20, .steps = 40});
    TimelineRows& rows = session_.timelineRows();
    rows.setShown(SpanKind::Merge, false);
    const auto alone = [&] {
        return std::ranges::any_of(*rows.plan(),
                                   [](const RankGroup& row) { return row.ranks == std::vector<int>{17}; });
    };
    ASSERT_FALSE(alone());
    find("merge and rank = 17");
    EXPECT_TRUE(alone());
    EXPECT_FALSE(contains(rows.hiddenKinds(), SpanKind::Merge));
}

TEST_F(SpanFinderTest, SaysWhatIsWrongAndThatNothingWasFound) {
    look();
    find("wait > ");
    ASSERT_TRUE(finder_.error());
    EXPECT_FALSE(finder_.shown());
    find("wait > 1 h");
    EXPECT_FALSE(finder_.error());
    EXPECT_EQ(finder_.words(), QStringLiteral("nothing found"));
}

TEST(WindowAroundTest, MovesNoFurtherThanNeededAndShowsWhatWouldBeAHair) {
    const TimeRange window{0, 1'000'000};
    const auto same = [](TimeRange a, TimeRange b) { return a.start == b.start && a.end == b.end; };
    EXPECT_TRUE(same(windowAround({400'000, 500'000}, window), window));
    EXPECT_TRUE(same(windowAround({2'000'000, 2'100'000}, window), {1'550'000, 2'550'000}));
    const TimeRange close = windowAround({2'000'000, 2'001'000}, window);
    EXPECT_EQ(close.end - close.start, 8000);
    const TimeRange wide = windowAround({2'000'000, 4'000'000}, window);
    EXPECT_EQ(wide.end - wide.start, 16'000'000);
    EXPECT_TRUE(wide.start < 2'000'000 && wide.end > 4'000'000);
}

TEST(OrdinalTest, EndsAsEnglishDoes) {
    const auto text = [](qint64 number) { return ordinal(number).toStdString(); };
    EXPECT_EQ(text(1), "1st");
    EXPECT_EQ(text(2), "2nd");
    EXPECT_EQ(text(3), "3rd");
    EXPECT_EQ(text(4), "4th");
    EXPECT_EQ(text(11), "11th");
    EXPECT_EQ(text(112), "112th");
    EXPECT_EQ(text(122), "122nd");
}

}  // namespace
}  // namespace dasgd::gui
