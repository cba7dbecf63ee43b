// Checkpoints, models and logs of ranks with workspaces of their own, as on several hosts, over loopback.
#include "experiments/ranks/remote_artifacts.h"

#include <gmock/gmock.h>

#include <future>

#include "experiments/base/errors.h"
#include "experiments/ranks/rank_main.h"
#include "experiments/transport/curve/curve_server.h"
#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/hand_ranks.h"
#include "tests/support/live_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class RemoteArtifactsRuns : public ::testing::Test {
protected:
    // Rank r records into the workspace `workspaces[r]`.
    std::vector<test::StartedProgram> start(const std::vector<std::string>& workspaces,
                                            const std::vector<std::string>& more = {},
                                            const std::string& file = "e.toml") {
        test::Environment environment{{"LOCAL_RANK", "0"}};
        if (!secret_.empty()) environment[RunSecret::kVariable] = secret_;
        return test::startByHand(folder_, workspaces, more, environment, file);
    }
    std::vector<test::Ended> runAll(const std::vector<std::string>& workspaces,
                                    const std::vector<std::string>& more = {}, const std::string& file = "e.toml") {
        return test::waitForAll(start(workspaces, more, file));
    }
    [[nodiscard]] storage::RunRow newest(const std::string& workspace) const {
        return storage::RunReader::open(folder_.path() / workspace)->list()->front();
    }
    [[nodiscard]] std::filesystem::path fileOf(const std::string& workspace, const std::string& run,
                                               const std::string& name) const {
        return folder_.path() / workspace / "runs" / run / name;
    }
    [[nodiscard]] std::string modelIn(const std::string& workspace) const {
        return test::contentOf(fileOf(workspace, newest(workspace).runId, "model.safetensors"));
    }
    // Checkpoint and model files left in a workspace other than rank 0's.
    [[nodiscard]] std::vector<std::string> leftIn(const std::string& workspace) const {
        std::vector<std::string> left;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path() / workspace / "runs")) {
            if (entry.is_regular_file() && entry.path().extension() == ".safetensors") left.push_back(entry.path());
        }
        return left;
    }

    test::DasgdFolder folder_;
    std::string secret_ = RunSecret::make().value().hex();
};

std::string withCheckpoints(std::string text, const std::string& checkpoint) {
    const std::string train = "[train]\n";
    return text.replace(text.find(train), train.size(), train + "checkpoint = " + checkpoint + "\n");
}

TEST_F(RemoteArtifactsRuns, WhatIsSavedOnAnotherHostIsWholeInRank0sWorkspaceAndGoesOnFromThere) {
    folder_.write("e.toml",
                  withCheckpoints(test::quickExperiment("gloo", 6'000), "{ every = \"500 steps\", keep = 2 }"));
    auto workers = start({"a", "b"});
    ASSERT_TRUE(test::newestRunComesTo(folder_.path() / "a", [](const auto& row) { return row.steps > 1'200; }));
    workers[1].signal(SIGTERM);
    for (test::StartedProgram& worker : workers) {
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, kStopped) << ended.err;
    }
    const storage::RunRow first = newest("a");
    const auto latest = CheckpointFolder(fileOf("a", first.runId, "checkpoints")).latest();
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_EQ(latest->checkpoint.state.step, first.steps) << "a stop leaves one";
    EXPECT_EQ(latest->checkpoint.state.ranks, 2);
    EXPECT_TRUE(leftIn("b").empty());
    for (const test::Ended& ended : runAll({"a", "b"}, {"--resume"})) EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_EQ(newest("a").status, "finished");
    EXPECT_EQ(newest("a").resumedFrom, first.runId);
    EXPECT_TRUE(leftIn("b").empty()) << "what was fetched is not kept";
    for (const test::Ended& ended : runAll({"c", "c"})) ASSERT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_FALSE(modelIn("c").empty());
    EXPECT_EQ(modelIn("a"), modelIn("c")) << "of a run that was never stopped, in one workspace";
}

TEST_F(RemoteArtifactsRuns, ARankThatIsKilledCostsWhatCameAfterTheLastCheckpoint) {
    folder_.write("e.toml",
                  withCheckpoints(test::quickExperiment("gloo", 6'000), "{ every = \"500 steps\", keep = 2 }") +
                      "timeout_s = 5.0\n");
    auto workers = start({"a", "b"});
    ASSERT_TRUE(test::newestRunComesTo(folder_.path() / "a", [](const auto& row) { return row.steps > 1'200; }));
    workers[1].signal(SIGKILL);
    EXPECT_EQ(workers[0].wait().exit, kRunFailed);
    workers.clear();
    for (const test::Ended& ended : runAll({"a", "b"}, {"--resume"})) EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_GE(newest("a").resumedStep, 500);
    EXPECT_EQ(newest("a").resumedStep % 500, 0);
    for (const test::Ended& ended : runAll({"c", "c"})) ASSERT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_EQ(modelIn("a"), modelIn("c"));
}

// Each goes on from the mean of both, which the one beside rank 0's workspace fetches.
TEST_F(RemoteArtifactsRuns, ARunGoesOnWithMoreRanksThanItHad) {
    const auto ofThreeTargets = [](std::string text) {
        return text.replace(text.find("[0.0, 1.0]]"), 11, "[0.0, 1.0], [1.0, 1.0]]");
    };
    folder_.write("e.toml", ofThreeTargets(test::quickExperiment("gloo", 100'000'000)));
    auto workers = start({"a", "b"});
    ASSERT_TRUE(test::newestRunTrains(folder_.path() / "a"));
    workers[0].signal(SIGTERM);
    for (test::StartedProgram& worker : workers) EXPECT_EQ(worker.wait().exit, kStopped);
    const storage::RunRow first = newest("a");
    std::string more = ofThreeTargets(test::quickExperiment("gloo", static_cast<int>(first.steps) + 500));
    more.replace(more.find("workers = 2"), 11, "workers = 3");
    folder_.write("more.toml", more);
    EXPECT_THAT(runAll({"a", "b", "b"}, {"--from", first.runId}, "more.toml").front().err,
                HasSubstr("was of 2 workers, this experiment is of 3"));
    folder_.write("more.toml", more + "[cluster.before]\nworkers = 2\n");
    for (const test::Ended& ended : runAll({"a", "b", "b"}, {"--from", first.runId}, "more.toml")) {
        EXPECT_EQ(ended.exit, kFinished) << ended.err;
    }
    EXPECT_EQ(newest("a").resumedFrom, first.runId);
    EXPECT_EQ(newest("a").workers, 3);
    EXPECT_TRUE(leftIn("b").empty());
}

// Ranks of one other host write into one folder there, and each takes its own part away.
TEST_F(RemoteArtifactsRuns, TwoRanksOfAnotherHostSaveAtOnce) {
    folder_.write("e.toml", test::ofThreeRanks(withCheckpoints(test::quickExperiment("gloo", 400),
                                                               "{ every = \"10 steps\", keep = 100 }")));
    for (const test::Ended& ended : runAll({"a", "b", "b"})) EXPECT_EQ(ended.exit, kFinished) << ended.err;
    const auto steps = CheckpointFolder(fileOf("a", newest("a").runId, "checkpoints")).steps();
    EXPECT_EQ(steps.size(), 39U) << "none was lost: of 10 to 390";
    EXPECT_TRUE(leftIn("b").empty());
}

// Hosts see one shared file system like this, each as a place of its own.
TEST_F(RemoteArtifactsRuns, OneFolderThatRanksSeeByTwoPathsKeepsWhatTheySave) {
    std::filesystem::create_directories(folder_.path() / "a");
    std::filesystem::create_directory_symlink("a", folder_.path() / "b");
    folder_.write("e.toml",
                  withCheckpoints(test::quickExperiment("gloo", 400), "{ every = \"50 steps\", keep = 100 }"));
    for (const test::Ended& ended : runAll({"a", "b"})) EXPECT_EQ(ended.exit, kFinished) << ended.err;
    const std::string run = newest("a").runId;
    const CheckpointFolder checkpoints(fileOf("a", run, "checkpoints"));
    EXPECT_EQ(checkpoints.steps().size(), 7U);
    const auto latest = checkpoints.latest();
    ASSERT_TRUE(latest) << latest.error().message;
    EXPECT_TRUE(latest->passedOver.empty()) << latest->passedOver.front();
    EXPECT_EQ(latest->checkpoint.state.files.size(), 3U) << "of two ranks and the model";
    EXPECT_TRUE(std::filesystem::is_symlink(fileOf("a", run, "checkpoints/latest")));
    EXPECT_TRUE(std::filesystem::exists(fileOf("a", run, "logs/rank-1.log")));
    for (const auto& entry : std::filesystem::directory_iterator(fileOf("a", run, ""))) {
        EXPECT_FALSE(entry.path().filename().string().starts_with(".files-")) << entry.path();
    }
}

TEST_F(RemoteArtifactsRuns, WhatIsFetchedAndWhatNoRankCompletesIsRemoved) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    auto workers = start({"a", "b"});
    ASSERT_TRUE(test::newestRunTrains(folder_.path() / "a"));
    workers[0].signal(SIGTERM);
    for (test::StartedProgram& worker : workers) EXPECT_EQ(worker.wait().exit, kStopped);
    const storage::RunRow first = newest("a");
    workers = start({"a", "b"}, {"--resume"});
    ASSERT_TRUE(test::newestRunComesTo(folder_.path() / "a", [&](const storage::RunRow& row) {
        return row.resumedFrom == first.runId && row.steps > first.steps;
    }));
    EXPECT_TRUE(leftIn("b").empty()) << "what the training went on from is in memory";
    const auto lost = fileOf("a", newest("a").runId, "checkpoints/step-100000000.partial");
    std::filesystem::create_directories(lost);
    workers[1].signal(SIGTERM);
    for (test::StartedProgram& worker : workers) {
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, kStopped) << ended.err;
    }
    EXPECT_FALSE(std::filesystem::exists(lost));
    EXPECT_TRUE(CheckpointFolder(lost.parent_path()).latest());
}

TEST_F(RemoteArtifactsRuns, LogsOfAllRanksAreInTheRunsFolder) {
    folder_.write("e.toml", test::quickExperiment("gloo", 20));
    for (const test::Ended& ended : runAll({"a", "b"})) ASSERT_EQ(ended.exit, kFinished) << ended.err;
    const std::string run = newest("a").runId;
    for (const char* name : {"logs/rank-0.log", "logs/rank-1.log"}) {
        EXPECT_TRUE(std::filesystem::exists(fileOf("a", run, name))) << name;
    }
}

TEST_F(RemoteArtifactsRuns, WithoutASecretSeveralWorkspacesSaveNothingAndSaySo) {
    secret_.clear();
    folder_.write("e.toml", test::quickExperiment("gloo", 20));
    EXPECT_THAT(runAll({"a", "b"}, {"--resume"}).front().err,
                HasSubstr("one workspace that all ranks record into, or the same DASGD_SECRET on all ranks"));
}

// Without processes: the files that two ranks hand each other before they connect.
class RemoteArtifactsTest : public ::testing::Test {
protected:
    RemoteArtifactsTest() {
        folder_.write("e.toml", test::quickExperiment("gloo", 20));
        std::filesystem::create_directories(pathsOf(0).run("before"));
        const CheckpointFolder before(pathsOf(0).checkpoints("before"));
        const auto making = before.begin(10).value();
        for (const int rank : {0, 1}) test::writeText(making / CheckpointFolder::rankFileName(Rank(rank)), "state");
        EXPECT_TRUE(before.complete({.runId = "before", .step = 10, .ranks = 2, .configHash = "c", .savedAt = "t"}, 1));
        std::filesystem::create_directories(pathsOf(0).run("run"));
        std::filesystem::create_directories(pathsOf(1).run("run"));
    }
    [[nodiscard]] storage::WorkspacePaths pathsOf(int rank) const { return {folder_.path() / std::to_string(rank)}; }
    [[nodiscard]] Result<RemoteArtifacts> open(int rank) const {
        const Experiment experiment = readSingleExperiment((folder_.path() / "e.toml").string(), {}).value();
        Rendezvous store = Rendezvous::file(folder_.path() / "store", 2, std::chrono::seconds(20)).value();
        RemoteArtifacts::Options options{.experiment = experiment,
                                         .rank = rank,
                                         .assignment = {.runId = "run", .resumedFrom = "before", .resumedStep = 10},
                                         .secret = secret_,
                                         .paths = pathsOf(rank),
                                         .configHash = "c"};
        options.assignment.places = {.together = false, .atHome = rank == 0, .away = {1}};
        if (rank != 0) {
            options.assignment.intake = store.get("endpoint").value();
            options.assignment.mark = store.get("mark").value();
        }
        DASGD_ASSIGN(RemoteArtifacts files, RemoteArtifacts::open(options));
        std::unique_ptr<CurveServer> server;
        if (rank == 0) {
            server =
                CurveServer::start({.address = "127.0.0.1"}, secret_, [intake = files.intake()](const Parts& request) {
                    return intake->answer(request);
                }).value();
            DASGD_TRY(store.set("endpoint", server->endpoint()));
            DASGD_TRY(store.set("mark", files.mark()));
        }
        DASGD_TRY(files.takeUp({store, rank, 2}, options));
        return files;
    }
    test::DasgdFolder folder_;
    RunSecret secret_ = RunSecret::make().value();
};

TEST_F(RemoteArtifactsTest, RanksMeetOnceAllHaveWhatTheyGoOnFrom) {
    test::writeText(pathsOf(1).run("run") / "from-rank-1", "a file where a folder is to be");
    auto first = std::async(std::launch::async, [this] { return open(0); });
    EXPECT_THAT(open(1).error().message, HasSubstr("from-rank-1: cannot be made"));
    EXPECT_THAT(first.get().error().message,
                HasSubstr("rank 1 cannot go on from the checkpoint: " + pathsOf(1).root.string()))
        << "before it waits for rank 1's connection";
}

TEST_F(RemoteArtifactsTest, WhatIsFetchedGoesOnceItIsTakenUp) {
    auto first = std::async(std::launch::async, [this] { return open(0); });
    const auto away = open(1);
    ASSERT_TRUE(away) << away.error().message;
    const auto& from = away->environment()->from;
    ASSERT_TRUE(from);
    EXPECT_EQ(test::contentOf(from->rankFile(Rank(1))), "state");
    away->environment()->restored();
    EXPECT_FALSE(std::filesystem::exists(from->folder));
    EXPECT_TRUE(first.get());
}

}  // namespace
}  // namespace dasgd::experiments
