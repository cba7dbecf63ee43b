#include <gtest/gtest.h>

#include <QFile>
#include <QListWidget>
#include <QTableWidget>

#include "gui/widgets/reports/job_form.h"
#include "gui/widgets/reports/report_view.h"
#include "tests/gui/support/session_bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const QByteArray kEngine =
    "[ \"$1\" = --version ] && { echo 9.9; exit; }\n"
    "[ \"$1\" = advise ] && echo '{\"facts\":{},\"advice\":{\"period\":4,\"delay\":2},\"forecast\":[{\"algorithm\":"
    "\"dasgd\",\"settings\":\"{ name = \\\"dasgd\\\", period = 4, delay = 2 }\",\"step_ms\":7,\"advised\":true,"
    "\"run_id\":\"a\"}]}' && exit\n"
    "[ \"$1\" = replay ] && { echo \"dasgd: run $2: there is no network; give one\" >&2; exit 2; }\n"
    "case \"$*\" in *--dry-run*) echo '{\"label\":\"\",\"steps\":8,\"workers\":2}';; *) echo '{\"run_id\":\"r\"}';; "
    "esac\n";

class ReportsPageTest : public WindowBench {
protected:
    void openWindow() {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(standInProgram(kEngine));
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        file.close();
        open(file.fileName());
        window_->draft().loadSchema();
        ASSERT_TRUE(eventually([&] { return window_->draft().hasSchema(); }));
    }
    QListWidget* list() {
        for (auto* one : window_->findChildren<QListWidget*>()) {
            if (one->accessibleName() == QStringLiteral("Reports")) return one;
        }
        return nullptr;
    }
    QTemporaryDir folder_;
};

TEST_F(ReportsPageTest, AnEmptyPageSaysWhereReportsComeFrom) {
    openWindow();
    window_->open("Reports");
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("No report yet")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("replay in the menu of a run")), nullptr);
}

TEST_F(ReportsPageTest, AdviceIsAskedForStartedShownAndTakenOver) {
    openWindow();
    window_->draft().setText(QStringLiteral("name = \"mine\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 1\n"));
    window_->reports().ask(
        {.kind = JobKind::Advise, .title = QStringLiteral("mine"), .text = window_->draft().document().text()});
    auto* form = window_->findChild<JobForm*>();
    ASSERT_TRUE(form->isVisible()) << "in the page, not over it";
    button<QPushButton>(QStringLiteral("Start"))->click();
    EXPECT_FALSE(form->isVisible());
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Set in experiment")) != nullptr; }));
    EXPECT_EQ(list()->count(), 1);
    EXPECT_TRUE(list()->item(0)->text().contains(QStringLiteral("Advice · finished")));
    button<QPushButton>(QStringLiteral("Set in experiment"))->click();
    EXPECT_EQ(window_->draft().document().valueText(QStringLiteral("algorithm.delay")), QStringLiteral("2"));
    EXPECT_NE(button<QToolButton>(QStringLiteral("Forecast of one round")), nullptr) << "on its page";
}

TEST_F(ReportsPageTest, AFailureIsSaidWithItsRemedyAndCanBeTriedAgain) {
    openWindow();
    window_->reports().start({.kind = JobKind::Replay, .title = QStringLiteral("r1"), .run = QStringLiteral("r1")});
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("there is no network; give one")) != nullptr; }));
    ASSERT_NE(button<QPushButton>(QStringLiteral("Again …")), nullptr);
    button<QPushButton>(QStringLiteral("Again …"))->click();
    auto* form = window_->findChild<JobForm*>();
    ASSERT_TRUE(form->isVisible());
    EXPECT_EQ(form->request().run, QStringLiteral("r1"));
    QTest::keyClick(form, Qt::Key_Escape);
    EXPECT_FALSE(form->isVisible());
}

TEST_F(ReportsPageTest, AReportIsDeletedByKeyAndBroughtBack) {
    openWindow();
    window_->reports().start({.kind = JobKind::Replay, .title = QStringLiteral("r1"), .run = QStringLiteral("r1")});
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("there is no network")) != nullptr; }));
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    list()->setFocus();
    QTest::keyClick(list(), Qt::Key_Delete, Qt::ControlModifier);
    EXPECT_EQ(list()->count(), 0);
    QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(list()->count(), 1);
}

}  // namespace
}  // namespace dasgd::gui
