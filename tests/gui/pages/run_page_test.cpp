#include <gtest/gtest.h>

#include <QDir>
#include <QPushButton>

#include "gui/timeline/timeline_widget.h"
#include "gui/widgets/chart_card.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RunPageTest : public WindowBench {
protected:
    QString figure(const QString& name) {
        for (KeyFigure* one : window_->findChildren<KeyFigure*>()) {
            if (one->accessibleName() == name) return one->text();
        }
        return {};
    }
};

TEST_F(RunPageTest, WithoutARunItSaysWhatToDo) {
    open();
    EXPECT_NE(label(QStringLiteral("No run yet")), nullptr);
    EXPECT_NE(label(QStringLiteral("Set one up on the Experiment page")), nullptr);
}

TEST_F(RunPageTest, SaysInWordsWhatOneLooksAt) {
    workspace_.record({.seed = 2, .steps = 150});
    open();
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("link emulated 200\u00a0Mbps, 1\u00a0ms")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("delay-sweep  /  dasgd  τ\u00a04  d\u00a03  ξ\u00a00.25  ·  seed 2")), nullptr);
    EXPECT_NE(label(QStringLiteral("4 ranks · gloo")), nullptr);
    EXPECT_NE(label(QStringLiteral("epoch 1.5 of 1.5")), nullptr);
    EXPECT_NE(label(QStringLiteral("hidden")), nullptr);
}

TEST_F(RunPageTest, TheKeyFiguresAreThoseOfTheStore) {
    const QString id = workspace_.record({.steps = 100});
    open();
    ASSERT_TRUE(eventually([&] {
        return figure(QStringLiteral("test accuracy")) != kAbsent && figure(QStringLiteral("train loss")) != kAbsent;
    }));
    const storage::RunRow row = storage::RunReader::open(workspace_.path())->run(id.toStdString())->row;
    EXPECT_EQ(figure(QStringLiteral("hidden")), percent(row.hidden) + QStringLiteral("\u00a0%"));
    EXPECT_EQ(figure(QStringLiteral("sent per rank")), bytesInWords(static_cast<double>(row.bytesSent) / 4).text());
    EXPECT_EQ(figure(QStringLiteral("blocked")), shortNumber(*row.blockedS * 10, 2) + QStringLiteral("\u00a0ms/step"));
    EXPECT_EQ(figure(QStringLiteral("samples/s")), grouped(std::llround(*row.samplesPerS)));
    EXPECT_EQ(figure(QStringLiteral("test accuracy")), percent(*row.bestAccuracy) + QStringLiteral("\u00a0%"));
}

TEST_F(RunPageTest, ARunThatCommunicatesNothingHasNoHiddenPart) {
    workspace_.record({.algorithm = "independent", .steps = 20, .emulated = false});
    open();
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("nothing was transferred")) != nullptr; }));
    EXPECT_EQ(figure(QStringLiteral("hidden")), kAbsent);
    EXPECT_EQ(label(QStringLiteral("emulated")), nullptr);
}

TEST_F(RunPageTest, TheTimelineMovesTheBandOfTheCurves) {
    workspace_.record({.steps = 100});
    open();
    auto* timeline = window_->findChild<TimelineWidget*>();
    ASSERT_TRUE(eventually([&] { return timeline->frame()->spans > 0; }));
    QTest::keyClick(timeline, Qt::Key_0);
    const TimeRange all = window_->session().selection().window();
    EXPECT_EQ(all.end, window_->session().pulse().extent.end);
    ASSERT_TRUE(eventually([&] { return timeline->frame()->range.end >= all.end && timeline->frame()->spans > 1000; }));
}

TEST_F(RunPageTest, OnlyALiveRunCanBeStopped) {
    test::SyntheticRun run(workspace_.store(), {.steps = 10});
    run.train(5);
    open();
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Stop")) != nullptr; }));
    run.finish();
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Stop")) == nullptr; }));
    EXPECT_NE(button<QPushButton>(QStringLiteral("Compare")), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
