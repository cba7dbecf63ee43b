#include "gui/run/queue_actions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QFile>
#include <QPushButton>
#include <algorithm>

#include "gui/window/command_palette.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunItemPtr waiting(const std::string& id, bool held) {
    storage::RunRow row = makeRun(id, "dasgd")->row;
    row.status = "queued";
    row.queueTurn = 1;
    row.held = held;
    return makeRunItem(row);
}

// Actions over a stand-in for `dasgd` that records its arguments.
class QueueActions : public ::testing::Test {
protected:
    QueueActions() : engine_(folder_.path().toStdString(), script()) {}
    QString script() {
        const QString path = folder_.filePath(QStringLiteral("dasgd"));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write(
            ("#!/bin/sh\necho \"$@\" > " + asked() + ".tmp && mv " + asked() + ".tmp " + asked() + "\n").toUtf8());
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    QString asked() { return folder_.filePath(QStringLiteral("asked")); }
    QString answer() {
        if (!eventually([&] { return QFile::exists(asked()); })) return QStringLiteral("nothing");
        QFile file(asked());
        if (!file.open(QIODevice::ReadOnly)) return QStringLiteral("nothing");
        const QString line = QString::fromUtf8(file.readAll()).trimmed();
        return line.section(QStringLiteral(" --workspace"), 0, 0);
    }
    static std::vector<std::string> wordsOf(const QMenu& menu) {
        std::vector<std::string> words;
        for (const QAction* action : menu.actions()) {
            if (!action->isSeparator()) words.push_back(action->text().section(QLatin1Char('\t'), 0, 0).toStdString());
        }
        return words;
    }
    QTemporaryDir folder_;
    Engine engine_;
};

TEST_F(QueueActions, OnlyWhatWaitsCanBeHeldOrMoved) {
    QMenu menu;
    addQueueMenu(menu, engine_, {makeRun("r", "dasgd")});
    EXPECT_THAT(wordsOf(menu), IsEmpty());
    addQueueMenu(menu, engine_, {makeRun("r", "dasgd"), waiting("a", true), waiting("b", false)});
    EXPECT_THAT(wordsOf(menu),
                ElementsAre("Pause: hold, do not start", "Start first", "Earlier", "Later", "Start last"));
    menu.actions().at(1)->trigger();
    EXPECT_EQ(answer(), QStringLiteral("queue hold a b"));
}

RunItemPtr endedAs(const std::string& id, const std::string& status, bool hasCheckpoint = true) {
    storage::RunRow row = makeRun(id, "dasgd")->row;
    row.status = status;
    return RunItemMaker().make(std::move(row), {}, hasCheckpoint);
}

TEST_F(QueueActions, OneThatEndedEarlyGoesOn) {
    for (const char* status : {"stopped", "failed", "interrupted"}) {
        QMenu menu;
        addQueueMenu(menu, engine_, {endedAs("a", status)});
        EXPECT_THAT(wordsOf(menu), ElementsAre("Resume from its checkpoint")) << status;
    }
    QMenu menu;
    for (const char* status : {"finished", "running"}) addQueueMenu(menu, engine_, {endedAs("a", status)});
    addQueueMenu(menu, engine_, {endedAs("a", "failed"), endedAs("b", "failed")});
    addQueueMenu(menu, engine_, {endedAs("a", "failed", false)});
    EXPECT_THAT(wordsOf(menu), IsEmpty());
    addQueueMenu(menu, engine_, {endedAs("a", "failed")});
    menu.actions().front()->trigger();
    EXPECT_EQ(answer(), QStringLiteral("resume a"));
}

TEST_F(QueueActions, WhatIsHeldIsReleased) {
    QMenu menu;
    addQueueMenu(menu, engine_, {waiting("a", true)});
    EXPECT_EQ(wordsOf(menu).front(), "Release: may start");
    menu.actions().at(1)->trigger();
    EXPECT_EQ(answer(), QStringLiteral("queue release a --work"));
}

TEST_F(QueueActions, KeysAskForTheSame) {
    QWidget table;
    addQueueKeys(
        table, engine_,
        [] {
            return std::vector{makeRun("r", "dasgd"), waiting("a", false)};
        },
        [](const QString&) {});
    table.setFocusPolicy(Qt::StrongFocus);
    table.show();
    table.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&table));
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_Down, Qt::AltModifier);
    EXPECT_EQ(answer(), QStringLiteral("queue down a"));
}

TEST_F(QueueActions, AKeyThatIsForNoneOfTheChosenRunsSaysSo) {
    QWidget table;
    QStringList said;
    addQueueKeys(
        table, engine_, [] { return std::vector{makeRun("r", "dasgd")}; }, [&](const QString& why) { said << why; });
    table.setFocusPolicy(Qt::StrongFocus);
    table.show();
    table.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&table));
    table.setFocus();
    QTest::keyClick(&table, Qt::Key_H, Qt::ControlModifier);
    QTest::keyClick(&table, Qt::Key_Home, Qt::AltModifier);
    ASSERT_EQ(said.size(), 2);
    EXPECT_TRUE(said[0].contains(QStringLiteral("None of the chosen runs waits")));
    QTest::keyClick(&table, Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(said.back().contains(QStringLiteral("ended early")));
    EXPECT_FALSE(QFile::exists(asked()));
}

TEST_F(QueueActions, ThePaletteHasThem) {
    QWidget table;
    addQueueKeys(
        table, engine_, [] { return std::vector{waiting("a", true)}; }, [](const QString&) {});
    const std::vector<PaletteCommand> commands = commandsOf(table);
    const auto hold = std::ranges::find(commands, QStringLiteral("Pause: hold or release"), &PaletteCommand::title);
    ASSERT_NE(hold, commands.end());
    EXPECT_EQ(hold->keys, QStringLiteral("Ctrl+H"));
    hold->carryOut();
    EXPECT_EQ(answer(), QStringLiteral("queue release a --work"));
}

TEST(EndInWords, NamesTheWayOnWhereThereIsACheckpoint) {
    RunItem run = *makeRun("r1", "dasgd", "");
    run.row.status = "interrupted";
    EXPECT_EQ(endInWords(run), QString());
    run.row.error = "the process that ran it died before its end";
    EXPECT_EQ(endInWords(run), QStringLiteral("the process that ran it died before its end"));
    run.hasCheckpoint = true;
    EXPECT_TRUE(endInWords(run).endsWith(QStringLiteral("Resume goes on from its checkpoint.")));
    run.row.status = "running";
    EXPECT_FALSE(endInWords(run).contains(QStringLiteral("Ctrl+Shift+R"))) << "it has not ended";
}

}  // namespace
}  // namespace dasgd::gui
