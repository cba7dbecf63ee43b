#include <gtest/gtest.h>

#include <QFile>
#include <QListWidget>
#include <QToolButton>
#include <algorithm>

#include "gui/scaling/reports/job_action.h"
#include "gui/scaling/reports/job_form.h"
#include "gui/scaling/reports/report_view.h"
#include "tests/gui/support/session_bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

const QByteArray kReportingEngine =
    "[ \"$1\" = --version ] && { echo 9.9; exit; }\n"
    "[ \"$1\" = advise ] && printf '```toml\\n[algorithm]\\nname = \"dasgd\"\\nperiod = 4\\ndelay = 2\\n```\\n' && "
    "exit\n"
    "[ \"$1\" = replay ] && { echo \"dasgd: run $2: there is no network; give one\" >&2; exit 2; }\n"
    "case \"$*\" in *--dry-run*) echo '{\"label\":\"\",\"steps\":8,\"workers\":2}';; *) echo done;; esac\n";

class ReportsSideTest : public WindowBench {
protected:
    void openWindow() {
        QFile file(folder_.filePath(QStringLiteral("dasgd")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(standInProgram(kReportingEngine));
        file.setPermissions(file.permissions() | QFile::ExeOwner);
        file.close();
        open(file.fileName());
        window_->draft().loadSchema();
        ASSERT_TRUE(eventually([&] { return window_->draft().schema().isKnown(); }));
    }
    QListWidget* list() {
        for (auto* one : window_->findChildren<QListWidget*>()) {
            if (one->accessibleName() == QStringLiteral("Reports")) return one;
        }
        return nullptr;
    }
    void openReports() {
        window_->open("What if");
        if (QToolButton* side = button<QToolButton>(QStringLiteral("Reports"))) side->click();
    }
    // The context that menus of other pages and the palette have.
    std::unique_ptr<PageContext> contextOf() {
        engine_ = std::make_unique<Engine>(workspace_.path(), folder_.filePath(QStringLiteral("dasgd")));
        return std::make_unique<PageContext>(PageContext{window_->session(), *engine_, window_->draft(),
                                                         window_->figures(), window_->reports(), testLook(),
                                                         [this](const char* title) { window_->open(title); }});
    }
    QTemporaryDir folder_;
    std::unique_ptr<Engine> engine_;
};

TEST_F(ReportsSideTest, AnEmptyPageSaysWhereReportsComeFrom) {
    openWindow();
    openReports();
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("No report yet")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("replay in the menu of a run")), nullptr);
    window_->draft().setText(QStringLiteral("name = \"mine\"\n"));
    auto* scale = button<QToolButton>(QStringLiteral("Scale …"));
    ASSERT_NE(scale, nullptr);
    scale->setFocus();
    QTest::keyClick(scale, Qt::Key_Space);
    EXPECT_TRUE(window_->findChild<JobForm*>()->isVisible());
    EXPECT_EQ(label(QStringLiteral("No report yet")), nullptr) << "the form has its place";
}

TEST_F(ReportsSideTest, AdviceIsAskedForStartedShownAndTakenOver) {
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

TEST_F(ReportsSideTest, AdviceGoesIntoTheExperimentThatItWasAskedFor) {
    openWindow();
    ExperimentDraft& draft = window_->draft();
    draft.setText(QStringLiteral("name = \"mine\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 1\n"));
    window_->reports().start(
        {.kind = JobKind::Advise, .title = QStringLiteral("mine"), .text = draft.document().text()});
    ASSERT_TRUE(eventually([&] { return button<QPushButton>(QStringLiteral("Set in experiment")) != nullptr; }));
    const QString other = QStringLiteral("name = \"other\"\n[algorithm]\nname = \"dasgd\"\nperiod = 8\ndelay = 1\n");
    draft.setText(other);
    button<QPushButton>(QStringLiteral("Set in experiment"))->click();
    EXPECT_EQ(draft.title(), QStringLiteral("mine"));
    EXPECT_EQ(draft.document().valueText(QStringLiteral("algorithm.delay")), QStringLiteral("2"));
    ASSERT_EQ(draft.unsaved().kept().size(), 1U);
    EXPECT_EQ(draft.unsaved().kept().front().text, other);
    EXPECT_NE(label(QStringLiteral("in the place of other")), nullptr);
    openReports();
    button<QPushButton>(QStringLiteral("Set in experiment"))->click();
    EXPECT_EQ(draft.unsaved().kept().size(), 1U) << "again: the same experiment, which does not begin anew";
    EXPECT_EQ(draft.document().valueText(QStringLiteral("algorithm.delay")), QStringLiteral("2"));
}

TEST_F(ReportsSideTest, EveryKindOfJobOpensItsFormFromAnyPage) {
    openWindow();
    window_->draft().setText(QStringLiteral("name = \"mine\"\n"));
    const std::unique_ptr<PageContext> context = contextOf();
    ASSERT_EQ(window_->findChild<JobForm*>(), nullptr) << "nobody was on the page of the reports";
    JobForm* form = nullptr;
    for (const JobKind kind : {JobKind::Advise, JobKind::Scale, JobKind::Replay}) {
        window_->open("Run");
        if (kind == JobKind::Replay) {
            askReplay(*context, QStringLiteral("r1"));
        } else {
            askOfDraft(*context, kind);
        }
        form = window_->findChild<JobForm*>();
        ASSERT_NE(form, nullptr) << commandOf(kind).toStdString();
        ASSERT_TRUE(form->isVisible()) << commandOf(kind).toStdString();
        EXPECT_EQ(form->request().kind, kind);
        EXPECT_TRUE(problemOf(form->request()).isEmpty()) << "it can be started as it stands";
    }
    EXPECT_TRUE(window_->reports().reports().empty());
    askOfDraft(*context, JobKind::Calibrate);
    EXPECT_FALSE(form->isVisible()) << "it asks nothing";
    ASSERT_EQ(window_->reports().reports().size(), 1U);
}

TEST_F(ReportsSideTest, WhatIsMissingIsSeenWhereverItWasAskedFor) {
    openWindow();
    window_->draft().setText({});
    const std::unique_ptr<PageContext> context = contextOf();
    for (const JobKind kind : {JobKind::Calibrate, JobKind::Scale}) {
        window_->open("Runs");
        askOfDraft(*context, kind);
        MessageBar* seen = nullptr;
        for (auto* one : window_->findChildren<MessageBar*>()) seen = one->isVisible() ? one : seen;
        ASSERT_NE(seen, nullptr);
        EXPECT_TRUE(seen->text().contains(QStringLiteral("There is no experiment yet")));
    }
}

TEST_F(ReportsSideTest, AFailureIsSaidWithItsRemedyAndCanBeTriedAgain) {
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

TEST_F(ReportsSideTest, WhatFailedBeforeThePageWasOpenIsSaidOnIt) {
    openWindow();
    EXPECT_TRUE(window_->reports().start({.kind = JobKind::Calibrate}).isEmpty());
    ASSERT_EQ(list(), nullptr) << "it opens no page";
    openReports();
    EXPECT_NE(label(window_->reports().problem()), nullptr) << window_->reports().problem().toStdString();
    EXPECT_FALSE(window_->reports().problem().isEmpty());
}

TEST_F(ReportsSideTest, AJobThatEndedBeforeThePageWasOpenIsShownOnIt) {
    openWindow();
    window_->reports().start({.kind = JobKind::Replay, .title = QStringLiteral("r1"), .run = QStringLiteral("r1")});
    const auto ended = [this] {
        const std::vector<Report>& all = window_->reports().reports();
        return all.size() == 1 && all.front().state == ReportState::Failed;
    };
    ASSERT_TRUE(eventually(ended));
    window_.reset();
    openWindow();
    ASSERT_TRUE(eventually(ended)) << "the next window finds it";
    ASSERT_EQ(list(), nullptr);
    openReports();
    ASSERT_EQ(list()->count(), 1);
    EXPECT_TRUE(list()->item(0)->text().contains(QStringLiteral("failed"))) << list()->item(0)->text().toStdString();
    EXPECT_NE(label(QStringLiteral("there is no network; give one")), nullptr);
}

TEST_F(ReportsSideTest, AReportIsDeletedByKeyAndBroughtBack) {
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

TEST_F(ReportsSideTest, CtrlZBringsBackFromAnywhereOnThePageAndElseStays) {
    openWindow();
    for (const char* run : {"r1", "r2"}) {
        const QString id = QString::fromLatin1(run);
        window_->reports().start({.kind = JobKind::Replay, .title = id, .run = id});
    }
    ASSERT_EQ(list()->count(), 2);
    ASSERT_TRUE(eventually([&] {
        return std::ranges::all_of(window_->reports().reports(),
                                   [](const Report& one) { return one.state == ReportState::Failed; });
    }));
    ASSERT_TRUE(QTest::qWaitForWindowActive(window_.get()));
    list()->setFocus();
    list()->setCurrentRow(1);
    const QString older = list()->item(1)->data(Qt::UserRole).toString();
    QTest::keyClick(list(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(list()->currentRow(), 1) << "nothing was deleted: the same report is shown";
    EXPECT_NE(label(QStringLiteral("none to bring back")), nullptr);
    QTest::keyClick(list(), Qt::Key_Delete, Qt::ControlModifier);
    ASSERT_EQ(list()->count(), 1);
    auto* again = button<QPushButton>(QStringLiteral("Again …"));
    ASSERT_NE(again, nullptr);
    again->setFocus();
    ASSERT_TRUE(again->hasFocus());
    QTest::keyClick(again, Qt::Key_Z, Qt::ControlModifier);
    ASSERT_EQ(list()->count(), 2);
    ASSERT_NE(list()->currentItem(), nullptr);
    EXPECT_EQ(list()->currentItem()->data(Qt::UserRole).toString(), older);
}

}  // namespace
}  // namespace dasgd::gui
