// Runs on hosts that fail and go on from their checkpoints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "core/checkpoint/checkpoint_folder.h"
#include "experiments/base/errors.h"
#include "tests/support/standin_runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class RestartsOnHosts : public test::RunsOnStandIns {
protected:
    // Steps of a run that takes some seconds, with a checkpoint now and then.
    static constexpr int kLonger = 3'000;
    void longer(const std::string& more = "") {
        std::string text = test::quickExperiment("gloo", kLonger) + "timeout_s = 4.0\n" + more;
        const std::string train = "[train]\n";
        text.replace(text.find(train), train.size(), train + "checkpoint = { every = \"200 steps\" }\n");
        folder_.write("e.toml", text);
    }
    [[nodiscard]] bool hasCheckpoint() const {
        return test::eventually([&] {
            const auto runs = runsOf("node1");
            return !runs.empty() &&
                   std::filesystem::exists(workspace("node1") / "runs" / runs.front().runId / "checkpoints" / "latest");
        });
    }
    [[nodiscard]] std::string modelOf(const std::filesystem::path& workspace, const storage::RunRow& row) const {
        return test::contentOf(workspace / "runs" / row.runId / "model.safetensors");
    }
};

TEST_F(RestartsOnHosts, AKilledRankCostsTheStepsSinceTheLastCheckpoint) {
    longer();
    test::StartedProgram run = start({"--restarts", "2"});
    ASSERT_TRUE(hasCheckpoint());
    ::kill(test::childrenOf(connectionsOf(run)[1]).front(), SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("restart 1 of 2"));
    const auto runs = runsOf("node1");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].status, "finished");
    EXPECT_EQ(runs[0].resumedFrom, runs[1].runId);
    EXPECT_GE(runs[0].resumedStep, 200);
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q"}).exit, kFinished);
    const auto whole = storage::RunReader::open(folder_.workspace())->list()->front();
    EXPECT_EQ(modelOf(workspace("node1"), runs[0]), modelOf(folder_.workspace(), whole));
}

// Each host has room for one rank: without the other host the run goes on with one.
TEST_F(RestartsOnHosts, WithoutALostHostItGoesOnWithFewerWorkers) {
    folder_.write("lab.toml", test::standInProfile("[\"node1\", \"ada@node2\"]", "ranks_per_host = 1\n"));
    longer();
    test::StartedProgram run = start({"--restarts", "1"});
    ASSERT_TRUE(hasCheckpoint());
    const pid_t lost = connectionsOf(run)[1];
    hosts_.takeDown("node2");
    ::kill(lost, SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("ada@node2: cannot be reached"));
    EXPECT_THAT(ended.err, HasSubstr("with 1 workers, restart 1 of 1"));
    const auto runs = runsOf("node1");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].status, "finished");
    EXPECT_EQ(runs[0].workers, 1);
    EXPECT_EQ(runs[0].resumedFrom, runs[1].runId);
}

// The record and the checkpoints are on the host whose connection is lost; another connection finds them.
TEST_F(RestartsOnHosts, ALostConnectionToTheFirstHostCostsNoMore) {
    longer();
    test::StartedProgram run = start({"--restarts", "2"});
    ASSERT_TRUE(hasCheckpoint());
    ::kill(connectionsOf(run)[0], SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("node1: the connection has ended"));
    const auto runs = runsOf("node1");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[0].status, "finished");
    EXPECT_EQ(runs[0].resumedFrom, runs[1].runId);
    EXPECT_GE(runs[0].resumedStep, 200);
    EXPECT_THAT(ended.err, HasSubstr("it goes on from step " + std::to_string(runs[0].resumedStep)));
}

// The lost connection is the one over which the ranks' end would have been reported.
TEST_F(RestartsOnHosts, ARunThatHasFinishedIsNotTrainedAgain) {
    std::string ssh = test::contentOf(hosts_.program());
    const std::string runs = "exec sh -c \"exec $3\"";
    ASSERT_NE(ssh.find(runs), std::string::npos);
    ssh.replace(ssh.find(runs), runs.size(),
                "sh -c \"exec $3\" | perl -e 'while (sysread(STDIN, $b, 65536)) { last if $b =~ /all ended/; "
                "syswrite(STDOUT, $b) }'");
    test::writeText(hosts_.program(), ssh);
    folder_.write("e.toml", test::quickExperiment("gloo", 200) + "[sweep]\n\"train.seed\" = [1, 2]\n");
    const test::Ended ended = start({"--restarts", "1", "--json"}).wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    const auto rows = runsOf("node1");
    ASSERT_EQ(rows.size(), 2u);
    for (const storage::RunRow& row : rows) {
        EXPECT_EQ(row.status, "finished");
        EXPECT_THAT(ended.out, HasSubstr("\"run_id\":\"" + row.runId + "\""));
    }
}

// The part with one worker is an experiment of its own, and ends before it is a run.
TEST_F(RestartsOnHosts, APartThatDoesNotBeginLosesNoCheckpoint) {
    folder_.write("lab.toml", test::standInProfile("[\"node1\", \"ada@node2\"]", "ranks_per_host = 1\n"));
    longer();
    test::StartedProgram run = start({"--restarts", "2"});
    ASSERT_TRUE(hasCheckpoint());
    const auto hosts = connectionsOf(run);
    const auto before = test::childrenOf(hosts[0]);
    hosts_.takeDown("node2");
    ::kill(hosts[1], SIGKILL);
    pid_t next = 0;
    ASSERT_TRUE(test::eventually([&] {
        for (const pid_t child : test::childrenOf(hosts[0])) {
            // The new child, told from those before; the command line tells it from what rank 0 started itself.
            const std::string line = test::contentOf("/proc/" + std::to_string(child) + "/cmdline");
            if (std::ranges::count(before, child) == 0 && line.find("--from") != std::string::npos) next = child;
        }
        return next > 0;
    }));
    ::kill(next, SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("with 1 workers, restart 2 of 2"));
    const auto runs = runsOf("node1");
    ASSERT_FALSE(runs.empty());
    EXPECT_EQ(runs[0].status, "finished");
    EXPECT_EQ(runs[0].workers, 1);
    EXPECT_EQ(runs[0].resumedFrom, runs.back().runId);
    EXPECT_GE(runs[0].resumedStep, 200);
}

// The run was to go on from an earlier checkpoint than the newest, and saved none itself.
TEST_F(RestartsOnHosts, AResumedRunGoesOnFromTheCheckpointThatItBeganWith) {
    longer();
    test::StartedProgram run = start();
    ASSERT_TRUE(test::newestRunComesTo(workspace("node1"), [](const auto& row) { return row.steps > 450; }));
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().exit, kStopped);
    const std::string first = runsOf("node1").front().runId;
    const storage::WorkspacePaths paths{workspace("node1")};
    // The newest few are kept: which step the earliest of them is depends on when the signal came.
    const std::vector<std::int64_t> kept = CheckpointFolder(paths.checkpoints(first)).steps();
    ASSERT_GE(kept.size(), 2u);
    const std::int64_t earlier = kept.front();
    {
        const test::StartedProgram local =
            folder_.start({"resume", first, "--step", std::to_string(earlier), "-q", "-w", paths.root.string()});
        ASSERT_TRUE(test::eventually([&] { return runsOf("node1").size() == 2; }));
    }  // killed
    const storage::RunRow second = runsOf("node1").front();
    ASSERT_EQ(second.resumedStep, earlier);
    // On a busy machine the second run came to a checkpoint before it was seen.
    std::filesystem::remove_all(paths.checkpoints(second.runId));
    const test::Ended ended = folder_.start({"resume", second.runId, "--on", "lab", "-q"}, hosts_.environment()).wait();
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    const storage::RunRow third = runsOf("node1").front();
    EXPECT_EQ(third.resumedFrom, first);
    EXPECT_EQ(third.resumedStep, earlier);
}

TEST_F(RestartsOnHosts, AStoppedRunIsResumedOnItsHosts) {
    longer();
    test::StartedProgram run = start();
    ASSERT_TRUE(hasCheckpoint());
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().exit, kStopped);
    const storage::RunRow first = runsOf("node1").front();
    const auto resume = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"resume", first.runId, "--on", "lab", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return folder_.start(arguments, hosts_.environment()).wait();
    };
    test::Ended ended = resume({});
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_EQ(nlohmann::json::parse(ended.out)["resumed_from"], first.runId);
    EXPECT_EQ(runsOf("node1").front().steps, kLonger);
    ended = resume({"--workers", "1"});
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_EQ(runsOf("node1").front().workers, 1);
    EXPECT_EQ(resume({"--step", "5"}).exit, kWrongInput);
    EXPECT_THAT(folder_.run({"resume", "nothing", "--on", "lab"}, hosts_.environment()).err, HasSubstr("nothing"));
}

}  // namespace
}  // namespace dasgd::experiments
