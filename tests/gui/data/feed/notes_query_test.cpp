#include "gui/data/feed/notes_query.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "gui/data/feed/runs_query.h"
#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class NotesQueryTest : public ::testing::Test {
protected:
    [[nodiscard]] storage::RunNotes kept() const {
        storage::NotesReader reader(bench_.workspace.path());
        EXPECT_TRUE(reader.refresh());
        const auto found = reader.notes().find(id_.toStdString());
        return found == reader.notes().end() ? storage::RunNotes{} : found->second;
    }
    LiveBench bench_;
    const QString id_ = bench_.workspace.record({.steps = 8});
    NotesQuery query_;
};

TEST_F(NotesQueryTest, WhatIsChangedIsOnTheDiskAndInTheRuns) {
    RunsQuery runs;
    QSignalSpy changed(&query_, &NotesQuery::changed), rows(&runs, &RunsQuery::changed);
    bench_.refresh(query_);
    bench_.refresh(runs);
    ASSERT_EQ(rows.count(), 1);
    query_.change({id_}, {.starred = true, .addTags = {"good"}}, QStringLiteral("Starred"));
    bench_.refresh(query_);
    bench_.refresh(runs);
    EXPECT_EQ(changed[0][0].toString(), QStringLiteral("Starred"));
    EXPECT_EQ(kept(), (storage::RunNotes{.starred = true, .tags = {"good"}}));
    ASSERT_EQ(rows.count(), 2) << "at once, without the interval of rows";
    EXPECT_TRUE(rows[1][0].value<std::vector<RunItemPtr>>().front()->notes.starred);
}

TEST_F(NotesQueryTest, WhatOthersWriteIsSeen) {
    bench_.refresh(query_);
    ASSERT_TRUE(storage::changeNotes(bench_.workspace.path(), {id_.toStdString()}, {.note = "from a shell"}));
    const std::int64_t before = bench_.store.notesRevision();
    bench_.refresh(query_);
    EXPECT_GT(bench_.store.notesRevision(), before);
    EXPECT_EQ(bench_.store.notesOf(id_.toStdString()).note, "from a shell");
}

TEST_F(NotesQueryTest, ChangesAreTakenBackOneByOne) {
    QSignalSpy changed(&query_, &NotesQuery::changed);
    query_.change({id_}, {.starred = true}, QStringLiteral("Starred"));
    query_.change({id_}, {.note = "a"}, QStringLiteral("Note changed"));
    query_.undo();
    bench_.refresh(query_);
    EXPECT_EQ(kept(), (storage::RunNotes{.starred = true}));
    query_.undo();
    query_.undo();
    bench_.refresh(query_);
    EXPECT_TRUE(kept().isEmpty());
    ASSERT_EQ(changed.count(), 5);
    EXPECT_EQ(changed[2][0].toString(), QStringLiteral("Undone: Note changed"));
    EXPECT_EQ(changed[4][0].toString(), QStringLiteral("There is nothing to undo"));
    EXPECT_FALSE(changed[1][1].toBool());
    EXPECT_TRUE(changed[2][1].toBool());
}

TEST_F(NotesQueryTest, ARefusedChangeIsSaidAndChangesNothing) {
    QSignalSpy failed(&query_, &NotesQuery::failed), changed(&query_, &NotesQuery::changed),
        answered(&query_, &NotesQuery::answered);
    const int number = query_.change({id_}, {.addTags = {"two words"}}, QStringLiteral("Tags changed"));
    bench_.refresh(query_);
    ASSERT_EQ(failed.count(), 1);
    EXPECT_TRUE(failed[0][0].toString().contains(QStringLiteral("is no tag")));
    ASSERT_EQ(answered.count(), 1);
    EXPECT_EQ(answered[0][0].toInt(), number);
    EXPECT_FALSE(answered[0][1].toBool());
    EXPECT_EQ(changed.count(), 0);
    EXPECT_TRUE(kept().isEmpty());
}

TEST_F(NotesQueryTest, ADamagedFileOfNotesLeavesTheRunsReadable) {
    QFile file(QString::fromStdString((bench_.workspace.path() / "notes.db").string()));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(4096, 'x'));
    file.close();
    QSignalSpy failed(&query_, &NotesQuery::failed);
    bench_.refresh(query_);
    bench_.refresh(query_);
    EXPECT_EQ(failed.count(), 1) << "said once";
    EXPECT_TRUE(bench_.store.reader().runs().list());
}

TEST(NotesQuery, WritesWhatIsAskedForLast) {
    LiveBench bench;
    const QString id = bench.workspace.record({.steps = 8});
    {
        NotesQuery query;
        bench.refresh(query);
        query.change({id}, {.note = "last words"}, QStringLiteral("Note changed"));
    }
    storage::NotesReader reader(bench.workspace.path());
    ASSERT_TRUE(reader.refresh());
    EXPECT_EQ(reader.notes().at(id.toStdString()).note, "last words");
}

}  // namespace
}  // namespace dasgd::gui
