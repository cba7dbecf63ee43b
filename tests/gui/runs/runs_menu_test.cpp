// Actions of the Runs page on the runs of a row: by the menu under the pointer, by the drawer, for a whole group.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include "gui/run/log_card.h"
#include "gui/runs/model/run_list_model.h"
#include "gui/runs/run_log.h"
#include "tests/gui/support/rank_logs.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RunsMenu : public WindowBench {
protected:
    void openRuns(const QString& engine = {}) {
        open(engine);
        window_->open("Runs");
    }
    QTableView* table() { return runsTable(); }
    [[nodiscard]] int rows() { return table()->model()->rowCount(); }
    [[nodiscard]] QModelIndex rowOf(const QString& id) {
        for (int row = 0; row < rows(); ++row) {
            const QModelIndex cell = table()->model()->index(row, RunTableModel::Algorithm);
            if (cell.data(RunTableModel::IdRole).toString() == id) return cell;
        }
        return {};
    }
    // Alone, whichever keys the test has pressed before: a test's click of a key with Ctrl ends with Ctrl still said to
    // be held, and QTableView::selectRow() then toggles the row.
    void select(const QString& id) {
        table()->selectionModel()->setCurrentIndex(rowOf(id),
                                                   QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    }
    // The menu that a right click of the pointer on the row opens.
    QMenu* menuAt(const QString& id) {
        const QPoint at = table()->viewport()->mapTo(window_.get(), table()->visualRect(rowOf(id)).center());
        QTest::mouseClick(window_->windowHandle(), Qt::RightButton, {}, at);
        return qobject_cast<QMenu*>(QApplication::activePopupWidget());
    }
    // Carries out what the menu on the row calls `words`; false where it is not there or cannot be chosen.
    bool carryOut(const QString& id, const QString& words) {
        QMenu* menu = menuAt(id);
        if (!menu) return false;
        bool done = false;
        for (QAction* action : menu->actions()) {
            if (action->text().section(QLatin1Char('\t'), 0, 0) != words || !action->isEnabled()) continue;
            action->trigger();
            done = true;
            break;
        }
        menu->close();
        return done;
    }
    // Stand-in for `dasgd` that records its arguments.
    QString scribe() {
        const QString path = folder_.filePath(QStringLiteral("dasgd"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write("#!/bin/sh\necho \"$@\" >> '" + folder_.filePath(QStringLiteral("asked")).toUtf8() + "'\n");
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    [[nodiscard]] QString asked() {
        QFile file(folder_.filePath(QStringLiteral("asked")));
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }
    QTemporaryDir folder_;
};

TEST_F(RunsMenu, TheDrawerShowsTheLogOfItsRunAndLeadsToIt) {
    const QString first = workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    QTest::qWait(5);
    const QString second = workspace_.record({.steps = 8});
    writeLog(workspace_.path(), first, QStringLiteral("rank-0.log"), "of the first\n");
    writeLog(workspace_.path(), second, QStringLiteral("rank-0.log"), "of the second\n");
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2 && window_->session().currentId() == second; }));
    table()->setFocus();
    table()->selectAll();
    QTest::keyClick(table(), Qt::Key_I, Qt::ControlModifier);
    EXPECT_EQ(button<QToolButton>(QStringLiteral("Log on")), nullptr) << "of one run";
    select(first);
    auto* drawn = window_->findChild<RunLog*>()->findChild<LogView*>();
    ASSERT_TRUE(eventually([&] { return drawn->text() == QStringLiteral("of the first\n"); }));
    ASSERT_EQ(window_->session().currentId(), second) << "to look at the drawer opens no run";
    auto* log = button<QToolButton>(QStringLiteral("Log on"));
    ASSERT_NE(log, nullptr);
    QTest::mouseClick(log, Qt::LeftButton);
    EXPECT_EQ(window_->session().currentId(), first);
    EXPECT_FALSE(table()->isVisible());
    auto* card = window_->findChild<LogCard*>();
    EXPECT_TRUE(card->isVisible());
    ASSERT_TRUE(eventually([&] { return card->text() == QStringLiteral("of the first\n"); }));
}

TEST_F(RunsMenu, TheMenuIsOfTheRowUnderThePointer) {
    const QString first = workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    QTest::qWait(5);
    const QString second = workspace_.record({.steps = 8});
    openRuns();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    select(second);
    const auto notesOf = [&](const QString& id) { return window_->session().runs().find(id)->notes; };
    EXPECT_FALSE(carryOut(first, QStringLiteral("Compare"))) << "with what?";
    EXPECT_FALSE(carryOut(first, QStringLiteral("Stop"))) << "it has ended";
    ASSERT_TRUE(carryOut(first, QStringLiteral("Star")));
    ASSERT_TRUE(eventually([&] { return notesOf(first).starred; }));
    EXPECT_FALSE(notesOf(second).starred);
    ASSERT_TRUE(carryOut(first, QStringLiteral("Copy the run's id")));
    EXPECT_EQ(QGuiApplication::clipboard()->text(), first);
    ASSERT_TRUE(carryOut(first, QStringLiteral("Open")));
    EXPECT_EQ(window_->session().currentId(), first);
    window_->open("Runs");
    ASSERT_TRUE(carryOut(second, QStringLiteral("Archive")));
    ASSERT_TRUE(eventually([&] { return notesOf(second).archived; }));
    EXPECT_FALSE(notesOf(first).archived);
}

TEST_F(RunsMenu, TheMenuOfSeveralChosenRunsIsOfAllOfThem) {
    const QString first = workspace_.record({.seed = 1, .steps = 8});
    const QString second = workspace_.record({.seed = 2, .steps = 8});
    openRuns();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    table()->selectAll();
    EXPECT_FALSE(carryOut(first, QStringLiteral("Open"))) << "which of them?";
    ASSERT_TRUE(carryOut(first, QStringLiteral("Compare")));
    const QStringList compared = window_->session().comparison();
    EXPECT_EQ(QSet<QString>(compared.begin(), compared.end()), QSet<QString>({first, second}));
}

TEST_F(RunsMenu, StopFromTheMenuStopsTheRunOfTheRow) {
    test::SyntheticRun run(workspace_.store(), {.steps = 8}), other(workspace_.store(), {.seed = 2, .steps = 8});
    openRuns(scribe());
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    const QString id = QString::fromStdString(run.id());
    select(QString::fromStdString(other.id()));
    ASSERT_TRUE(carryOut(id, QStringLiteral("Stop")));
    ASSERT_TRUE(eventually([&] { return asked().contains(id); }));
    EXPECT_FALSE(asked().contains(QString::fromStdString(other.id())));
    run.finish();
    other.finish();
}

TEST_F(RunsMenu, RunsAreDeletedOnceTheQuestionIsAnswered) {
    const QString first = workspace_.record({.seed = 1, .steps = 8}),
                  second = workspace_.record({.seed = 2, .steps = 8});
    writeLog(workspace_.path(), first, QStringLiteral("rank-0.log"), std::string(2000, 'x').c_str());
    openRuns(scribe());
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    select(first);
    ASSERT_TRUE(carryOut(first, QStringLiteral("Delete for good …")));
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("for good, with")) != nullptr; }));
    const QString question = label(QStringLiteral("for good, with"))->text();
    EXPECT_TRUE(question.contains(first)) << question.toStdString();
    const auto bytes = storage::bytesOfFiles(workspace_.path() / "runs" / first.toStdString());
    EXPECT_GE(bytes, 2000U);
    EXPECT_TRUE(question.contains(bytesInWords(static_cast<double>(bytes)).text() +
                                  QStringLiteral(" of checkpoints, logs and artefacts")))
        << question.toStdString();
    EXPECT_EQ(asked(), QString()) << "nothing yet";
    select(second);
    EXPECT_EQ(label(QStringLiteral("for good, with")), nullptr) << "it was about another run";
    table()->selectAll();
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_Delete, Qt::ShiftModifier);
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Delete 2 runs for good")) != nullptr; }));
    button<QPushButton>(QStringLiteral("Delete 2 runs"))->click();
    ASSERT_TRUE(eventually([&] { return asked().startsWith(QStringLiteral("delete ")); }));
    EXPECT_TRUE(asked().contains(first) && asked().contains(second)) << asked().toStdString();
    EXPECT_EQ(label(QStringLiteral("Delete 2 runs for good")), nullptr);
}

TEST_F(RunsMenu, ARunThatIsUnderWayIsNotDeleted) {
    test::SyntheticRun live(workspace_.store(), {.steps = 8});
    openRuns(scribe());
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
    ASSERT_TRUE(eventually([&] { return rows() == 1; }));
    table()->selectAll();
    EXPECT_FALSE(carryOut(QString::fromStdString(live.id()), QStringLiteral("Delete for good …")));
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_Delete, Qt::ShiftModifier);
    EXPECT_NE(label(QStringLiteral("A run that is under way is not deleted: stop it first.")), nullptr);
    EXPECT_EQ(asked(), QString());
    live.finish();
}

TEST_F(RunsMenu, AGroupIsStoppedAsAWhole) {
    const QString ended = workspace_.record({.steps = 8});
    test::SyntheticRun first(workspace_.store(), {.steps = 8}), second(workspace_.store(), {.seed = 2, .steps = 8});
    test::SyntheticRun outside(workspace_.store(), {.algorithm = "sync_sgd", .steps = 8});
    openRuns(scribe());
    ASSERT_TRUE(eventually([&] { return rows() == 4; }));
    auto* groups = button<QToolButton>(QStringLiteral("by series"));
    ASSERT_NE(groups, nullptr);
    emit groups->menu()->aboutToShow();
    for (QAction* action : groups->menu()->actions()) {
        if (action->text() == QStringLiteral("algorithm")) action->trigger();
    }
    ASSERT_TRUE(eventually([&] { return rows() == 2; })) << "two groups, closed";
    const QAbstractItemModel& model = *table()->model();
    int group = 0;
    if (!model.index(group, 0).data(RunListModel::GroupTitleRole).toString().contains(QStringLiteral("dasgd")))
        group = 1;
    table()->selectionModel()->setCurrentIndex(model.index(group, 0),
                                               QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    auto* stop = button<QPushButton>(QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    ASSERT_TRUE(stop->isEnabled());
    QTest::mouseClick(stop, Qt::LeftButton);
    for (const auto* run : {&first, &second}) {
        ASSERT_TRUE(eventually([&] { return asked().contains(QString::fromStdString(run->id())); })) << run->id();
    }
    EXPECT_FALSE(asked().contains(QString::fromStdString(outside.id())));
    EXPECT_FALSE(asked().contains(ended)) << "what has ended is not asked to stop";
    for (auto* run : {&first, &second, &outside}) run->finish();
}

}  // namespace
}  // namespace dasgd::gui
