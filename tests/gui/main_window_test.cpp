#include "gui/main_window.h"

#include <gtest/gtest.h>

#include <QScrollArea>
#include <QToolButton>

#include "gui/widgets/rail.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class MainWindowTest : public WindowBench {};

TEST_F(MainWindowTest, TheRailHasThePagesThatThereAre) {
    open();
    QStringList titles;
    for (const RailButton* one : window_->findChildren<RailButton*>()) titles << one->text();
    EXPECT_EQ(titles, (QStringList{"Runs", "Run"}));
}

TEST_F(MainWindowTest, KeysChangeThePage) {
    open();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    auto* run = window_->findChild<QScrollArea*>(QStringLiteral("page"));
    ASSERT_NE(run, nullptr);
    EXPECT_TRUE(run->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_1, Qt::ControlModifier);
    EXPECT_FALSE(run->isVisible());
    QTest::keyClick(window_.get(), Qt::Key_2, Qt::ControlModifier);
    EXPECT_TRUE(run->isVisible());
}

TEST_F(MainWindowTest, TheStatusBarSaysHowFarBehindLiveIsAndHowMuchThereIs) {
    test::SyntheticRun run(workspace_.store(), {.steps = 200, .realTime = true});
    open();
    std::thread trainer([&run] { run.train(40); });
    const bool live = eventually([&] { return window_->statusText().contains(QLatin1String("ms behind")); });
    trainer.join();
    ASSERT_TRUE(live);
    EXPECT_TRUE(window_->statusText().contains(QLatin1String(" spans")));
    EXPECT_TRUE(window_->statusText().contains(QLatin1String("lab.db ")));
    run.finish();
    ASSERT_TRUE(eventually([&] { return window_->statusText().startsWith(QLatin1String("up to date")); }));
}

TEST_F(MainWindowTest, FollowingTheNewestCanBeTurnedOff) {
    workspace_.record({.steps = 8});
    open();
    auto* follow = button<QToolButton>(QStringLiteral("follows the newest run"));
    ASSERT_NE(follow, nullptr);
    follow->click();
    EXPECT_FALSE(window_->session().followsNewest());
    EXPECT_EQ(follow->text(), QStringLiteral("follow the newest run"));
}

TEST(MainWindow, AWorkspaceThatIsNotThereIsSaidInThePage) {
    MainWindow window("/no/such/workspace", testLook());
    window.show();
    ASSERT_TRUE(eventually([&] { return window.statusText().contains(QLatin1String("cannot be read")); }));
    bool said = false;
    for (const QLabel* label : window.findChildren<QLabel*>())
        said = said || label->text().contains(QLatin1String("/no/such/workspace"));
    EXPECT_TRUE(said);
}

}  // namespace
}  // namespace dasgd::gui
