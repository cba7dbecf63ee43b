// `dasgd delete`.
#include <gmock/gmock.h>

#include "storage/read/run_reader.h"
#include "tests/experiments/commands/finished_run.h"
#include "tests/support/live_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

class DeleteCommand : public FinishedRun {
protected:
    // Newest first.
    std::vector<std::string> runs() {
        std::vector<std::string> ids;
        auto reader = storage::RunReader::open(folder_.workspace());
        const auto rows = reader->list();
        for (const storage::RunRow& row : *rows) ids.push_back(row.runId);
        return ids;
    }
};

TEST_F(DeleteCommand, DeletesTheChosenRunAndSaysWhatIsFreed) {
    const std::vector<std::string> before = runs();
    ASSERT_EQ(before.size(), 2U);
    const test::Ended dry = folder_.run({"delete", before[0], "-w", "w", "--dry-run"});
    EXPECT_EQ(dry.exit, 0) << dry.err;
    EXPECT_THAT(dry.out, MatchesRegex("1 run would be deleted, with [0-9.]+ [kM]?B of files; nothing was\n"));
    EXPECT_EQ(runs(), before);
    const test::Ended deleted = folder_.run({"delete", before[0], before[0], "-w", "w"});
    EXPECT_EQ(deleted.exit, 0) << deleted.err;
    EXPECT_THAT(deleted.out, MatchesRegex(before[0] + " is deleted\n1 run deleted, [0-9.]+ [kM]?B freed\n"));
    EXPECT_EQ(runs(), std::vector<std::string>{before[1]});
    EXPECT_FALSE(std::filesystem::exists(folder_.workspace() / "runs" / before[0]));
    EXPECT_TRUE(std::filesystem::exists(folder_.workspace() / "runs" / before[1]));
    EXPECT_EQ(folder_.run({"show", before[0], "-w", "w"}).exit, 2);
}

TEST_F(DeleteCommand, DeletesNothingWhereOneOfThemIsUnderWay) {
    const std::vector<std::string> before = runs();
    folder_.write("long.toml", test::quickExperiment("threads", 100'000'000));
    const test::StartedProgram program = folder_.start({"run", "long.toml", "-w", "w", "-q"});
    // Those before it have trained too.
    ASSERT_TRUE(test::newestRunComesTo(
        folder_.workspace(), [](const storage::RunRow& row) { return row.status == "running" && row.steps > 10; }));
    const std::string live = runs().front();
    const test::Ended refused = folder_.run({"delete", before[0], live, "-w", "w"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("run " + live + " is running: stop it first (dasgd stop)"));
    EXPECT_EQ(runs().size(), 3U);
    const test::Ended deleted = folder_.run({"delete", before[0], "-w", "w"});
    EXPECT_EQ(deleted.exit, 0) << deleted.err;
    EXPECT_THAT(deleted.out, HasSubstr("the room in lab.db stays for later records, as runs are under way"));
    EXPECT_EQ(runs().size(), 2U);
}

TEST_F(DeleteCommand, AnUnknownRunAndNoWorkspaceAreRefused) {
    EXPECT_EQ(folder_.run({"delete", runs()[0], "nowhere", "-w", "w"}).exit, 2);
    EXPECT_EQ(runs().size(), 2U);
    EXPECT_EQ(folder_.run({"delete", "x", "-w", "none"}).exit, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "none"));
}

}  // namespace
}  // namespace dasgd::experiments
