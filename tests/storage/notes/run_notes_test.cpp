#include "storage/notes/run_notes.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <thread>

#include "tests/support/processes.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

NotesOfRuns notesIn(const fs::path& workspace) {
    NotesReader reader(workspace);
    (void)orDie(reader.refresh());
    return reader.notes();
}

TEST(RunNotes, AWorkspaceWithoutNotesHasNone) {
    const TempDir folder;
    NotesReader reader(folder.path());
    EXPECT_FALSE(orDie(reader.refresh()));
    EXPECT_THAT(reader.notes(), IsEmpty());
    EXPECT_TRUE(fs::is_empty(folder.path())) << "who only reads leaves no file";
}

TEST(RunNotes, OnlyWhatIsNamedChanges) {
    const TempDir folder;
    (void)orDie(changeNotes(folder.path(), {"a", "b"}, {.starred = true, .addTags = {"good", "τ4"}}));
    (void)orDie(changeNotes(folder.path(), {"b"}, {.removeTags = {"good"}, .note = "diverged\nat 300"}));
    const NotesOfRuns notes = notesIn(folder.path());
    EXPECT_EQ(notes.at("a"), (RunNotes{.starred = true, .tags = {"good", "τ4"}}));
    EXPECT_EQ(notes.at("b"), (RunNotes{.starred = true, .tags = {"τ4"}, .note = "diverged\nat 300"}));
}

TEST(RunNotes, WhatTheyWereBeforeUndoesAChange) {
    const TempDir folder;
    (void)orDie(changeNotes(folder.path(), {"a"}, {.addTags = {"x"}, .note = "kept"}));
    const NotesOfRuns first = notesIn(folder.path());
    const NotesEdit edit =
        orDie(changeNotes(folder.path(), {"a", "b"}, {.archived = true, .removeTags = {"x"}, .note = ""}));
    EXPECT_EQ(edit.before, (NotesOfRuns{{"a", first.at("a")}, {"b", {}}}));
    EXPECT_EQ(edit.after, notesIn(folder.path()));
    EXPECT_NE(notesIn(folder.path()), first);
    (void)orDie(undoNotes(folder.path(), edit));
    EXPECT_EQ(notesIn(folder.path()), first) << "and a run without notes has no row";
    EXPECT_THAT(orDie(changeNotes(folder.path(), {"a"}, {.addTags = {"x"}})).after, IsEmpty()) << "nothing changes";
}

TEST(RunNotes, UndoLeavesWhatOthersWroteSince) {
    const TempDir folder;
    const NotesEdit edit =
        orDie(changeNotes(folder.path(), {"a"}, {.starred = true, .addTags = {"x"}, .note = "mine"}));
    (void)orDie(changeNotes(folder.path(), {"a"}, {.addTags = {"theirs"}, .note = "theirs"}));
    (void)orDie(undoNotes(folder.path(), edit));
    EXPECT_EQ(notesIn(folder.path()).at("a"), (RunNotes{.tags = {"theirs"}, .note = "theirs"}));
}

TEST(RunNotes, AReaderSeesWhatOthersWroteSince) {
    const TempDir folder;
    NotesReader reader(folder.path());
    EXPECT_FALSE(orDie(reader.refresh()));
    (void)orDie(changeNotes(folder.path(), {"a"}, {.starred = true}));
    EXPECT_TRUE(orDie(reader.refresh()));
    EXPECT_FALSE(orDie(reader.refresh()));
    (void)orDie(changeNotes(folder.path(), {"a"}, {.note = "more"}));
    EXPECT_TRUE(orDie(reader.refresh()));
    EXPECT_EQ(reader.notes().at("a"), (RunNotes{.starred = true, .note = "more"}));
    fs::remove(folder / "notes.db");
    EXPECT_TRUE(orDie(reader.refresh()));
    EXPECT_THAT(reader.notes(), IsEmpty());
}

TEST(RunNotes, WhatIsNoTagNoRunOrTooLongChangesNothing) {
    const TempDir folder;
    for (const char* tag : {"", "two words", "-leading", "a,b", "quo\"te", "tab\t", "τ=4"})
        EXPECT_FALSE(isTag(tag)) << tag;
    EXPECT_FALSE(isTag(std::string(65, 'a')));
    for (const char* tag : {"good", "paper/fig:3", "τ4", "v1.2+x", "größe"}) EXPECT_TRUE(isTag(tag)) << tag;
    const auto refused = [&](const std::string& run, const NotesChange& change) {
        return changeNotes(folder.path(), {"good", run}, change).error().message;
    };
    EXPECT_THAT(refused("a", {.addTags = {"two words"}}), HasSubstr("'two words' is no tag"));
    EXPECT_THAT(refused("../a", {.starred = true}), HasSubstr("'../a' is no id of a run"));
    EXPECT_THAT(refused("a", {.note = std::string(kLongestNote + 1, 'x')}), HasSubstr("65537 bytes, 65536 at most"));
    EXPECT_THAT(notesIn(folder.path()), IsEmpty());
}

TEST(RunNotes, ADatabaseOfANewerProgramIsRefused) {
    const TempDir folder;
    (void)orDie(changeNotes(folder.path(), {"a"}, {.starred = true}));
    SQLite::Database((folder / "notes.db").string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 9");
    NotesReader reader(folder.path());
    EXPECT_THAT(reader.refresh().error().message, HasSubstr("schema version 9"));
    EXPECT_THAT(changeNotes(folder.path(), {"a"}, {.starred = false}).error().message, HasSubstr("update the program"));
}

TEST(RunNotes, ProcessesThatWriteAtOnceLoseNothing) {
    const TempDir folder;
    std::vector<ChildProcess> writers;
    for (int writer = 0; writer < 4; ++writer) {
        writers.emplace_back([&, writer] {
            for (int i = 0; i < 10; ++i) {
                std::string tag("w");
                tag.append(std::to_string(writer)).append("-").append(std::to_string(i));
                if (!changeNotes(folder.path(), {"run"}, {.addTags = {tag}})) return 1;
            }
            return 0;
        });
    }
    for (ChildProcess& writer : writers) EXPECT_EQ(writer.wait(), 0);
    EXPECT_EQ(notesIn(folder.path()).at("run").tags.size(), 40U);
}

// A writer that is killed at any moment has its acknowledged changes on the disk, whole, and holds nobody up.
TEST(RunNotes, AKilledWriterKeepsWhatItAcknowledged) {
    const TempDir folder;
    std::mt19937 random(7);
    SharedCounter acknowledged;
    for (int round = 0; round < 15; ++round) {
        {
            ChildProcess writer([&] {
                while (true) {
                    // Two runs in one change: both or none.
                    const std::string next = std::to_string(acknowledged.get() + 1);
                    if (!changeNotes(folder.path(), {"a", "b"}, {.note = next})) return 1;
                    acknowledged.add();
                }
            });
            std::this_thread::sleep_for(std::chrono::milliseconds(5 + random() % 40));
            writer.kill();
        }
        const NotesOfRuns notes = notesIn(folder.path());
        if (acknowledged.get() == 0 && notes.empty()) continue;
        EXPECT_EQ(notes.at("a"), notes.at("b"));
        EXPECT_GE(std::stoll(notes.at("a").note), acknowledged.get());
        EXPECT_LE(std::stoll(notes.at("a").note), acknowledged.get() + 1);
    }
    EXPECT_GT(acknowledged.get(), 0);
}

// A reader finds the first note whole or not at all, while it is written and after its writer was killed.
TEST(RunNotes, TheFirstNoteIsWholeOrNotThere) {
    std::mt19937 random(11);
    double longest = 3'000;  // microseconds until the kill; follows what is seen, however slow the machine
    int there = 0;
    int absent = 0;
    for (int round = 0; round < 50 || (round < 1'000 && (there == 0 || absent == 0)); ++round) {
        const TempDir folder;
        ChildProcess writer([&] { return changeNotes(folder.path(), {"a"}, {.starred = true}) ? 0 : 1; });
        const auto moment = static_cast<std::int64_t>(std::uniform_real_distribution<>(0, longest)(random));
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(moment);
        while (std::chrono::steady_clock::now() < until) (void)notesIn(folder.path());
        writer.kill();
        const bool written = !notesIn(folder.path()).empty();
        (written ? there : absent)++;
        longest *= written ? 0.9 : 1.15;
        (void)orDie(changeNotes(folder.path(), {"b"}, {.starred = true}));
        EXPECT_TRUE(notesIn(folder.path()).contains("b"));
    }
    EXPECT_GT(there, 0);
    EXPECT_GT(absent, 0);
}

}  // namespace
}  // namespace dasgd::storage
