// `dasgd queue add`, and what outlives it.
#include <gmock/gmock.h>

#include "tests/support/queue_runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QueueAdd : public test::QueueFolder {};

TEST_F(QueueAdd, RunsWaitAfterItHasEnded) {
    const auto ids = add(test::quickExperiment("threads"), {"--sweep", "train.seed=1..3", "--restarts", "2"});
    ASSERT_THAT(ids, SizeIs(3));
    // A command that opens the workspace leaves queued runs alone.
    EXPECT_EQ(folder_.run({"recover", "-w", "w"}).out, "0 runs taken in whose processes are gone\n");
    const storage::Queue waiting = queue();
    ASSERT_THAT(waiting.entries, SizeIs(3));
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(waiting.entries[i].runId, ids[i]);
        EXPECT_EQ(waiting.entries[i].status, "queued");
        EXPECT_EQ(waiting.entries[i].restarts, 2);
        EXPECT_EQ(waiting.entries[i].cores, 2);
        EXPECT_EQ(row(ids[i]).series, ids[0]);
        EXPECT_EQ(row(ids[i]).queueTurn, static_cast<double>(i));
    }
    EXPECT_THAT(folder_.run({"list", "-w", "w"}).out, HasSubstr("queued"));
    const std::string table = folder_.run({"queue", "-w", "w"}).out;
    EXPECT_THAT(table, HasSubstr("3 of 3"));
    EXPECT_THAT(table, ::testing::Not(HasSubstr("run 3 of 3"))) << "its turn in the queue";
    EXPECT_THAT(table, HasSubstr("2 cores"));
    EXPECT_THAT(table, HasSubstr("not known"));
    EXPECT_THAT(table, HasSubstr("nobody works the queue"));
}

TEST_F(QueueAdd, NothingIsAddedWhereAnExperimentIsWrong) {
    folder_.write("good.toml", test::quickExperiment("threads"));
    folder_.write("bad.toml", test::quickExperiment("nonsense"));
    const test::Ended added = folder_.run({"queue", "add", "good.toml", "bad.toml", "-w", "w"});
    EXPECT_EQ(added.exit, 2);
    EXPECT_THAT(added.err, HasSubstr("bad.toml:"));
    EXPECT_THAT(rows(), IsEmpty());
}

// Changes to the file after it was added do not count.
TEST_F(QueueAdd, TheSettingsAreThoseOfTheMoment) {
    const auto ids = add(test::quickExperiment("threads"));
    folder_.write("e.toml", "broken");
    EXPECT_EQ(folder_.run({"queue", "work", "--until-empty", "-w", "w"}).exit, 0);
    EXPECT_EQ(row(ids.at(0)).status, "finished");
    EXPECT_EQ(row(ids.at(0)).steps, 30);
}

TEST_F(QueueAdd, WorksTheQueueWhereNobodyDoes) {
    folder_.write("e.toml", test::quickExperiment("threads"));
    const test::Ended first = folder_.run({"queue", "add", "e.toml", "-w", "w", "--work"});
    EXPECT_EQ(first.exit, 0) << first.err;
    EXPECT_EQ(rows().at(0).status, "finished");
    EXPECT_THAT(queue().entries, IsEmpty());
}

TEST_F(QueueAdd, SaysWhatNeedsMoreThanThisMachineHas) {
    folder_.write("e.toml", test::quickExperiment("threads"));
    const test::Ended added =
        folder_.run({"queue", "add", "e.toml", "-w", "w", "--set", "cluster.threads_per_worker=1000"});
    EXPECT_EQ(added.exit, 0) << added.err;
    EXPECT_THAT(added.err, HasSubstr("needs 2000 cores"));
}

}  // namespace
}  // namespace dasgd::experiments
