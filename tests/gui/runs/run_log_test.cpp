#include "gui/runs/run_log.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/rank_logs.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RunLogTest : public SessionBench {
protected:
    void SetUp() override {
        look();
        writeLog(workspace_.path(), id_, QStringLiteral("rank-0.log"), "of the watched run\n");
        writeLog(workspace_.path(), other_, QStringLiteral("rank-0.log"), "of the run in the drawer\n");
    }
    [[nodiscard]] static QString textOf(const RunLog& log) { return log.findChild<LogView*>()->text(); }
};

TEST_F(RunLogTest, ShowsItsRunWhicheverIsWatchedAndLeadsToIt) {
    RunLog log(feed_);
    EXPECT_FALSE(log.isVisible());
    log.setRun(other_);
    ASSERT_EQ(session_.currentId(), id_);
    ASSERT_TRUE(eventually([&] { return textOf(log) == QStringLiteral("of the run in the drawer\n"); }));
    const QSignalSpy opened(&log, &RunLog::opened);
    QTest::mouseClick(log.findChild<QToolButton*>(), Qt::LeftButton);
    ASSERT_EQ(opened.count(), 1);
    EXPECT_EQ(opened[0][0].toString(), other_);
    EXPECT_EQ(session_.currentId(), id_) << "whoever hears it decides";
}

TEST_F(RunLogTest, IsThereAgainAfterItWasHidden) {
    RunLog log(feed_);
    log.setRun(other_);
    ASSERT_TRUE(eventually([&] { return !textOf(log).isEmpty(); }));
    log.hide();
    log.setRun(id_);
    EXPECT_TRUE(log.isVisible());
    ASSERT_TRUE(eventually([&] { return textOf(log) == QStringLiteral("of the watched run\n"); }));
    log.setRun({});
    EXPECT_FALSE(log.isVisible());
    EXPECT_EQ(textOf(log), QString());
}

}  // namespace
}  // namespace dasgd::gui
