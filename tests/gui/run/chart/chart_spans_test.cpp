#include "gui/run/chart/chart_spans.h"

#include <gtest/gtest.h>

#include <QSettings>

#include "gui/run/chart/chart_card.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class ChartSpansTest : public SessionBench {
protected:
    void SetUp() override {
        QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("dasgd-lab"), QStringLiteral("dasgd-lab"))
            .clear();
    }
};

TEST_F(ChartSpansTest, HasTheStepsEpochsAndBytesOfTheRun) {
    look({.steps = 200});
    ChartSpans spans(session_);
    EXPECT_TRUE(spans.whole().empty());
    spans.want(kSpansBlocked);
    ASSERT_TRUE(eventually([&] { return spans.ranks().size() == 4; }));
    const SeriesPoint last = spans.whole().points().back();
    EXPECT_EQ(last.step, 200);
    EXPECT_NEAR(last.epoch, 2, 0.05);
    EXPECT_GT(last.bytesSent, 0);
    EXPECT_GE(last.value, 0);
    EXPECT_LE(last.value, 1);
    spans.want({});
    EXPECT_TRUE(spans.whole().empty());
}

TEST_F(ChartSpansTest, AChartDrawsThemOfThisRunAloneRankByRankToo) {
    look({.steps = 200});
    ChartCard card(ChartSpec{QStringLiteral("of a test"), "train/loss"}, session_, testLook());
    card.show();
    card.picker().choose(kSpansHidden, false);
    // The records arrive in several parts.
    ASSERT_TRUE(eventually([&] {
        const auto& curves = card.plot().curves();
        return curves.size() == 1 && !curves[0].line.x.empty() && curves[0].line.x.back() == 200;
    })) << "over steps";
    const Curve& all = card.plot().curves()[0];
    EXPECT_TRUE(all.name.endsWith(QStringLiteral("from spans"))) << all.name.toStdString();
    EXPECT_GT(all.line.y.back(), 1) << "in percent";
    EXPECT_LE(all.line.y.back(), 100);
    card.picker().choose(kSpansHidden, true);
    ASSERT_TRUE(eventually([&] { return card.plot().curves().size() == 4; }));
    EXPECT_EQ(card.plot().curves()[2].name, QStringLiteral("rank 2"));
    card.hide();
    EXPECT_TRUE(card.rankSeries().empty()) << "of a chart that is not seen nothing is read";
}

// The first window of a run that is timed ends after up to 256 steps.
TEST_F(ChartSpansTest, TheThroughputOfARunThatIsNotTimedYetIsThatOfItsSpans) {
    test::SyntheticRun run(workspace_.store(), {.steps = 100});
    run.train(4);  // its first record of throughput comes with the fifth step
    const QString id = QString::fromStdString(run.id());
    ASSERT_TRUE(eventually([&] { return session_.currentId() == id && session_.pulse().spans > 0; }));
    ChartCard card(ChartSpec{QStringLiteral("of a test"), "throughput/samples_per_s"}, session_, testLook());
    card.show();
    ASSERT_TRUE(eventually([&] { return card.plot().curves().size() == 1; }));
    EXPECT_TRUE(card.plot().curves()[0].name.endsWith(QStringLiteral("from spans")));
    EXPECT_GT(card.plot().curves()[0].line.y.back(), 0);
    run.train(100);
    run.finish();
    ASSERT_TRUE(eventually([&] {
        return !card.plot().curves().empty() && !card.plot().curves()[0].name.endsWith(QStringLiteral("from spans")) &&
               card.plot().curves()[0].line.x.size() > 10;
    })) << "recorded ones take its place";
}

}  // namespace
}  // namespace dasgd::gui
