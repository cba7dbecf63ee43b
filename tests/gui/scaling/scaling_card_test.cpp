#include "gui/scaling/scaling_card.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QToolTip>

#include "tests/gui/support/scaling_bench.h"

namespace dasgd::gui {
namespace {

class ScalingCardTest : public ScalingBench {
protected:
    void open() {
        look();
        card_.resize(640, 380);
        card_.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&card_));
        QTest::qWait(50);
    }
    QWidget* canvas() { return card_.plot().findChild<QWidget*>(); }
    ScalingCard card_{QStringLiteral("Throughput"), ScalingPlot::Throughput, board_, testLook()};
};

TEST_F(ScalingCardTest, APointUnderThePointerSaysWhoseItIs) {
    open();
    const QPointF at = card_.plot().positionOf({1, 2});
    EXPECT_EQ(card_.plot().pointAt(at + QPointF(4, 4)), (PointPlace{1, 2}));
    EXPECT_EQ(card_.plot().pointAt(at + QPointF(60, 0)), std::nullopt);
    QTest::mouseMove(canvas(), at.toPoint());
    ASSERT_TRUE(eventually([] { return QToolTip::isVisible(); }));
    EXPECT_TRUE(QToolTip::text().contains(QLatin1String("4 workers, batch 32 each"))) << QToolTip::text().toStdString();
    EXPECT_TRUE(QToolTip::text().contains(board_.runIds()[10])) << QToolTip::text().toStdString();
    EXPECT_TRUE(QToolTip::text().contains(QStringLiteral("± standard deviation over seeds")));
    const auto labels = card_.findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->isVisible() && label->text() == QStringLiteral("± std over seeds");
    })) << "what its bars are";
}

TEST_F(ScalingCardTest, AFigureOfItHasItsAxisAndThePartThatIsZoomedTo) {
    open();
    FigureSpec spec = card_.figure({});
    EXPECT_EQ(spec.kind, FigureKind::Scaling);
    EXPECT_EQ(spec.runs, board_.runIds());
    EXPECT_EQ(spec.logY, std::optional(true));
    EXPECT_FALSE(spec.xRange || spec.yRange) << "all of it, also once runs are added";
    card_.findChild<Choice*>()->choose(0);
    QTest::keyClick(&card_.plot(), Qt::Key_Plus);
    ASSERT_TRUE(card_.plot().shown().zoomed);
    spec = card_.figure({});
    EXPECT_EQ(spec.logY, std::optional(false));
    ASSERT_TRUE(spec.xRange && spec.yRange);
    EXPECT_EQ(spec.xRange->low, card_.plot().shown().x.first);
    EXPECT_EQ(spec.yRange->high, card_.plot().shown().y.second);
    const auto again = figureSpecOf(jsonOf(spec));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(*again, spec) << "its file says so too";
}

TEST_F(ScalingCardTest, ClicksNameLineAndWorkers) {
    open();
    QSignalSpy clicked(&card_, &ScalingCard::pointClicked), opened(&card_, &ScalingCard::pointOpened);
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, card_.plot().positionOf({1, 1}).toPoint());
    ASSERT_EQ(clicked.count(), 1);
    EXPECT_EQ(clicked[0][1].toInt(), 2);
    QTest::mouseDClick(canvas(), Qt::LeftButton, {}, card_.plot().positionOf({1, 1}).toPoint());
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][1].toInt(), 2);
}

TEST_F(ScalingCardTest, TheChosenPointHasARing) {
    open();
    const QImage before = card_.plot().grab().toImage();
    card_.mark(0, 2);
    EXPECT_TRUE(eventually([&] { return card_.plot().grab().toImage() != before; }));
    card_.unmark();
    EXPECT_TRUE(eventually([&] { return card_.plot().grab().toImage() == before; }));
    card_.mark(0, 1000);
    EXPECT_TRUE(eventually([&] { return card_.plot().grab().toImage() == before; })) << "there is no such point";
}

}  // namespace
}  // namespace dasgd::gui
