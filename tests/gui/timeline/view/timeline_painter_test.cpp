#include "gui/timeline/view/timeline_painter.h"

#include <gtest/gtest.h>

#include <QImage>

#include "gui/data/spans/span_colors.h"
#include "tests/gui/support/bench.h"
#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;

struct Picture {
    TimelineFrame frame;
    TimelineLayout layout;
    TimeScale scale;
    QImage image{1000, 200, QImage::Format_RGB32};
};

Picture paintOf(const std::vector<Span>& spans, TimeRange window) {
    Picture picture;
    picture.frame.rows = {{0, Lane::Compute}, {0, Lane::Comm}};
    picture.layout = TimelineLayout(picture.frame.rows, QRectF(picture.image.rect()));
    picture.scale = {window, picture.layout.plot().left(), picture.layout.plot().width()};
    std::vector<TimelineItem> items;
    for (const Span& span : spans) items.push_back(itemOf(span));
    mergeLane(items, 0, picture.scale.nsPerPixel(), picture.frame.boxes);
    picture.image.fill(testLook().theme().panel);
    QPainter painter(&picture.image);
    paintTimeline(painter, picture.frame, picture.layout, picture.scale, screenStyle(testLook().theme()));
    return picture;
}

TEST(TimelinePainter, ABoxHasTheColourOfItsKindWhereItsTimeIs) {
    const Picture picture =
        paintOf({{.kind = SpanKind::Backward, .start = 100 * kMs, .end = 200 * kMs}}, {0, 1000 * kMs});
    const int y = static_cast<int>(picture.layout.lane(0).bottom()) - 2;
    const auto colorAt = [&](Ns t) { return picture.image.pixelColor(static_cast<int>(picture.scale.xAt(t)), y); };
    EXPECT_EQ(colorAt(150 * kMs), QColor::fromRgb(rgbOf(SpanKind::Backward)));
    EXPECT_EQ(colorAt(50 * kMs), testLook().theme().panel);
    EXPECT_EQ(colorAt(250 * kMs), testLook().theme().panel);
}

// The longest run of empty columns within the labels of a rank's first lane.
int widestGap(int rank, double labels) {
    TimelineFrame frame;
    frame.rows = {{rank, Lane::Compute}, {rank, Lane::Comm}};
    QImage image(600, 120, QImage::Format_RGB32);
    const TimelineLayout layout(frame.rows, QRectF(image.rect()), {.labels = labels});
    image.fill(testLook().theme().panel);
    QPainter painter(&image);
    paintTimeline(painter, frame, layout, {{0, kMs}, layout.plot().left(), layout.plot().width()},
                  screenStyle(testLook().theme()));
    painter.end();
    int widest = 0, last = -1;
    for (int x = 0; x < static_cast<int>(labels); ++x) {
        bool inked = false;
        for (int y = static_cast<int>(layout.lane(0).top()); y < static_cast<int>(layout.lane(0).bottom()); ++y) {
            inked = inked || image.pixelColor(x, y) != testLook().theme().panel;
        }
        if (!inked) continue;
        if (last >= 0) widest = std::max(widest, x - last - 1);
        last = x;
    }
    return widest;
}

TEST(TimelinePainter, RankAndLaneDoNotTouch) {
    const TimelineStyle style = screenStyle(testLook().theme());
    EXPECT_EQ(labelsWidth({{3, Lane::Compute}}, style, 150), 150) << "no narrower than asked";
    for (const int rank : {0, 10, 128, 1023}) {
        EXPECT_GE(widestGap(rank, labelsWidth({{rank, Lane::Compute}}, style, 0)), 7) << rank;
    }
}

TEST(TimelinePainter, ASpanOfANanosecondIsSeenInAnHour) {
    const Ns at = 1'800'000 * kMs;
    const Picture picture = paintOf({{.kind = SpanKind::Wait, .start = at, .end = at + 1}}, {0, 3'600'000 * kMs});
    const int y = static_cast<int>(picture.layout.lane(0).center().y());
    const QColor seen = picture.image.pixelColor(static_cast<int>(picture.scale.xAt(at)), y);
    EXPECT_EQ(seen, QColor::fromRgb(rgbOf(SpanKind::Wait)));
}

TEST(TimelinePainter, WhatMovesBytesSaysItsPayload) {
    EXPECT_EQ(boxLabel({.span = {.kind = SpanKind::Transfer, .bytes = 246'824}}),
              QStringLiteral("transfer 247\u00a0kB"));
    EXPECT_EQ(boxLabel({.span = {.kind = SpanKind::Reduce, .bytes = 246'824}}), QStringLiteral("reduce 247\u00a0kB"));
    EXPECT_EQ(boxLabel({.span = {.kind = SpanKind::Skew, .bytes = 246'824}}), QStringLiteral("skew"));
    EXPECT_EQ(boxLabel({.span = {.kind = SpanKind::Forward, .bytes = 5}}), QStringLiteral("forward"));
}

TEST(TimelinePainter, DescriptionsHaveKindRankStepStartDurationBytes) {
    const TimelineBox box{.span = {.lane = Lane::Comm,
                                   .kind = SpanKind::Transfer,
                                   .step = 8,
                                   .start = 1'500 * kMs,
                                   .end = 1'575 * kMs,
                                   .bytes = 246'824,
                                   .collective = 2}};
    const QString text = boxDescription(box, {3, Lane::Comm});
    for (const char* part :
         {"transfer  75.00\u00a0ms", "rank 3", "comm", "step 8", "1.500000 s", "247\u00a0kB", "collective 2"}) {
        EXPECT_TRUE(text.contains(QString::fromUtf8(part))) << part << " in " << text.toStdString();
    }
    const auto descriptionOf = [](SpanKind kind) { return boxDescription({.span = {.kind = kind}}, {0, Lane::Comm}); };
    EXPECT_TRUE(descriptionOf(SpanKind::Skew).contains(QLatin1String("waits for the last rank")));
    EXPECT_TRUE(descriptionOf(SpanKind::Reduce).contains(QLatin1String("in no number")));
    const TimelineBox many{.count = 37, .cover = 0.5F, .span = {.kind = SpanKind::Forward}};
    EXPECT_TRUE(
        boxDescription(many, {0, Lane::Compute}).startsWith(QLatin1String("37 spans in this pixel, mostly forward")));
}

TEST(TimelinePainter, TickLabelsHaveNoMoreDigitsThanTheyNeed) {
    EXPECT_EQ(tickLabels({412'000 * kMs, 412'050 * kMs}, 50 * kMs), (QStringList{"412.00 s", "412.05 s"}));
    EXPECT_EQ(tickLabels({0, 5'000 * kMs}, 5'000 * kMs), (QStringList{"0 s", "5 s"}));
    const QStringList fine = tickLabels({412'000 * kMs, 412'000 * kMs + 20'000}, 20'000);
    EXPECT_EQ(fine[0], QStringLiteral("412.00000 s"));
    EXPECT_EQ(fine[1], QStringLiteral("+20.0\u00a0µs"));
}

TEST(TimelinePainter, TheRowOfAStragglerStandsOutBehindItsSpans) {
    TimelineFrame frame;
    for (const int rank : {0, 1}) {
        frame.rows.push_back({rank, Lane::Compute});
        frame.rows.push_back({rank, Lane::Comm});
    }
    QImage image(600, 240, QImage::Format_RGB32);
    const TimelineLayout layout(frame.rows, QRectF(image.rect()));
    TimelineMarks marks;
    marks.handles = true;
    marks.notes[0] = {QStringLiteral("+2 ms"), false};
    marks.notes[1] = {QStringLiteral("+50 ms"), true};
    const auto groundOf = [&](std::size_t row) {
        image.fill(testLook().theme().panel);
        QPainter painter(&image);
        paintTimeline(painter, frame, layout, {{0, kMs}, layout.plot().left(), layout.plot().width()},
                      screenStyle(testLook().theme()), marks);
        painter.end();
        // A point between two lines of the grid.
        return image.pixelColor(static_cast<int>(layout.plot().left()) + 30,
                                static_cast<int>(layout.lane(row).center().y()));
    };
    EXPECT_EQ(groundOf(1), testLook().theme().panel);
    EXPECT_NE(groundOf(3), testLook().theme().panel);
    marks.handles = false;
    EXPECT_EQ(groundOf(3), testLook().theme().panel) << "on paper the note says it";
}

}  // namespace
}  // namespace dasgd::gui
