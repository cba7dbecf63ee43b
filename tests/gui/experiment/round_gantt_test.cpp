#include "gui/experiment/round_gantt.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "gui/data/spans/span_colors.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

RoundForecast round(int delay, int period = 8) {
    return *forecastRound(
        {.period = period, .delay = delay, .compute = 0.0054, .forwardShare = 1.0 / 3, .exchange = {.first = 0.0302}});
}

int pixelsOf(const QImage& image, SpanKind kind) {
    const QRgb wanted = QColor::fromRgb(rgbOf(kind)).rgb();
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) count += image.pixel(x, y) == wanted ? 1 : 0;
    }
    return count;
}

TEST(RoundGantt, DrawsComputingTransferAndWaitAndWhatWouldHide) {
    RoundGantt gantt(testLook());
    gantt.resize(760, 130);
    gantt.show(round(3), round(6), 246'824);
    const QImage waiting = gantt.grab().toImage();
    for (const SpanKind kind : {SpanKind::Forward, SpanKind::Backward, SpanKind::Transfer}) {
        EXPECT_GT(pixelsOf(waiting, kind), 500) << nameOf(kind);
    }
    EXPECT_GT(pixelsOf(waiting, SpanKind::Wait), 100);
    gantt.show(round(6), std::nullopt, 246'824);
    EXPECT_EQ(pixelsOf(gantt.grab().toImage(), SpanKind::Wait), 0);
    gantt.clear();
    EXPECT_EQ(pixelsOf(gantt.grab().toImage(), SpanKind::Transfer), 0);
}

TEST(RoundGantt, KeysStepThroughTheSpansAndSayThem) {
    RoundGantt gantt(testLook());
    gantt.resize(760, 130);
    gantt.show(round(3), std::nullopt, 246'824);
    QSignalSpy marked(&gantt, &RoundGantt::markedChanged);
    QTest::keyClick(&gantt, Qt::Key_Right);
    EXPECT_TRUE(gantt.marked().startsWith(QStringLiteral("transfer"))) << gantt.marked().toStdString();
    bool waited = false;
    for (int i = 0; i < 10; ++i) {
        QTest::keyClick(&gantt, Qt::Key_Right);
        waited = waited || gantt.marked().startsWith(QStringLiteral("wait 14.0"));
    }
    EXPECT_TRUE(waited);
    EXPECT_EQ(marked.size(), 11);
    QTest::keyClick(&gantt, Qt::Key_Escape);
    EXPECT_TRUE(gantt.marked().isEmpty());
}

TEST(RoundGantt, AnotherRoundIsNoLongerMarked) {
    RoundGantt gantt(testLook());
    gantt.resize(760, 130);
    gantt.show(round(3), std::nullopt, 246'824);
    QTest::keyClick(&gantt, Qt::Key_Right);
    QSignalSpy marked(&gantt, &RoundGantt::markedChanged);
    gantt.show(round(4), std::nullopt, 246'824);
    ASSERT_EQ(marked.size(), 1);
    EXPECT_TRUE(marked[0][0].toString().isEmpty());
    QTest::keyClick(&gantt, Qt::Key_Right);
    gantt.clear();
    ASSERT_EQ(marked.size(), 3);
    EXPECT_TRUE(marked[2][0].toString().isEmpty());
}

TEST(RoundGantt, ALongRoundIsDrawnInBlocksThatSayHowLongTheyAre) {
    RoundGantt gantt(testLook());
    gantt.resize(760, 130);
    gantt.show(round(3, 1'000'000'000), std::nullopt, 246'824);
    EXPECT_GT(pixelsOf(gantt.grab().toImage(), SpanKind::Passes), 500);
    for (int i = 0; i < 4; ++i) QTest::keyClick(&gantt, Qt::Key_Right);
    EXPECT_TRUE(gantt.marked().contains(QStringLiteral("steps 4 to 15625003"))) << gantt.marked().toStdString();
}

TEST(RoundGantt, TellsWhatIsUnderThePointerAtAnySize) {
    RoundGantt gantt(testLook());
    for (const QSize size : {QSize(760, 130), QSize(300, 74)}) {
        gantt.resize(size);
        gantt.show(round(3), round(6), 246'824);
        QStringList seen;
        for (int y = 0; y < size.height(); y += 3) {
            for (int x = 80; x < size.width(); x += 3) seen << gantt.describe(QPointF(x, y)).section(u' ', 0, 2);
        }
        seen.removeDuplicates();
        EXPECT_TRUE(seen.join(u';').contains(QStringLiteral("wait"))) << size.width();
        EXPECT_TRUE(seen.join(u';').contains(QStringLiteral("transfer")));
        EXPECT_TRUE(seen.join(u';').contains(QStringLiteral("with d =")));
        EXPECT_TRUE(gantt.describe(QPointF(2, 2)).isEmpty());
    }
}

}  // namespace
}  // namespace dasgd::gui
