#include "gui/data/spans/span_merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gui/data/spans/span_colors.h"

namespace dasgd::gui {
namespace {

Span spanOf(SpanKind kind, Ns start, Ns end, std::uint64_t collective = 0) {
    return {.kind = kind, .start = start, .end = end, .collective = collective};
}

std::vector<TimelineBox> merged(const std::vector<Span>& spans, double nsPerPixel) {
    std::vector<TimelineItem> items;
    for (const Span& one : spans) items.push_back(itemOf(one));
    std::vector<TimelineBox> boxes;
    mergeLane(items, 0, nsPerPixel, boxes);
    return boxes;
}

TimelineItem bucket(SpanKind kind, Ns start, Ns width, std::uint32_t count, Ns covered) {
    return {.start = start, .length = width, .covered = covered, .count = count, .kind = kind};
}

// A bucket in a pixel gives what its spans would give.
TEST(SpanMerge, BucketsAndSpansOfAPixelShareItsBox) {
    const Span alone = spanOf(SpanKind::Backward, 164, 194);
    std::vector<TimelineBox> boxes;
    mergeLane({bucket(SpanKind::Forward, 128, 32, 3, 30), itemOf(alone), bucket(SpanKind::Wait, 192, 32, 2, 10)}, 0,
              100, boxes);
    ASSERT_EQ(boxes.size(), 1U);
    EXPECT_EQ(boxes[0].count, 6U);
    EXPECT_NEAR(boxes[0].cover, 0.7, 1e-6);
    EXPECT_EQ(boxes[0].span.start, 100);
    EXPECT_EQ(boxes[0].span.end, 200);
    EXPECT_EQ((boxes[0].rgb >> 8) & 0xff, (0xB4 * 30 + 0x72 * 30 + 0x5E * 10) / 70U);
}

TEST(SpanMerge, ABucketLongerThanAPixelHasABoxOfItsOwn) {
    std::vector<TimelineBox> boxes;
    mergeLane({bucket(SpanKind::Forward, 1024, 1024, 4, 200), bucket(SpanKind::Backward, 1024, 1024, 4, 312),
               bucket(SpanKind::Forward, 2048, 1024, 1, 8)},
              0, 100, boxes);
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_EQ(boxes[0].count, 8U);
    EXPECT_EQ(boxes[0].span.start, 1024);
    EXPECT_EQ(boxes[0].span.end, 2048);
    EXPECT_NEAR(boxes[0].cover, 0.5, 1e-6);
    EXPECT_EQ(boxes[0].span.kind, SpanKind::Backward);
    EXPECT_EQ(boxes[1].rgb, rgbOf(SpanKind::Forward));
    EXPECT_LT(boxes[1].cover, 0.01F) << "one of its kind, but not as long as the bucket";
}

TEST(SpanMerge, WideSpansKeepABoxOfTheirOwn) {
    const auto boxes = merged({spanOf(SpanKind::Forward, 0, 500), spanOf(SpanKind::Wait, 500, 900)}, 100);
    ASSERT_EQ(boxes.size(), 2U);
    EXPECT_EQ(boxes[1].rgb, 0xD55E00U);
    EXPECT_EQ(boxes[1].span.end, 900);
}

TEST(SpanMerge, NarrowSpansOfAPixelHaveTheirMeanColour) {
    const auto boxes = merged({spanOf(SpanKind::Forward, 0, 30), spanOf(SpanKind::Backward, 30, 60)}, 100);
    ASSERT_EQ(boxes.size(), 1U);
    EXPECT_EQ(boxes[0].count, 2U);
    EXPECT_NEAR(boxes[0].cover, 0.6, 1e-6);
    const std::uint32_t green = (boxes[0].rgb >> 8) & 0xff;
    EXPECT_EQ(green, (0xB4 + 0x72) / 2U);
}

TEST(SpanMerge, ALoneNarrowSpanKeepsItsColour) {
    const auto boxes = merged({spanOf(SpanKind::Wait, 1050, 1051)}, 100);
    ASSERT_EQ(boxes.size(), 1U);
    EXPECT_EQ(boxes[0].rgb, rgbOf(SpanKind::Wait));
    EXPECT_EQ(boxes[0].span.start, 1050);
}

TEST(SpanMerge, NoSpanIsEverLost) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<Span> spans;
        const std::size_t n = random() % 2000;
        for (std::size_t i = 0; i < n; ++i) {
            const Ns start = static_cast<Ns>(random() % 1'000'000);
            spans.push_back(spanOf(static_cast<SpanKind>(random() % 10), start,
                                   start + static_cast<Ns>(random() % (round * 20 + 1))));
        }
        std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.start < b.start; });
        const double nsPerPixel = 0.5 + static_cast<double>(random() % 5000);
        const auto boxes = merged(spans, nsPerPixel);
        std::size_t counted = 0;
        for (const TimelineBox& box : boxes) counted += box.count;
        ASSERT_EQ(counted, n);
        for (const Span& one : spans) {
            const bool covered = std::any_of(boxes.begin(), boxes.end(), [&](const TimelineBox& box) {
                return box.span.start <= one.start && box.span.end >= one.end;
            });
            ASSERT_TRUE(covered) << one.start << " at " << nsPerPixel;
        }
    }
}

TEST(SpanMerge, TheNumberOfBoxesIsBoundedByThePixels) {
    std::vector<Span> spans;
    for (Ns i = 0; i < 100'000; ++i) spans.push_back(spanOf(SpanKind::Forward, i * 10, i * 10 + 9));
    EXPECT_LE(merged(spans, 1'000).size(), 1'001U);
}

TEST(SpanMerge, PixelsDoNotMoveWhenTheWindowDoes) {
    std::vector<Span> spans;
    for (Ns i = 0; i < 1'000; ++i) spans.push_back(spanOf(SpanKind::Forward, i * 10, i * 10 + 9));
    const auto all = merged(spans, 100);
    const auto later = merged({spans.begin() + 500, spans.end()}, 100);
    EXPECT_EQ(all.back().span.start, later.back().span.start);
    EXPECT_EQ(all[all.size() - 5].count, later[later.size() - 5].count);
}

TEST(SpanMerge, LinksGoFromTheLaunchToTheMergeThatUsesIt) {
    std::vector<TimelineLink> links;
    linkCollectives(
        {spanOf(SpanKind::Transfer, 30, 80, 1), spanOf(SpanKind::Skew, 10, 30, 1), spanOf(SpanKind::Wait, 90, 95, 1),
         spanOf(SpanKind::Merge, 95, 99, 1), spanOf(SpanKind::Reduce, 100, 180, 2), spanOf(SpanKind::Wait, 170, 180, 2),
         spanOf(SpanKind::Reduce, 200, 280, 3), spanOf(SpanKind::Merge, 5, 6, 9)},
        2, links);
    ASSERT_EQ(links.size(), 2U) << "no link without a use, none without a reduce";
    EXPECT_EQ(links[0].launch, 10) << "where the skew begins";
    EXPECT_EQ(links[0].use, 95);
    EXPECT_EQ(links[0].rank, 2);
    EXPECT_EQ(links[1].use, 170) << "where nothing merges, the wait uses it";
}

TEST(SpanMerge, WhatLiesOutsideTheWindowsIsUntimed) {
    const std::vector<TimeRange> windows{{300, 420}, {100, 200}, {200, 250}};
    const auto gapsOf = [&](TimeRange range, bool ended) {
        std::vector<TimelineGap> gaps;
        findUntimed(windows, 3, range, ended, gaps);
        std::vector<std::pair<Ns, Ns>> ends;
        for (const TimelineGap& gap : gaps) {
            EXPECT_EQ(gap.place, 3);
            ends.emplace_back(gap.range.start, gap.range.end);
        }
        return ends;
    };
    using Gaps = std::vector<std::pair<Ns, Ns>>;
    EXPECT_EQ(gapsOf({0, 500}, true), (Gaps{{0, 100}, {250, 300}, {420, 500}}));
    EXPECT_EQ(gapsOf({0, 500}, false), (Gaps{{0, 100}, {250, 300}})) << "a window may be open";
    EXPECT_EQ(gapsOf({150, 280}, true), (Gaps{{250, 280}}));
}

}  // namespace
}  // namespace dasgd::gui
