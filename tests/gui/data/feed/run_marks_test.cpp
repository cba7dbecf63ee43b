#include "gui/data/feed/run_marks.h"

#include <gtest/gtest.h>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

class RunMarksTest : public ::testing::Test {
protected:
    RunItemPtr run(const char* id, const storage::RunNotes& notes, const char* status = "finished") {
        return makeRunItem(makeRun(id, "dasgd", "", 1, status)->row, notes);
    }
    storage::NotesOfRuns kept() {
        bench_.refresh(query_);
        storage::NotesReader reader(bench_.workspace.path());
        EXPECT_TRUE(reader.refresh());
        return reader.notes();
    }
    LiveBench bench_;
    const QString any_ = bench_.workspace.record({.steps = 8});
    NotesQuery query_;
};

TEST_F(RunMarksTest, SomeStarredBecomeAllStarredAndAllBecomeNone) {
    starRuns(query_, {run("a", {.starred = true}), run("b", {})});
    EXPECT_EQ(kept(), (storage::NotesOfRuns{{"a", {.starred = true}}, {"b", {.starred = true}}}));
    starRuns(query_, {run("a", {.starred = true}), run("b", {.starred = true})});
    EXPECT_TRUE(kept().empty());
}

TEST_F(RunMarksTest, WhatIsUnderWayStays) {
    EXPECT_TRUE(archiveRuns(query_, {run("a", {}), run("b", {}, "running"), run("c", {.archived = true})}));
    EXPECT_EQ(kept(), (storage::NotesOfRuns{{"a", {.archived = true}}, {"c", {.archived = true}}}));
    EXPECT_FALSE(archiveRuns(query_, {run("b", {}, "queued")}));
    EXPECT_TRUE(archiveRuns(query_, {run("a", {.archived = true}), run("c", {.archived = true})}));
    EXPECT_TRUE(kept().empty()) << "restored";
}

}  // namespace
}  // namespace dasgd::gui
