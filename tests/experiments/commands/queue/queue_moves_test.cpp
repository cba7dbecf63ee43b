// Runs of the workspace's queue: held, moved, paused and taken out, whether or not somebody works it.
#include <gmock/gmock.h>

#include "tests/support/queue_runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class QueueMoves : public test::QueueFolder {
protected:
    QueueMoves() { ids_ = add(test::quickExperiment("threads"), {"--sweep", "train.seed=1..4"}); }
    test::Ended ask(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "queue");
        arguments.insert(arguments.end(), {"-w", "w"});
        return folder_.run(arguments);
    }
    // Seeds of the runs that wait, in their order.
    [[nodiscard]] std::vector<int> seeds() const {
        std::vector<int> seeds;
        for (const storage::QueueEntry& entry : queue().entries)
            seeds.push_back(static_cast<int>(row(entry.runId).seed));
        return seeds;
    }
    std::vector<std::string> ids_;
};

TEST_F(QueueMoves, TheOrderIsKeptWhereNobodyWorksIt) {
    EXPECT_THAT(seeds(), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(ask({"first", ids_[3]}).exit, 0);
    EXPECT_THAT(seeds(), ElementsAre(4, 1, 2, 3));
    EXPECT_EQ(ask({"down", ids_[0]}).exit, 0);
    EXPECT_THAT(seeds(), ElementsAre(4, 2, 1, 3));
    EXPECT_EQ(ask({"last", ids_[3], ids_[1]}).exit, 0);
    EXPECT_THAT(seeds(), ElementsAre(1, 3, 4, 2));
    EXPECT_EQ(ask({"up", ids_[1]}).exit, 0);
    EXPECT_THAT(seeds(), ElementsAre(1, 3, 2, 4));
    EXPECT_EQ(row(ids_[2]).queueTurn, 1);
}

TEST_F(QueueMoves, WhatIsHeldIsPassedOverAndWhatIsReleasedStarts) {
    EXPECT_EQ(ask({"hold", ids_[0], ids_[2]}).exit, 0);
    const test::Ended worked = ask({"work", "--until-empty"});
    EXPECT_EQ(worked.exit, 0) << worked.err;
    EXPECT_THAT(worked.err, HasSubstr("2 in the queue, held"));
    EXPECT_EQ(row(ids_[1]).status, "finished");
    EXPECT_THAT(seeds(), ElementsAre(1, 3));
    EXPECT_TRUE(row(ids_[0]).held);
    EXPECT_THAT(ask({}).out, HasSubstr("held"));
    EXPECT_EQ(ask({"release", ids_[0], "--series", "--work"}).exit, 0);
    EXPECT_THAT(queue().entries, IsEmpty());
    EXPECT_EQ(row(ids_[2]).status, "finished");
}

TEST_F(QueueMoves, NothingStartsWhileTheQueueIsPaused) {
    EXPECT_EQ(ask({"pause"}).exit, 0);
    const test::Ended worked = ask({"work", "--until-empty"});
    EXPECT_EQ(worked.exit, 0);
    EXPECT_THAT(worked.err, HasSubstr("which is paused"));
    EXPECT_THAT(seeds(), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(ask({"list"}).out, HasSubstr("the queue is paused"));
    EXPECT_EQ(ask({"resume"}).exit, 0);
    EXPECT_EQ(ask({"work", "--until-empty"}).exit, 0);
    EXPECT_THAT(queue().entries, IsEmpty());
}

TEST_F(QueueMoves, StopTakesOneOutForGood) {
    EXPECT_EQ(folder_.run({"stop", ids_[1], ids_[2], "-w", "w"}).exit, 0);
    EXPECT_THAT(seeds(), ElementsAre(1, 4));
    EXPECT_EQ(row(ids_[1]).status, "stopped");
    EXPECT_THAT(folder_.run({"list", "-w", "w"}).out, HasSubstr("taken out"));
    EXPECT_EQ(folder_.run({"stop", ids_[1], "-w", "w"}).exit, 2);
    EXPECT_EQ(ask({"hold", ids_[1]}).exit, 2);
    EXPECT_EQ(ask({"work", "--until-empty"}).exit, 0);
    EXPECT_EQ(row(ids_[1]).status, "stopped");
    EXPECT_EQ(row(ids_[3]).status, "finished");
}

// The workspace would be taken for that of the list, and the default folder for that of the action.
TEST_F(QueueMoves, AWorkspaceInTheWrongPlaceIsSaid) {
    const test::Ended wrong = folder_.run({"queue", "-w", "w", "hold", ids_[0]});
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_THAT(wrong.err, HasSubstr("write --workspace after `queue hold`"));
    const test::Environment environment{{"DASGD_WORKSPACE", "w"}};
    EXPECT_EQ(folder_.run({"queue", "hold", ids_[0]}, environment).exit, 0);
    EXPECT_TRUE(row(ids_[0]).held);
}

}  // namespace
}  // namespace dasgd::experiments
