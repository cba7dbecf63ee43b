#include "gui/runs/run_drawer.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTextDocument>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RunDrawerTest : public ::testing::Test {
protected:
    RunDrawerTest() {
        first_ = workspace_.record({.seed = 1, .delay = 2, .steps = 8});
        second_ = workspace_.record({.seed = 2, .delay = 3, .steps = 8});
        EXPECT_TRUE(eventually([&] { return session_.runs().rowCount() == 2; }));
        drawer_.resize(340, 800);
        drawer_.show();
    }
    [[nodiscard]] std::vector<RunItemPtr> runs(const QStringList& ids) {
        std::vector<RunItemPtr> items;
        for (const QString& id : ids) items.push_back(session_.runs().find(id));
        return items;
    }
    [[nodiscard]] storage::RunNotes notesOf(const QString& id) { return session_.runs().find(id)->notes; }
    // Text under the configuration of a run, or under the difference in code of two.
    [[nodiscard]] QString text() {
        for (auto* one : drawer_.findChildren<QPlainTextEdit*>()) {
            const bool log = one->objectName() == QStringLiteral("log");
            if (one->isReadOnly() && one->isVisible() && !log) return one->toPlainText();
        }
        return {};
    }
    QLabel* differences() {
        for (auto* one : drawer_.findChildren<QLabel*>()) {
            if (one->accessibleName() == QStringLiteral("Settings that differ")) return one;
        }
        return nullptr;
    }
    // The text of an HTML label without the places where it may be broken.
    [[nodiscard]] static QString shown(const QLabel& label) {
        QTextDocument document;
        document.setHtml(label.text());
        return document.toPlainText().remove(QChar(0x200b));
    }
    QLineEdit* tags() { return drawer_.findChild<QLineEdit*>(); }
    QPlainTextEdit* note() { return drawer_.findChild<QPlainTextEdit*>(QStringLiteral("note")); }

    Workspace workspace_;
    QString first_, second_;
    Feed feed_{workspace_.path()};
    Session session_{feed_};
    RunDrawer drawer_{session_, testLook()};
};

TEST_F(RunDrawerTest, TagsOfSeveralRunsAreThoseThatAllHave) {
    ASSERT_TRUE(storage::changeNotes(workspace_.path(), {first_.toStdString()}, {.addTags = {"all", "mine"}}));
    ASSERT_TRUE(storage::changeNotes(workspace_.path(), {second_.toStdString()}, {.addTags = {"all"}}));
    ASSERT_TRUE(eventually([&] { return notesOf(second_).tags.size() == 1; }));
    drawer_.setRuns(runs({first_, second_}));
    EXPECT_EQ(tags()->text(), QStringLiteral("all"));
    tags()->setText(QStringLiteral("new"));
    QTest::keyClick(tags(), Qt::Key_Return);
    ASSERT_TRUE(eventually([&] { return notesOf(second_).tags == std::set<std::string>{"new"}; }));
    EXPECT_EQ(notesOf(first_).tags, (std::set<std::string>{"mine", "new"})) << "what only one has stays";
    EXPECT_FALSE(note()->isVisible()) << "a note is of one run";
}

TEST_F(RunDrawerTest, WhatTwoRunsDifferInIsSeenOfBoth) {
    drawer_.setRuns(runs({first_, second_}));
    ASSERT_TRUE(differences()->isVisible());
    const QString words = shown(*differences());
    for (const QString& part : {first_, second_, QStringLiteral("algorithm.delay")})
        EXPECT_TRUE(words.contains(part)) << part.toStdString();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&drawer_));
    EXPECT_TRUE(
        eventually([&] { return differences()->height() >= differences()->heightForWidth(differences()->width()); }));
}

TEST_F(RunDrawerTest, ANoteGoesToTheRunThatItWasTypedFor) {
    drawer_.setRuns(runs({first_}));
    QTest::keyClicks(note(), QStringLiteral("diverged"));
    drawer_.setRuns(runs({second_}));
    EXPECT_EQ(note()->toPlainText(), QString());
    ASSERT_TRUE(eventually([&] { return notesOf(first_).note == "diverged"; }));
    EXPECT_EQ(notesOf(second_).note, "");
}

TEST_F(RunDrawerTest, NewsOfTheRunDoNotWriteOverWhatIsTyped) {
    drawer_.setRuns(runs({first_}));
    note()->setFocus();
    QTest::qWait(0);
    ASSERT_TRUE(note()->hasFocus());
    QTest::keyClicks(note(), QStringLiteral("half a sen"));
    drawer_.setRuns(runs({first_}));
    EXPECT_EQ(note()->toPlainText(), QStringLiteral("half a sen"));
}

TEST_F(RunDrawerTest, UncommittedCodeOfOneRunIsShown) {
    const std::string id = workspace_.store().newRunId("dasgd");
    storage::RunInfo info{.runId = id, .experiment = "dirty", .algorithm = "dasgd", .backend = "gloo"};
    info.config = "name = \"dirty\"\n";
    info.workers = 1;
    info.gitDirty = true;
    info.gitDirtyDiff = "+ another line";
    ASSERT_TRUE(workspace_.store().addRun(info));
    const QString dirty = QString::fromStdString(id);
    ASSERT_TRUE(eventually([&] { return session_.runs().find(dirty) != nullptr; }));
    drawer_.setRuns(runs({dirty}));
    ASSERT_TRUE(eventually([&] { return text().contains(QStringLiteral("+ another line")); }));
    EXPECT_TRUE(text().startsWith(QStringLiteral("name = \"dirty\"")));
    drawer_.setRuns(runs({first_}));
    ASSERT_TRUE(eventually([&] { return text().contains(QStringLiteral("delay-sweep")); }));
    EXPECT_FALSE(text().contains(QStringLiteral("uncommitted")));
}

TEST_F(RunDrawerTest, WhatIsRefusedStaysInItsField) {
    drawer_.setRuns(runs({first_}));
    const QString tooLong(70'000, u'x');
    note()->setPlainText(tooLong);
    QSignalSpy answered(&feed_.query<NotesQuery>(), &NotesQuery::answered);
    ASSERT_TRUE(eventually([&] { return answered.count() == 1; })) << "sent by itself";
    drawer_.setRuns(runs({first_}));
    EXPECT_EQ(note()->toPlainText(), tooLong);
    note()->setPlainText(QStringLiteral("short"));
    ASSERT_TRUE(eventually([&] { return notesOf(first_).note == "short"; }));
    EXPECT_EQ(note()->toPlainText(), QStringLiteral("short"));
}

TEST_F(RunDrawerTest, WhatManyRunsDifferInIsAllThere) {
    QStringList ids;
    for (const char* algorithm : {"dasgd", "local_sgd", "sync_sgd", "independent"}) {
        const std::string id = workspace_.store().newRunId("dasgd");
        storage::RunInfo info{.runId = id, .experiment = "many", .algorithm = algorithm, .backend = "gloo"};
        info.config = "[algorithm]\n";
        for (int i = 0; i < 20; ++i)
            info.config += "first_bucket_mb_" + std::to_string(10 + i) + " = \"" + algorithm + "\"\n";
        info.workers = 1;
        ASSERT_TRUE(workspace_.store().addRun(info));
        ids << QString::fromStdString(id);
    }
    ASSERT_TRUE(eventually([&] { return session_.runs().find(ids.back()) != nullptr; }));
    drawer_.resize(340, 800);
    drawer_.setRuns(runs(ids));
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&drawer_));
    QCoreApplication::processEvents();
    const QString words = shown(*differences());
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(words.contains(QStringLiteral("first_bucket_mb_%1").arg(10 + i))) << i;
    EXPECT_GE(differences()->height(), differences()->heightForWidth(differences()->width())) << "the drawer scrolls";
}

}  // namespace
}  // namespace dasgd::gui
