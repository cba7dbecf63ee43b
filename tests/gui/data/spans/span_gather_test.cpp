#include "gui/data/spans/span_gather.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

storage::SpanLevel levelOf(const std::vector<RankSpan>& spans) {
    storage::LevelBuilder builder;
    for (const auto& [rank, span] : spans) builder.add(rank, span);
    return builder.exact();
}

const std::vector<RankSpan> kSpans{{0, {.kind = SpanKind::Forward, .start = 0, .end = 50}},
                                   {1, {.kind = SpanKind::Forward, .start = 0, .end = 100}},
                                   {1, {.kind = SpanKind::Wait, .start = 100, .end = 150}},
                                   {2, {.kind = SpanKind::Forward, .start = 0, .end = 100}}};

TEST(SpanGather, ARankOfAnOpenGroupIsInBothOfItsRows) {
    const RowPlan plan{{.name = "others", .ranks = {1, 2}, .open = true}, {.ranks = {1}}, {.ranks = {2}}};
    const TimelineView view{.range = {0, 200}, .nsPerPixel = 100};
    const storage::SpanLevel level = levelOf(kSpans);
    SpanGather gather(plan, view);
    gather.add(level);
    EXPECT_EQ(gather.rows[1].items[0].size(), 2U);
    EXPECT_EQ(gather.rows[2].items[0].size(), 1U);
    ASSERT_TRUE(gather.rows[0].shares[0]);
    std::vector<TimelineBox> boxes;
    gather.rows[0].shares[0]->boxes(0, boxes);
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_FLOAT_EQ(boxes[0].cover, 1) << "both compute";
    EXPECT_FLOAT_EQ(boxes[1].cover, 0.25F) << "one of two waits, for half of the column";
    EXPECT_EQ(gather.spansOfGroups, 3U);
}

TEST(SpanGather, PlacesOutOfSightAndHiddenKindsAreLeftOut) {
    const RowPlan plan{{.ranks = {0}}, {.name = "others", .ranks = {1, 2}}};
    const storage::SpanLevel level = levelOf(kSpans);
    SpanGather first(plan, {.range = {0, 200}, .nsPerPixel = 100, .places = {0, 0}});
    first.add(level);
    EXPECT_EQ(first.rows[0].items[0].size(), 1U);
    EXPECT_FALSE(first.rows[1].shares[0]);
    KindSet hidden;
    hidden.set(static_cast<std::size_t>(SpanKind::Forward));
    SpanGather second(plan, {.range = {0, 200}, .nsPerPixel = 100, .hidden = hidden});
    second.add(level);
    std::vector<TimelineBox> boxes;
    second.rows[1].shares[0]->boxes(0, boxes);
    ASSERT_EQ(boxes.size(), 1U) << "what a hidden kind covers is empty";
    EXPECT_EQ(boxes[0].span.kind, SpanKind::Wait);
}

TEST(SpanGather, ABucketInWhichLittleWasTimedIsNotDrawnAsTimed) {
    storage::SpanLevel level{.shift = 10};
    level.cells = {{.covered = 200, .bucket = 0, .count = 1, .kind = SpanKind::Window},
                   {.covered = 900, .bucket = 3, .count = 1, .kind = SpanKind::Window}};
    level.lanes = {{.rank = 0, .lane = Lane::Io, .spansEnd = 0, .cellsEnd = 2}};
    const RowPlan plan{{.ranks = {0}}};
    const TimelineView view{.range = {0, 10'000}, .nsPerPixel = 100};
    SpanGather gather(plan, view);
    gather.add(level);
    ASSERT_EQ(gather.rows[0].timed.size(), 1U);
    EXPECT_EQ(gather.rows[0].timed[0].start, 3 * 1024);
}

}  // namespace
}  // namespace dasgd::gui
