#include <gtest/gtest.h>

#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

#include "gui/experiment/experiment_header.h"
#include "gui/kit/parts/parts.h"
#include "tests/gui/support/experiment_bench.h"

namespace dasgd::gui {
namespace {

using ExperimentPageTest = ExperimentBench;

TEST_F(ExperimentPageTest, BeginsWithAnExperimentThatRuns) {
    openPage();
    EXPECT_TRUE(text()->toPlainText().contains(QLatin1String("name = \"first-light\"")));
    ASSERT_TRUE(isAnswered());
    EXPECT_NE(button<QPushButton>(QStringLiteral("Run 3 and watch")), nullptr);
    EXPECT_FALSE(hasRun());
}

TEST_F(ExperimentPageTest, AnEmptiedPageSaysHowToBegin) {
    openPage();
    text()->selectAll();
    QTest::keyClick(text(), Qt::Key_Delete);
    window_->open("Runs");
    window_->open("Experiment");
    EXPECT_NE(label(QStringLiteral("New experiment")), nullptr) << "it is not filled again";
    EXPECT_NE(label(QStringLiteral("it fills this page and starts nothing")), nullptr);
    QTest::keyClick(window_.get(), Qt::Key_Return, Qt::ControlModifier);
    EXPECT_NE(label(QStringLiteral("There is no experiment yet")), nullptr) << "Run is never greyed";
}

TEST_F(ExperimentPageTest, APresetFillsFormAndTextAndStartsNothing) {
    openPage();
    choosePreset(QStringLiteral("delay-sweep"));
    EXPECT_TRUE(text()->toPlainText().contains(QLatin1String("name = \"delay-sweep\"")));
    EXPECT_EQ(field("algorithm.delay")->text(), QStringLiteral("3"));
    EXPECT_EQ(field("optimizer.momentum")->text(), QStringLiteral("0.9"));
    const auto marked = list()->model()->match(list()->model()->index(0, 0), StartList::ShownRole, true, -1);
    ASSERT_EQ(marked.size(), 1);
    EXPECT_EQ(marked[0].data().toString(), QStringLiteral("delay-sweep"));
    ASSERT_TRUE(isAnswered());
    EXPECT_NE(label(QStringLiteral("3 runs · 2 workers over gloo")), nullptr);
    EXPECT_NE(button<QPushButton>(QStringLiteral("Run 3")), nullptr);
    EXPECT_EQ(plannedRuns()->count(), 3);
    EXPECT_FALSE(hasRun());
}

TEST_F(ExperimentPageTest, FormAndTextStayInStep) {
    openPage();
    choosePreset(QStringLiteral("delay-sweep"));
    EXPECT_FALSE(text()->document()->isUndoAvailable()) << "it would lead into what was there before";
    const QString before = text()->toPlainText();
    field("algorithm.delay")->setFocus();
    field("algorithm.delay")->selectAll();
    QTest::keyClicks(field("algorithm.delay"), QStringLiteral("2"));
    EXPECT_EQ(text()->toPlainText(), QString(before).replace("delay = 3\n", "delay = 2\n"));
    EXPECT_EQ(text()->litLine(), window_->draft().document().lineOf("algorithm.delay"));
    QTest::keyClick(field("algorithm.delay"), Qt::Key_Backspace);
    EXPECT_FALSE(window_->draft().document().value("algorithm.delay")) << "an empty field is left to its default";
    text()->setFocus();
    text()->undo();
    text()->undo();
    EXPECT_EQ(text()->toPlainText(), before);
    EXPECT_EQ(field("algorithm.delay")->text(), QStringLiteral("3"));
    text()->replaceText(QString(before).replace("momentum = 0.9", "momentum = 0.5"));
    EXPECT_EQ(field("optimizer.momentum")->text(), QStringLiteral("0.5"));
}

// Text with fields of the small schema, one of which the program blames.
const QString kWrong = QStringLiteral(
    "name = \"known\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 9\n[optimizer]\nmomentum = 0.9\n");

TEST_F(ExperimentPageTest, AnErrorStandsAtItsFieldItsLineAndInTheHeaderAndRunGoesToIt) {
    openPage();
    text()->replaceText(kWrong);
    text()->setFocus();
    ASSERT_TRUE(isAnswered());
    EXPECT_NE(button<QToolButton>(QStringLiteral("1 error")), nullptr);
    const int line = window_->draft().document().lineOf("algorithm.delay");
    EXPECT_EQ(text()->errorLine(), line);
    EXPECT_NE(label(QStringLiteral("algorithm.delay, line %1").arg(line)), nullptr);
    EXPECT_TRUE(form()->rowOf("algorithm.delay")->hasProblem());
    auto* run = button<QPushButton>(QStringLiteral("▸  Run"));
    ASSERT_NE(run, nullptr);
    EXPECT_TRUE(run->isEnabled());
    QTest::mouseClick(run, Qt::LeftButton);
    EXPECT_TRUE(field("algorithm.delay")->hasFocus());
    EXPECT_FALSE(hasRun());
    text()->setFocus();
    QTest::keyClick(window_.get(), Qt::Key_F8);
    EXPECT_TRUE(field("algorithm.delay")->hasFocus());
    QTest::keyClicks(field("algorithm.delay"), QStringLiteral("1"));
    EXPECT_EQ(text()->errorLine(), 0) << "what was said of another text is gone at once";
}

TEST_F(ExperimentPageTest, AllErrorsAreShownAndF8GoesFromOneToTheNext) {
    openPage();
    text()->replaceText(QString(kWrong).replace("momentum = 0.9", "momentum = 9.0"));
    text()->setFocus();
    ASSERT_TRUE(isAnswered());
    EXPECT_NE(button<QToolButton>(QStringLiteral("2 errors")), nullptr);
    EXPECT_TRUE(form()->rowOf("algorithm.delay")->hasProblem());
    EXPECT_TRUE(form()->rowOf("optimizer.momentum")->hasProblem());
    EXPECT_NE(label(QStringLiteral("algorithm.delay, optimizer.momentum")), nullptr);
    for (const char* key : {"algorithm.delay", "optimizer.momentum", "algorithm.delay"}) {
        QTest::keyClick(window_.get(), Qt::Key_F8);
        EXPECT_TRUE(field(key)->hasFocus()) << key;
    }
}

TEST_F(ExperimentPageTest, ASyntaxErrorIsSaidAtOnceAndKeepsTheForm) {
    openPage();
    choosePreset(QStringLiteral("delay-sweep"));
    text()->replaceText(text()->toPlainText().replace("delay = 3\n", "delay = = 3\n"));
    EXPECT_GT(text()->errorLine(), 0);
    EXPECT_NE(label(QStringLiteral("the form waits for the text")), nullptr);
    QTest::keyClick(window_.get(), Qt::Key_F8);
    EXPECT_TRUE(text()->hasFocus());
    EXPECT_EQ(text()->cursorLine(), text()->errorLine());
}

TEST_F(ExperimentPageTest, RunWritesTheTextAndOpensTheRunPage) {
    openPage();
    choosePreset(QStringLiteral("delay-sweep"));
    QTest::keyClick(window_.get(), Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(eventually([&] { return hasRun() && !list()->isVisible(); }));
    QFile file(QString::fromStdString((workspace_.path() / "experiments/delay-sweep.toml").string()));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(QString::fromUtf8(file.readAll()), text()->toPlainText());
    EXPECT_TRUE(window_->session().followsNewest());
}

TEST_F(ExperimentPageTest, AnExperimentThatIsStartedIsShown) {
    const QString old = workspace_.record({.steps = 8});
    openPage();
    ASSERT_TRUE(eventually([&] { return window_->session().currentId() == old; }));
    window_->session().choose(old);
    ASSERT_FALSE(window_->session().followsNewest());
    choosePreset(QStringLiteral("delay-sweep"));
    QTest::mouseClick(button<QPushButton>(QStringLiteral("▸  Run")), Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return hasRun() && !list()->isVisible(); }));
    // The run that the program would begin.
    test::SyntheticRun run(workspace_.store(), {.algorithm = "sync_sgd", .steps = 8});
    run.train(4);
    ASSERT_TRUE(eventually([&] { return window_->session().currentId() == QString::fromStdString(run.id()); }));
    run.finish();
}

TEST_F(ExperimentPageTest, OneThatIsQueuedIsLeftToItsTurnAndThePageStays) {
    openPage();
    choosePreset(QStringLiteral("delay-sweep"));
    QTest::keyClick(window_.get(), Qt::Key_Return, Qt::ControlModifier | Qt::ShiftModifier);
    ASSERT_TRUE(eventually([&] { return hasRun() && label(QStringLiteral("Queued delay-sweep")) != nullptr; }));
    EXPECT_TRUE(list()->isVisible());
    QFile file(folder_.filePath(QStringLiteral("ran")));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("/experiments/delay-sweep.toml --work --workspace"));
}

TEST_F(ExperimentPageTest, ACopyTakesTheNextNameThatNoExperimentHas) {
    workspace_.record({.experiment = "delay-sweep-2", .steps = 8});
    openPage();
    ASSERT_TRUE(eventually([&] { return window_->session().runs().rowCount() == 1; }));
    choosePreset(QStringLiteral("delay-sweep"));
    const QString before = text()->toPlainText();
    button<QToolButton>(QStringLiteral("duplicate"))->click();
    EXPECT_EQ(text()->toPlainText(), QString(before).replace("name = \"delay-sweep\"", "name = \"delay-sweep-3\""));
    EXPECT_NE(label(QStringLiteral("not saved")), nullptr);
    QTest::keyClick(window_.get(), Qt::Key_D, Qt::ControlModifier);
    EXPECT_EQ(window_->draft().title(), QStringLiteral("delay-sweep-4"));
    EXPECT_FALSE(hasRun());
}

TEST_F(ExperimentPageTest, AFileThatIsDroppedIsOpenedWhereverItFalls) {
    openPage();
    QWidget* page = window_->findChild<ExperimentHeader*>()->parentWidget();
    ASSERT_TRUE(page->acceptDrops());
    int number = 0;
    for (QWidget* target : {page, text()->viewport()}) {
        const QString name = QStringLiteral("dropped-%1").arg(++number);
        const QString content = QStringLiteral("name = \"%1\"\n[algorithm]\nname = \"dasgd\"\ndelay = 3\n").arg(name);
        QFile file(folder_.filePath(name + QStringLiteral(".toml")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content.toUtf8());
        file.close();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file.fileName())});
        QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(target, &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent dropped(QPointF(9, 9), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(target, &dropped);
        ASSERT_TRUE(eventually([&] { return text()->toPlainText() == content; })) << name.toStdString();
        EXPECT_EQ(field("algorithm.delay")->text(), QStringLiteral("3"));
        EXPECT_TRUE(window_->draft().isSaved()) << "it is in its file";
    }
    EXPECT_FALSE(hasRun());
}

TEST_F(ExperimentPageTest, AFileThatIsDroppedOnAnotherPageOpensThisOne) {
    openPage();
    window_->open("Runs");
    ASSERT_FALSE(text()->isVisible());
    const auto offers = [&](const QString& name) {
        QFile file(folder_.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write("name = \"dropped\"\n") > 0);
        file.close();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file.fileName())});
        QDragEnterEvent enter(QPoint(9, 9), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(window_.get(), &enter);
        if (!enter.isAccepted()) return false;
        QDropEvent dropped(QPointF(9, 9), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(window_.get(), &dropped);
        return true;
    };
    EXPECT_FALSE(offers(QStringLiteral("picture.png"))) << "that is no experiment";
    EXPECT_FALSE(text()->isVisible());
    EXPECT_TRUE(offers(QStringLiteral("dropped.toml")));
    EXPECT_TRUE(text()->isVisible());
    EXPECT_TRUE(eventually([&] { return window_->draft().title() == QStringLiteral("dropped"); }));
    EXPECT_EQ(window_->draft().file(), folder_.filePath(QStringLiteral("dropped.toml")));
}

TEST_F(ExperimentPageTest, SameAgainFillsThePageFromTheRun) {
    workspace_.record({.delay = 2, .steps = 8});
    openPage();
    window_->open("Runs");
    QTableView* table = runsTable();
    ASSERT_TRUE(eventually([&] { return table->model()->rowCount() == 1; }));
    table->selectRow(0);
    emit table->customContextMenuRequested({5, 5});
    for (auto* menu : window_->findChildren<QMenu*>()) {
        for (QAction* action : menu->actions()) {
            if (action->text().startsWith(QStringLiteral("Same again"))) action->trigger();
        }
        menu->close();
    }
    ASSERT_TRUE(eventually([&] { return text()->isVisible() && !text()->toPlainText().isEmpty(); }));
    EXPECT_FALSE(table->isVisible());
    EXPECT_EQ(window_->draft().title(),
              QString::fromStdString(window_->session().runs().items().front()->row.experiment));
    EXPECT_EQ(field("algorithm.delay")->text(), QStringLiteral("2"));
    EXPECT_FALSE(window_->draft().document().syntaxError());
    EXPECT_FALSE(hasRun()) << "it only fills the page";
}

TEST_F(ExperimentPageTest, WhatWasBegunBeforeThePageWasOpenStandsOnIt) {
    workspace_.record({.delay = 2, .steps = 8});
    openPage();
    window_->draft().setText(QStringLiteral("name = \"unfinished\"\n"));
    window_.reset();
    open(folder_.filePath(QStringLiteral("dasgd")));
    ExperimentDraft& draft = window_->draft();
    ASSERT_TRUE(eventually([&] { return window_->session().runs().rowCount() == 1; }));
    draft.loadSchema();
    ASSERT_TRUE(eventually([&] { return draft.schema().isKnown() && !draft.unsaved().kept().empty(); }));
    draft.take(startFrom(*window_->session().runs().items().front(), workspace_.path()));
    ASSERT_TRUE(isAnswered());
    ASSERT_EQ(text(), nullptr) << "nobody was on the page";
    window_->open("Experiment");
    EXPECT_EQ(text()->toPlainText(), draft.document().text());
    EXPECT_FALSE(text()->document()->isUndoAvailable()) << "there is nothing to go back to";
    EXPECT_EQ(field("algorithm.delay")->text(), QStringLiteral("2"));
    EXPECT_EQ(plannedRuns()->count(), 3) << "as it was checked";
    QStringList starts;
    for (int row = 0; row < list()->model()->rowCount(); ++row) {
        starts << list()->model()->index(row, 0).data().toString();
    }
    EXPECT_TRUE(starts.contains(QStringLiteral("unfinished"))) << starts.join(u',').toStdString();
}

TEST_F(ExperimentPageTest, ADelayIsSetOnlyWhereItIsTheOneOfAllRunsAndOfThisText) {
    openPage();
    const QString once = QStringLiteral("name = \"x\"\n[algorithm]\nname = \"dasgd\"\nperiod = 8\ndelay = 1\n");
    const auto set = [this] { return button<QPushButton>(QStringLiteral("Set d = ")); };
    ASSERT_TRUE(isAnswered());
    text()->replaceText(once);
    ASSERT_TRUE(isAnswered());
    ASSERT_NE(set(), nullptr);
    EXPECT_TRUE(set()->isEnabled());
    text()->replaceText(once + QStringLiteral("\n# more\n"));
    ASSERT_NE(set(), nullptr);
    EXPECT_FALSE(set()->isEnabled()) << "another text is being checked";
    ASSERT_TRUE(isAnswered());
    EXPECT_TRUE(set()->isEnabled());
    text()->replaceText(once + QStringLiteral("[[case]]\nname = \"a\"\nalgorithm.delay = 2\n"));
    ASSERT_TRUE(isAnswered());
    EXPECT_EQ(set(), nullptr) << "the case has a delay of its own";
}

TEST_F(ExperimentPageTest, ARecordedExperimentIsOfferedAgain) {
    const QString id = workspace_.record({.steps = 8});
    openPage();
    ASSERT_TRUE(eventually([&] { return window_->session().runs().rowCount() == 1; }));
    const QString experiment = QString::fromStdString(window_->session().runs().find(id)->row.experiment);
    ASSERT_TRUE(eventually([&] { return list()->model()->index(1, 0).data().toString() == experiment; }));
    choosePreset(experiment);
    EXPECT_EQ(window_->draft().document().syntaxError(), std::nullopt);
    EXPECT_FALSE(text()->toPlainText().isEmpty());
}

TEST_F(ExperimentPageTest, TheListFoldsInANarrowWindow) {
    openPage({1280, 720});
    const auto expectNothingOverlaps = [&](const char* when) {
        QCoreApplication::processEvents();
        QList<const Card*> cards;
        for (const auto* card : window_->findChildren<Card*>()) {
            if (card->isVisible()) cards << card;
        }
        EXPECT_GE(cards.size(), 4) << when;
        const auto placeOf = [&](const Card* card) {
            return QRect(card->mapTo(window_.get(), QPoint()), card->size());
        };
        // A window lower than 720 pixels scrolls.
        for (const Card* one : cards) {
            EXPECT_TRUE(placeOf(one).right() < window_->width()) << when;
            EXPECT_TRUE(window_->height() < 720 || placeOf(one).bottom() < window_->height()) << when;
            for (const Card* other : cards) {
                const bool within = one == other || one->isAncestorOf(other) || other->isAncestorOf(one);
                const QRect withGap = placeOf(one).adjusted(0, 0, kGap - 1, kGap - 1);
                EXPECT_TRUE(within || !withGap.intersects(placeOf(other))) << when;
            }
        }
    };
    text()->selectAll();
    QTest::keyClick(text(), Qt::Key_Delete);
    EXPECT_TRUE(list()->isVisible()) << "an empty page needs it";
    expectNothingOverlaps("empty");
    choosePreset(QStringLiteral("delay-sweep"));
    expectNothingOverlaps("folded");
    EXPECT_FALSE(list()->isVisible());
    window_->resize(960, 600);  // at 200 % of 1920
    expectNothingOverlaps("at 200 %");
    window_->resize(1280, 720);
    const QString right = text()->toPlainText();
    text()->replaceText(QString(right).replace("delay = 3\n", "delay = 9\n"));
    ASSERT_TRUE(eventually([&] { return window_->draft().check().problem().has_value(); }));
    expectNothingOverlaps("with an error below the text");
    text()->replaceText(right);
    ASSERT_TRUE(eventually([&] { return !window_->draft().check().problem(); }));
    auto* unfold = button<QToolButton>(QStringLiteral("Begin with"));
    ASSERT_NE(unfold, nullptr);
    unfold->click();
    EXPECT_TRUE(list()->isVisible());
    expectNothingOverlaps("unfolded");
    EXPECT_LE(window_->width(), 1280) << "everything has its place";
}

TEST_F(ExperimentPageTest, KeysGoFromCardToCard) {
    openPage();
    choosePreset(QStringLiteral("delay-sweep"));
    list()->setFocus();
    QTest::keyClick(window_.get(), Qt::Key_F6);
    EXPECT_TRUE(field("name")->hasFocus());
    QTest::keyClick(window_.get(), Qt::Key_F6);
    EXPECT_TRUE(text()->hasFocus());
}

TEST_F(ExperimentPageTest, WithoutTheProgramThePageSaysWhatToDo) {
    open(folder_.filePath(QStringLiteral("no-such")));
    window_->open("Experiment");
    ASSERT_TRUE(
        eventually([&] { return label(QStringLiteral("There is no form without the dasgd program")) != nullptr; }));
    EXPECT_NE(label(QStringLiteral("./lab build")), nullptr);
    choosePreset(QStringLiteral("delay-sweep"));
    EXPECT_FALSE(text()->toPlainText().isEmpty()) << "the text can be written all the same";
}

}  // namespace
}  // namespace dasgd::gui
