// Several runs of one command: their order, their queue, and how they end.
#include "experiments/run/session/run_series.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/commands/command.h"
#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

TEST(RunSeries, TitlesSayWhichOfHowMany) {
    CheckedExperiment experiment{.algorithm = "dasgd", .seed = 3};
    EXPECT_EQ(titleOf(experiment), "dasgd, seed 3");
    experiment.label = "algorithm.delay=2";
    EXPECT_EQ(titleOf(experiment), "algorithm.delay=2");
    EXPECT_EQ(counted(0, 1, "x"), "x");
    EXPECT_EQ(counted(1, 4, "x"), "2/4 x");
}

// The second of three diverges at once; the third is run nevertheless, and the exit status says that one failed.
TEST(RunSeries, OneThatFailsDoesNotEndTheOthers) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    const test::Ended ended =
        folder.run({"run", "e.toml", "-w", "w", "-q", "--json", "--sweep", "optimizer.learning_rate=0.1,1e6,0.2"});
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 3);
    EXPECT_NE(ended.out.find("\"status\":\"failed\""), std::string::npos) << ended.out;
    auto reader = storage::RunReader::open(folder.workspace());
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->list()->size(), 3U);
    EXPECT_EQ(reader->list()->front().status, "finished");
}

std::vector<storage::RunRow> inOrder(const test::DasgdFolder& folder) {
    auto reader = storage::RunReader::open(folder.workspace());
    auto rows = reader ? reader->list() : tl::unexpected(Error{});
    if (!rows) return {};
    std::sort(rows->begin(), rows->end(), [](const auto& a, const auto& b) { return a.seriesPlace < b.seriesPlace; });
    return *rows;
}

// A command with four runs that would take for ever: all are in the workspace while the first trains.
class QueueTest : public ::testing::Test {
protected:
    QueueTest() : program_(start()) {}
    test::StartedProgram start() {
        folder_.write("e.toml", test::quickExperiment("threads", 100'000'000));
        return folder_.start({"run", "e.toml", "-w", "w", "-q", "--sweep", "train.seed=1..4"});
    }
    [[nodiscard]] bool becomes(const std::vector<std::string>& statuses) const {
        return test::eventually([&] {
            std::vector<std::string> now;
            for (const storage::RunRow& row : inOrder(folder_)) now.push_back(row.status);
            return now == statuses;
        });
    }
    test::Ended stop(const std::vector<std::size_t>& places) {
        const auto rows = inOrder(folder_);
        std::vector<std::string> arguments{"stop", "-w", "w"};
        for (const std::size_t place : places) arguments.push_back(rows[place].runId);
        return folder_.run(arguments);
    }
    test::Ended queue(const std::string& action, const std::vector<std::size_t>& places,
                      const std::string& option = "--json") {
        const auto rows = inOrder(folder_);
        std::vector<std::string> arguments{"queue", action, "-w", "w", option};
        for (const std::size_t place : places) arguments.push_back(rows[place].runId);
        return folder_.run(arguments);
    }
    test::DasgdFolder folder_;
    test::StartedProgram program_;
};

TEST_F(QueueTest, RunsOfOneCommandAreThereFromTheStart) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    const auto rows = inOrder(folder_);
    for (std::size_t place = 0; place < rows.size(); ++place) {
        EXPECT_EQ(rows[place].series, rows[0].runId);
        EXPECT_EQ(rows[place].seriesPlace, static_cast<std::int64_t>(place));
        EXPECT_EQ(rows[place].seriesSize, 4);
        EXPECT_EQ(rows[place].seed, static_cast<std::int64_t>(place) + 1);
    }
}

TEST_F(QueueTest, OneThatIsStoppedWhileItWaitsNeverStarts) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    const test::Ended taken = stop({1});
    EXPECT_EQ(taken.exit, 0) << taken.err;
    EXPECT_NE(taken.out.find("is taken out of the queue"), std::string::npos) << taken.out;
    ASSERT_TRUE(becomes({"running", "stopped", "queued", "queued"})) << "at once, while the first goes on";
    EXPECT_EQ(stop({0}).exit, 0);
    ASSERT_TRUE(becomes({"stopped", "stopped", "running", "queued"}));
    EXPECT_EQ(inOrder(folder_)[1].steps, 0);
}

TEST_F(QueueTest, AllStopWithoutStartingTheOthers) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    EXPECT_EQ(stop({0, 1, 2, 3}).exit, 0);
    EXPECT_EQ(program_.wait().exit, kStopped);
    ASSERT_TRUE(becomes({"stopped", "stopped", "stopped", "stopped"}));
    for (std::size_t place = 1; place < 4; ++place) EXPECT_EQ(inOrder(folder_)[place].steps, 0);
}

TEST_F(QueueTest, ALaterRunThatIsMovedToTheFrontStartsNext) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    const test::Ended moved = queue("first", {3});
    EXPECT_EQ(moved.exit, 0) << moved.err;
    EXPECT_EQ(stop({0}).exit, 0);
    ASSERT_TRUE(becomes({"stopped", "queued", "queued", "running"}));
    EXPECT_EQ(queue("down", {1}).exit, 0);
    EXPECT_EQ(stop({3}).exit, 0);
    ASSERT_TRUE(becomes({"stopped", "queued", "running", "stopped"}));
}

TEST_F(QueueTest, OneThatIsHeldIsPassedOver) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    EXPECT_EQ(queue("hold", {1}).exit, 0);
    EXPECT_TRUE(inOrder(folder_)[1].held);
    EXPECT_EQ(stop({0}).exit, 0);
    ASSERT_TRUE(becomes({"stopped", "queued", "running", "queued"}));
    EXPECT_EQ(queue("release", {1}).exit, 0);
    EXPECT_FALSE(inOrder(folder_)[1].held);
    EXPECT_EQ(stop({2}).exit, 0);
    ASSERT_TRUE(becomes({"stopped", "running", "stopped", "queued"})) << "its turn is still before the fourth";
}

TEST_F(QueueTest, WhereAllAreHeldTheCommandWaitsUntilOneIsReleased) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    EXPECT_EQ(queue("hold", {2}, "--series").exit, 0);
    EXPECT_EQ(stop({0}).exit, 0);
    ASSERT_TRUE(becomes({"stopped", "queued", "queued", "queued"}));
    EXPECT_EQ(queue("release", {3}).exit, 0);
    ASSERT_TRUE(becomes({"stopped", "queued", "queued", "running"}));
    EXPECT_EQ(stop({1, 2, 3}).exit, 0);
    EXPECT_EQ(program_.wait().exit, kStopped) << "what is held can be taken out";
}

TEST_F(QueueTest, CtrlCEndsACommandWhoseRunsAreAllHeld) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    EXPECT_EQ(queue("hold", {1}, "--series").exit, 0);
    EXPECT_EQ(stop({0}).exit, 0);
    ASSERT_TRUE(becomes({"stopped", "queued", "queued", "queued"}));
    program_.signal(SIGINT);
    EXPECT_EQ(program_.wait().exit, kStopped);
    ASSERT_TRUE(becomes({"stopped", "stopped", "stopped", "stopped"}));
}

TEST_F(QueueTest, CtrlCStopsWhatWaits) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    program_.signal(SIGINT);
    EXPECT_EQ(program_.wait().exit, kStopped);
    ASSERT_TRUE(becomes({"stopped", "stopped", "stopped", "stopped"}));
}

// The other command has one run, which is queued behind the four.
TEST_F(QueueTest, ACommandThatIsQueuedStartsWhenTheOthersHaveEnded) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    const auto others = inOrder(folder_);
    std::string text = test::quickExperiment("threads", 100'000'000);
    folder_.write("behind.toml", text.replace(text.find("quick"), 5, "behind"));
    const test::StartedProgram behind = folder_.start({"run", "behind.toml", "-w", "w", "-q", "--queue"});
    const auto own = [&] {
        const auto rows = inOrder(folder_);
        const auto found = std::ranges::find(rows, "behind", &storage::RunRow::experiment);
        return found == rows.end() ? storage::RunRow() : *found;
    };
    ASSERT_TRUE(test::eventually([&] { return own().queueTurn.has_value(); })) << "also a single one can be held";
    EXPECT_EQ(own().status, "queued");
    EXPECT_EQ(own().series, own().runId);
    EXPECT_EQ(own().seriesSize, 1);
    std::vector<std::string> stop{"stop", "-w", "w", others[0].runId, others[1].runId};
    EXPECT_EQ(folder_.run(stop).exit, 0);
    const auto statusOf = [&](const std::string& id) {
        const auto rows = inOrder(folder_);
        return std::ranges::find(rows, id, &storage::RunRow::runId)->status;
    };
    ASSERT_TRUE(test::eventually([&] { return statusOf(others[2].runId) == "running"; }));
    EXPECT_EQ(own().status, "queued") << "the series ahead goes on";
    EXPECT_EQ(folder_.run({"stop", "-w", "w", others[2].runId, others[3].runId}).exit, 0);
    ASSERT_TRUE(test::eventually([&] { return own().status == "running"; }));
    EXPECT_EQ(program_.wait().exit, kStopped);
    EXPECT_EQ(folder_.run({"stop", "-w", "w", own().runId}).exit, 0);
    ASSERT_TRUE(test::eventually([&] { return own().status == "stopped"; }));
}

TEST_F(QueueTest, WhatWaitsForItsTurnIsTakenOutByAStop) {
    ASSERT_TRUE(becomes({"running", "queued", "queued", "queued"}));
    test::StartedProgram behind =
        folder_.start({"run", "e.toml", "-w", "w", "-q", "--queue", "--sweep", "train.seed=8,9"});
    const auto waiting = [&] {
        auto rows = inOrder(folder_);
        std::erase_if(rows, [](const storage::RunRow& row) { return row.seed <= 4 || !row.queueTurn; });
        return rows;
    };
    ASSERT_TRUE(test::eventually([&] { return waiting().size() == 2; }));
    std::vector<std::string> stop{"stop", "-w", "w"};
    for (const storage::RunRow& row : waiting()) stop.push_back(row.runId);
    EXPECT_EQ(folder_.run(stop).exit, 0);
    EXPECT_EQ(behind.wait().exit, kStopped);
    for (const storage::RunRow& row : inOrder(folder_)) {
        if (row.seed <= 4) continue;
        EXPECT_EQ(row.status, "stopped");
        EXPECT_EQ(row.steps, 0);
    }
}

// Each waiting run costs its launcher an open file: of a long series only the next two hundred wait in the workspace.
TEST(RunSeries, ALongSeriesIsQueuedInParts) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads", 100'000'000));
    auto program = folder.start({"run", "e.toml", "-w", "w", "-q", "--sweep", "train.seed=1..210"});
    // The first left its place to the next when it started.
    ASSERT_TRUE(test::eventually([&] { return inOrder(folder).size() == 200; }));
    ASSERT_TRUE(test::eventually([&] { return inOrder(folder).front().status == "running"; }));
    const auto rows = inOrder(folder);
    EXPECT_EQ(rows.size(), 200U);
    EXPECT_EQ(rows.back().status, "queued");
    EXPECT_EQ(rows.back().seriesSize, 210);

    std::vector<std::string> stop{"stop", "-w", "w"};
    for (const storage::RunRow& row : rows) stop.push_back(row.runId);
    EXPECT_EQ(folder.run(stop).exit, 0);
    EXPECT_EQ(program.wait().exit, kStopped);
    EXPECT_EQ(inOrder(folder).size(), 200U) << "who stops all of them does not want the last ten";
}

}  // namespace
}  // namespace dasgd::experiments
