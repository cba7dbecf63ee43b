#include "gui/timeline/view/timeline_layout.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

std::vector<TimelineRow> rowsOf(int ranks) {
    std::vector<TimelineRow> rows;
    for (int rank = 0; rank < ranks; ++rank) {
        rows.push_back({rank, Lane::Compute});
        rows.push_back({rank, Lane::Comm});
    }
    return rows;
}

TEST(TimelineLayout, LanesAreOrderedAndNeverOverlap) {
    for (const int ranks : {1, 2, 4, 7, 16}) {
        const TimelineLayout layout(rowsOf(ranks), {0, 0, 1000, 340});
        ASSERT_EQ(layout.size(), static_cast<std::size_t>(2 * ranks));
        for (std::size_t row = 0; row < layout.size(); ++row) {
            EXPECT_EQ(layout.rowAt(layout.lane(row).center().y()), static_cast<int>(row));
            const double above = row > 0 ? layout.lane(row - 1).bottom() : 0;
            EXPECT_GT(layout.lane(row).top(), above);
            EXPECT_EQ(layout.lane(row).left(), layout.plot().left());
        }
    }
}

TEST(TimelineLayout, LanesOfARankAreCloserThanRanks) {
    const TimelineLayout layout(rowsOf(2), {0, 0, 1000, 400});
    const double within = layout.lane(1).top() - layout.lane(0).bottom();
    const double between = layout.lane(2).top() - layout.lane(1).bottom();
    EXPECT_LT(within, between);
}

TEST(TimelineLayout, RowsFitWhereThereIsRoomAndStayVisibleWhereThereIsNone) {
    const TimelineLayout roomy(rowsOf(4), {0, 0, 1000, 400});
    EXPECT_LE(roomy.lane(7).bottom(), 400);
    const TimelineLayout tight(rowsOf(64), {0, 0, 1000, 200});
    EXPECT_GE(tight.lane(0).height(), 8);
    const double needed = TimelineLayout::heightFor(rowsOf(64), {}, 0.3);
    EXPECT_NEAR(tight.lane(127).bottom(), needed, 1e-6);
}

TEST(TimelineLayout, NoRowsNoLanes) {
    const TimelineLayout layout({}, {0, 0, 100, 100});
    EXPECT_EQ(layout.size(), 0U);
    EXPECT_EQ(layout.rowAt(50), -1);
}

}  // namespace
}  // namespace dasgd::gui
