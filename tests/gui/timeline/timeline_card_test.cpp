#include "gui/timeline/timeline_card.h"

#include <gtest/gtest.h>

#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

TEST(OverlapWords, SayBothNumbersAndWhoComputesLongest) {
    storage::RunDetail detail;
    detail.row.steps = 1300;
    detail.row.workers = 4;
    EXPECT_EQ(overlapInWords(detail), QStringLiteral("not timed"));
    detail.row.status = "running";
    EXPECT_EQ(overlapInWords(detail), QStringLiteral("not timed yet"));
    detail.row.stepMs = 10;
    EXPECT_EQ(overlapInWords(detail), QStringLiteral("nothing was transferred"));
    detail.row.hidden = 0.992;
    EXPECT_TRUE(overlapInWords(detail).contains(QStringLiteral("compute inflation not known")));
    detail.row.timedSteps = 1000;
    detail.row.measuredS = 10;
    detail.row.blockedS = 0.3;
    detail.row.skewS = 0.0011;
    detail.inflation = summarise({1.01, 1.02, 1.09});
    detail.row.inflation = detail.inflation.mean;
    detail.row.inflationRanks = 3;
    detail.straggler = Straggler{.rank = 2, .excess = 0.08};
    const QString words = overlapInWords(detail);
    for (const char* part :
         {"hidden 99.2 %", "blocked 0.30 ms/step", "skew 1.10\u00a0ms",
          "compute inflation 1.04 ± 0.11, within noise (3 of 4 ranks)", "longest compute: rank 2 (+8.0 %)"}) {
        EXPECT_TRUE(words.contains(QString::fromUtf8(part))) << part << " in " << words.toStdString();
    }
    EXPECT_FALSE(words.contains(QStringLiteral("straggler"))) << "that is told by lateness";
}

class TimelineCardTest : public SessionBench {};

TEST_F(TimelineCardTest, DraggingMeasuresWhatTheStoreHas) {
    TimelineCard card(session_, testLook());
    card.resize(1300, 420);
    card.show();
    look();
    session_.selection().setWindow({0, 600'000'000});
    ASSERT_TRUE(
        eventually([&] { return card.timeline().frame()->range.start <= 0 && card.timeline().frame()->spans > 100; }));
    TimelineWidget& timeline = card.timeline();
    const int y = timeline.height() / 2;
    const QPoint from(static_cast<int>(timeline.scale().xAt(150'000'000)), y),
        to(static_cast<int>(timeline.scale().xAt(350'000'000)), y);
    QTest::mousePress(&timeline, Qt::LeftButton, {}, from);
    QTest::mouseMove(&timeline, to);
    QTest::mouseRelease(&timeline, Qt::LeftButton, {}, to);
    ASSERT_TRUE(eventually([&] { return timeline.measure().has_value(); }));
    const TimeRange range = *session_.selection().marked();
    auto reader = storage::SpanReader::open(workspace_.path());
    ASSERT_TRUE(reader.has_value());
    OverlapSummary expected;
    const auto rows = reader->touching(id_.toStdString(), range).value();
    for (int rank = 0; rank < 4; ++rank) {
        std::vector<Span> own;
        for (const storage::SpanRow& row : rows) {
            if (row.rank == rank) own.push_back(row.span);
        }
        const OverlapSummary one = summariseOverlap(own, range);
        expected.compute += one.compute / 4;
        expected.transfer += one.transfer / 4;
        expected.skew += one.skew / 4;
        expected.hidden += one.hidden / 4;
    }
    EXPECT_EQ(timeline.measure()->ranks, 4);
    EXPECT_NEAR(static_cast<double>(timeline.measure()->mean.compute), static_cast<double>(expected.compute), 4);
    EXPECT_NEAR(static_cast<double>(timeline.measure()->mean.transfer), static_cast<double>(expected.transfer), 4);
    EXPECT_NEAR(static_cast<double>(timeline.measure()->mean.skew), static_cast<double>(expected.skew), 4);
    EXPECT_GT(expected.skew, 0);
    EXPECT_NEAR(static_cast<double>(timeline.measure()->mean.hidden), static_cast<double>(expected.hidden), 4);
    EXPECT_GT(expected.hidden, 0);
}

TEST_F(TimelineCardTest, AnEndedRunCannotBeFollowed) {
    TimelineCard card(session_, testLook());
    look();
    card.show();
    QToolButton* follow = card.findChild<QToolButton*>();
    ASSERT_TRUE(eventually([&] { return !session_.pulse().live && !follow->isVisible(); }));
}

TEST_F(TimelineCardTest, ItsHeadMakesNoPageScrollSideways) {
    QScrollArea area;
    area.setWidgetResizable(true);
    auto* card = new TimelineCard(session_, testLook());
    card->showDetails();
    area.setWidget(card);
    area.resize(1400, 500);
    area.show();
    look();
    QToolButton* follow = nullptr;
    for (QToolButton* one : card->findChildren<QToolButton*>()) {
        if (one->toolTip().startsWith(QStringLiteral("Follow"))) follow = one;
    }
    ASSERT_NE(follow, nullptr);
    // The card says most while its run goes on; this one has ended, so the test sets the longest text.
    QObject::disconnect(&session_, &Session::pulseChanged, card, nullptr);
    follow->setText(QStringLiteral("● following"));
    follow->show();
    for (int width = 1400; width >= 640; width -= 20) {
        area.resize(width, 500);
        QTest::qWait(1);
        ASSERT_TRUE(follow->isVisible());
        EXPECT_EQ(area.horizontalScrollBar()->maximum(), 0) << "at " << width;
    }
}

}  // namespace
}  // namespace dasgd::gui
