#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTextDocument>
#include <QToolButton>

#include "gui/run/run_words.h"
#include "storage/notes/run_notes.h"
#include "storage/queue/queue.h"
#include "tests/gui/support/session_bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

class RunsPageTest : public WindowBench {
protected:
    void openRuns(const QString& engine = {}) {
        open(engine);
        window_->open("Runs");
    }
    QTableView* table() { return runsTable(); }
    QLineEdit* field() {
        for (auto* one : window_->findChildren<QLineEdit*>()) {
            if (one->accessibleName() == QStringLiteral("Filter runs")) return one;
        }
        return nullptr;
    }
    [[nodiscard]] int rows() { return table()->model()->rowCount(); }
};

TEST_F(RunsPageTest, AnEmptyWorkspaceSaysWhatToDo) {
    openRuns();
    EXPECT_NE(label(QStringLiteral("No runs yet")), nullptr);
    EXPECT_NE(label(QStringLiteral("dasgd run FILE.toml --workspace")), nullptr);
    EXPECT_FALSE(table()->isVisible());
}

TEST_F(RunsPageTest, RunsAppearByThemselvesNewestFirst) {
    openRuns();
    workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    QTest::qWait(5);
    const QString second = workspace_.record({.steps = 8});
    ASSERT_TRUE(eventually([&] { return rows() == 2 && table()->isVisible(); }));
    EXPECT_EQ(table()->model()->index(0, 0).data(RunTableModel::IdRole).toString(), second);
    EXPECT_NE(label(QStringLiteral("2 runs")), nullptr);
}

// The bar counts what may start, the table has a row for each that waits for anything.
TEST_F(RunsPageTest, TheHeadCountsWhatIsQueuedAsTheBarBelowItDoes) {
    for (const char* id : {"a", "b", "c"}) {
        storage::RunInfo info{.runId = id, .experiment = "e", .algorithm = "dasgd", .backend = "gloo"};
        info.queueEntry.emplace();
        ASSERT_TRUE(workspace_.store().addRun(info));
    }
    auto queue = storage::QueueStore::open(workspace_.path()).value();
    ASSERT_TRUE(queue.setHeld({"b"}, true));
    openRuns();
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("3 runs  ·  2 queued  ·  1 held")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("2 runs are queued")), nullptr);
}

TEST(CountsInWords, WhatASweepStartsByItselfIsNotInTheQueue) {
    storage::RunRow row = makeRun("sweep", "dasgd")->row;
    row.status = "queued";
    row.queueTurn = 2;
    storage::RunRow there = row, entry = row;
    there.origin = "ssh://login/lab";
    entry.inQueue = true;
    const std::vector<RunItemPtr> runs{makeRunItem(row), makeRunItem(there), makeRunItem(entry),
                                       makeRun("r", "dasgd", "", 1, "running")};
    EXPECT_EQ(countsInWords(runs, {.waiting = 1}).join(u'|'),
              QStringLiteral("4 runs|1 running|1 queued|1 queued elsewhere|1 to come of sweeps that run"));
    EXPECT_EQ(countsInWords({runs.back()}, {}).join(u'|'), QStringLiteral("1 run|1 running"));
}

TEST_F(RunsPageTest, TheTableAsItStandsBecomesANewCsvFile) {
    workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    const QString shown = workspace_.record({.steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    QTest::keyClicks(field(), QStringLiteral("dasgd"));
    ASSERT_EQ(rows(), 1);
    table()->setColumnHidden(RunTableModel::Backend, true);
    table()->setFocus();
    QTest::keyClick(table(), Qt::Key_E, Qt::ControlModifier | Qt::AltModifier);
    QFile file(QString::fromStdString((workspace_.path() / "tables" / "runs.csv").string()));
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Written: ")) != nullptr; }));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QStringList lines = QString::fromUtf8(file.readAll()).trimmed().split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 2) << "the filter counts";
    EXPECT_FALSE(lines[0].contains(RunTableModel::nameOf(RunTableModel::Backend))) << lines[0].toStdString();
    EXPECT_TRUE(lines[0].contains(RunTableModel::nameOf(RunTableModel::Algorithm)));
    EXPECT_TRUE(lines[1].endsWith(QLatin1Char('"') + shown + QLatin1Char('"')));
    EXPECT_EQ(lines[0].count(QLatin1Char(',')), lines[1].count(QLatin1Char(',')));
}

TEST_F(RunsPageTest, TheFilterNarrowsAndSaysSo) {
    workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    workspace_.record({.steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    QTest::keyClicks(field(), QStringLiteral("sync"));
    EXPECT_EQ(rows(), 1);
    EXPECT_NE(label(QStringLiteral("1 shown")), nullptr);
    QTest::keyClicks(field(), QStringLiteral(" nothing"));
    EXPECT_NE(label(QStringLiteral("No run matches the filter")), nullptr);
}

TEST_F(RunsPageTest, AnErrorInTheFilterIsSaidUnderItAndTheRowsStay) {
    workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    workspace_.record({.delay = 3, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    QTest::keyClicks(field(), QStringLiteral("delay = 3"));
    EXPECT_EQ(rows(), 1);
    QTest::keyClicks(field(), QStringLiteral(" and"));
    EXPECT_EQ(rows(), 1);
    EXPECT_NE(label(QStringLiteral("Filter, at the end: expected a word")), nullptr);
    field()->setText(QStringLiteral("dellay = 3"));
    EXPECT_EQ(rows(), 1);
    EXPECT_NE(label(QStringLiteral("at character 1: no run has a field “dellay”; near it: algorithm.delay")), nullptr);
    field()->setText(QStringLiteral("delay = 3"));
    EXPECT_EQ(label(QStringLiteral("Filter, at")), nullptr);
}

TEST_F(RunsPageTest, CompareAndStopKnowWhatIsLeftOfTheSelection) {
    workspace_.record({.seed = 1, .steps = 8});
    workspace_.record({.seed = 2, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    table()->selectAll();
    auto* compare = button<QPushButton>(QStringLiteral("Compare"));
    ASSERT_TRUE(compare->isEnabled());
    field()->setText(QStringLiteral("seed = 1"));
    EXPECT_EQ(table()->selectionModel()->selectedRows().size(), 1);
    EXPECT_FALSE(compare->isEnabled());
}

TEST_F(RunsPageTest, ColumnsAreChosenFromTheButton) {
    workspace_.record({.delay = 3, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 1; }));
    auto* columns = button<QToolButton>(QStringLiteral("columns"));
    ASSERT_NE(columns, nullptr);
    emit columns->menu()->aboutToShow();
    QAction* wall = nullptr;
    for (QAction* action : columns->menu()->actions()) {
        if (action->text() == QStringLiteral("wall")) wall = action;
    }
    ASSERT_NE(wall, nullptr);
    ASSERT_TRUE(wall->isChecked());
    wall->trigger();
    EXPECT_TRUE(table()->isColumnHidden(RunTableModel::Wall));
    emit columns->menu()->aboutToShow();
    for (QAction* action : columns->menu()->actions()) {
        if (action->text() == QStringLiteral("Reset")) action->trigger();
    }
    EXPECT_FALSE(table()->isColumnHidden(RunTableModel::Wall));
}

TEST_F(RunsPageTest, TheListIsAsItWasLeftInItsWorkspace) {
    workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    workspace_.record({.delay = 3, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    table()->sortByColumn(RunTableModel::Algorithm, Qt::AscendingOrder);
    QTest::keyClicks(field(), QStringLiteral("algorithm.delay = 3"));
    ASSERT_EQ(rows(), 1);
    window_.reset();
    openRuns();
    EXPECT_EQ(field()->text(), QStringLiteral("algorithm.delay = 3"));
    ASSERT_TRUE(eventually([&] { return rows() == 1; }));
    EXPECT_NE(label(QStringLiteral("1 shown")), nullptr);
    EXPECT_EQ(label(QStringLiteral("Filter, at")), nullptr) << "the run that has the field was read since";
    EXPECT_EQ(table()->horizontalHeader()->sortIndicatorSection(), RunTableModel::Algorithm);
    window_.reset();
    const Workspace other;
    window_ = std::make_unique<MainWindow>(other.path(), testLook());
    window_->open("Runs");
    EXPECT_EQ(field()->text(), QString());
    window_.reset();
}

TEST_F(RunsPageTest, EnterOpensTheRunOfTheRow) {
    const QString first = workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    QTest::qWait(5);
    workspace_.record({.steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    table()->setFocus();
    table()->selectRow(1);
    table()->setCurrentIndex(table()->model()->index(1, 0));
    QTest::keyClick(table(), Qt::Key_Return);
    EXPECT_EQ(window_->session().currentId(), first);
    EXPECT_FALSE(table()->isVisible());
}

TEST_F(RunsPageTest, TheMenuOpensTheChosenRunWhicheverIsCurrent) {
    const QString first = workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    QTest::qWait(5);
    workspace_.record({.steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    const auto openByMenu = [this] {
        emit table()->customContextMenuRequested({5, 5});
        for (auto* menu : window_->findChildren<QMenu*>()) {
            for (QAction* action : menu->actions()) {
                if (!menu->isVisible() || !action->text().startsWith(QStringLiteral("Open\t"))) continue;
                action->trigger();
                return menu->close();
            }
        }
        return false;
    };
    const QModelIndex chosen = table()->model()->index(1, 0);
    ASSERT_EQ(chosen.data(RunTableModel::IdRole).toString(), first);
    table()->selectionModel()->setCurrentIndex(table()->model()->index(0, 0), QItemSelectionModel::NoUpdate);
    table()->selectionModel()->select(chosen, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    ASSERT_TRUE(openByMenu());
    EXPECT_EQ(window_->session().currentId(), first);
    EXPECT_FALSE(table()->isVisible());
    window_->open("Runs");
    emit table()->activated({});
    EXPECT_TRUE(table()->isVisible()) << "no row, nothing to open";
}

TEST_F(RunsPageTest, SeveralRunsAreCompared) {
    workspace_.record({.seed = 1, .steps = 8});
    workspace_.record({.seed = 2, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    auto* compare = button<QPushButton>(QStringLiteral("Compare"));
    ASSERT_NE(compare, nullptr);
    EXPECT_FALSE(compare->isEnabled());
    table()->selectAll();
    ASSERT_TRUE(compare->isEnabled());
    QTest::mouseClick(compare, Qt::LeftButton);
    EXPECT_EQ(window_->session().comparison().size(), 2);
    EXPECT_NE(label(QStringLiteral("/  1 configuration")), nullptr) << "two seeds of one";
}

TEST_F(RunsPageTest, AMessageOfTheEngineIsShownInThePage) {
    test::SyntheticRun run(workspace_.store(), {.steps = 8});
    openRuns(QStringLiteral("/no/such/dasgd"));
    ASSERT_TRUE(eventually([&] { return rows() == 1; }));
    table()->selectAll();
    auto* stop = button<QPushButton>(QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    ASSERT_TRUE(stop->isEnabled());
    QTest::mouseClick(stop, Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("/no/such/dasgd")) != nullptr; }));
    run.finish();
}

TEST_F(RunsPageTest, ANewRunIsSetUpBeforeItIsStarted) {
    openRuns();
    QTest::mouseClick(button<QPushButton>(QStringLiteral("New run")), Qt::LeftButton);
    EXPECT_FALSE(table()->isVisible());
    EXPECT_NE(label(QStringLiteral("first-light")), nullptr);
}

TEST_F(RunsPageTest, AStarIsKeptShownAndTakenBack) {
    const QString id = workspace_.record({.steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 1; }));
    const auto star = [&] { return table()->model()->index(0, RunTableModel::Star); };
    QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(star()).center());
    ASSERT_TRUE(eventually([&] { return star().data().toString() == QStringLiteral("★"); }));
    storage::NotesReader notes(workspace_.path());
    ASSERT_TRUE(notes.refresh());
    EXPECT_TRUE(notes.notes().at(id.toStdString()).starred) << "it is on the disk";
    field()->setText(QStringLiteral("not starred"));
    EXPECT_EQ(rows(), 0);
    field()->setText(QStringLiteral("seed > 100 or starred"));
    EXPECT_EQ(rows(), 1);
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Ctrl+Z takes it back")) != nullptr; }));
    QTest::keyClick(table(), Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(eventually([&] { return rows() == 0; })) << "no run is starred";
}

TEST_F(RunsPageTest, ArchivedRunsAreNotShownButCountedAndFound) {
    workspace_.record({.seed = 1, .steps = 8});
    workspace_.record({.seed = 2, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    field()->setText(QStringLiteral("seed = 2"));
    table()->setFocus();
    table()->selectAll();
    QTest::keyClick(table(), Qt::Key_Delete);
    ASSERT_TRUE(eventually([&] { return rows() == 0; }));
    field()->clear();
    EXPECT_EQ(rows(), 1);
    EXPECT_NE(label(QStringLiteral("1 archived")), nullptr);
    field()->setText(QStringLiteral("archived"));
    ASSERT_EQ(rows(), 1);
    table()->selectAll();
    QTest::keyClick(table(), Qt::Key_Delete);
    ASSERT_TRUE(eventually([&] { return rows() == 0; })) << "restored";
    field()->clear();
    EXPECT_EQ(rows(), 2);
}

TEST_F(RunsPageTest, ARunThatIsUnderWayIsNotArchived) {
    test::SyntheticRun live(workspace_.store(), {.steps = 10});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 1; }));
    table()->setFocus();
    table()->selectAll();
    QTest::keyClick(table(), Qt::Key_Delete);
    EXPECT_NE(label(QStringLiteral("stop it first")), nullptr);
    EXPECT_EQ(rows(), 1);
}

TEST_F(RunsPageTest, TagsAndNotesAreTypedAtTheSide) {
    workspace_.record({.seed = 1, .steps = 8});
    const QString id = workspace_.record({.seed = 2, .delay = 3, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    field()->setText(QStringLiteral("seed = 2"));
    table()->setFocus();
    table()->selectAll();
    QTest::keyClick(table(), Qt::Key_G, Qt::ControlModifier);
    auto* tags = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    ASSERT_NE(tags, nullptr);
    QTest::keyClicks(tags, QStringLiteral("good fig3"));
    QTest::keyClick(tags, Qt::Key_Return);
    ASSERT_TRUE(eventually([&] {
        return table()->model()->index(0, RunTableModel::Tags).data().toString() == QStringLiteral("fig3  good");
    }));
    field()->setText(QStringLiteral("tag = fig3"));
    EXPECT_EQ(rows(), 1);
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("Where it comes from")) != nullptr; }));
    auto* note = window_->findChild<QPlainTextEdit*>(QStringLiteral("note"));
    ASSERT_NE(note, nullptr);
    QTest::keyClicks(note, QStringLiteral("diverged"));
    window_.reset();
    storage::NotesReader kept(workspace_.path());
    ASSERT_TRUE(kept.refresh());
    EXPECT_EQ(kept.notes().at(id.toStdString()).note, "diverged") << "also when the window closes at once";
}

TEST_F(RunsPageTest, SeveralRunsSayInWhatTheyDiffer) {
    workspace_.record({.delay = 2, .steps = 8});
    workspace_.record({.delay = 3, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    table()->setFocus();
    table()->selectAll();
    QTest::keyClick(table(), Qt::Key_I, Qt::ControlModifier);
    EXPECT_NE(label(QStringLiteral("Differences")), nullptr);
    const QLabel* differences = nullptr;
    for (const auto* one : window_->findChildren<QLabel*>()) {
        if (one->accessibleName() == QStringLiteral("Settings that differ")) differences = one;
    }
    ASSERT_NE(differences, nullptr);
    ASSERT_TRUE(differences->isVisible());
    QTextDocument shown;
    shown.setHtml(differences->text());
    const QStringList cells = shown.toPlainText().remove(QChar(0x200b)).split(u'\n', Qt::SkipEmptyParts);
    const qsizetype key = cells.indexOf(QStringLiteral("algorithm.delay"));
    ASSERT_TRUE(key >= 0 && key + 2 < cells.size()) << cells.join(u'|').toStdString();
    EXPECT_EQ(QSet<QString>({cells[key + 1], cells[key + 2]}),
              QSet<QString>({QStringLiteral("2"), QStringLiteral("3")}));
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("commit")) != nullptr; }));
}

TEST_F(RunsPageTest, WhereAFilterMayHideWhatWaitsThatIsSaid) {
    QTemporaryDir folder;
    QFile program(folder.filePath(QStringLiteral("dasgd")));
    ASSERT_TRUE(program.open(QIODevice::WriteOnly));
    program.write(
        standInProgram("case \"$*\" in *--dry-run*) echo '{\"label\":\"\",\"steps\":8,\"workers\":2}';; esac\n"));
    program.setPermissions(program.permissions() | QFile::ExeOwner);
    program.close();
    openRuns(program.fileName());
    const auto queue = [this] {
        window_->draft().setText(QStringLiteral("name = \"later\"\n"));
        window_->draft().run(Engine::Order::Queued);
    };
    queue();
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("wait their turn and are here")) != nullptr; }));
    field()->setText(QStringLiteral("status = finished"));
    queue();
    EXPECT_TRUE(eventually([&] { return label(QStringLiteral("the filter may hide them here")) != nullptr; }));
    field()->clear();
}

}  // namespace
}  // namespace dasgd::gui
