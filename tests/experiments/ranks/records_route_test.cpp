// Ranks with workspaces of their own, as on several hosts, over loopback.
#include "experiments/ranks/records_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/metric_names.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "experiments/base/errors.h"
#include "storage/read/workspace_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/hand_ranks.h"
#include "tests/support/live_run.h"
#include "tests/support/network_hosts.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RecordsRouteRuns : public ::testing::Test {
protected:
    // Rank r records into the workspace `workspaces[r]`, with the secret `secrets[r]` ("": none).
    std::vector<test::StartedProgram> start(const std::vector<std::string>& workspaces,
                                            const std::vector<std::string>& secrets) {
        const std::string port = std::to_string(test::freePort());
        std::vector<test::StartedProgram> workers;
        for (std::size_t rank = 0; rank < workspaces.size(); ++rank) {
            test::Environment environment{{"LOCAL_RANK", "0"}};
            if (!secrets[rank].empty()) environment[RunSecret::kVariable] = secrets[rank];
            environment = test::handEnvironment(rank, workspaces.size(), port, environment);
            workers.push_back(started({"worker", "e.toml", "-w", workspaces[rank]}, environment, rank));
        }
        return workers;
    }
    // Starts each rank in a container of its own if `folders_` names the folder to mount at "lab" there.
    test::StartedProgram started(std::vector<std::string> arguments, const test::Environment& environment,
                                 std::size_t rank) const {
        if (folders_.empty()) return folder_.start(arguments, environment);
        const std::vector<std::string> mounted{
            "-m", "sh", "-c", "mount --bind \"$0\" lab && exec \"$@\"", folders_.at(rank), test::kProgram};
        arguments.insert(arguments.begin(), mounted.begin(), mounted.end());
        return {folder_.path(), arguments, environment, kUnshare};
    }
    [[nodiscard]] storage::WorkspaceReader reader(const std::string& workspace) const {
        return storage::WorkspaceReader::open(folder_.path() / workspace).value();
    }
    // Number of update spans by rank and step.
    static std::map<int, std::map<std::int64_t, int>> updatesOf(storage::SpanReader& reader, const std::string& run) {
        std::map<int, std::map<std::int64_t, int>> steps;
        static_cast<void>(reader.each(run, [&](const storage::SpanRow& row) {
            if (row.span.kind == SpanKind::Update) ++steps[row.rank][row.span.step];
            return true;
        }));
        return steps;
    }
    static constexpr const char* kUnshare = "/usr/bin/unshare";

    test::DasgdFolder folder_;
    std::vector<std::string> folders_;
    std::string secret_ = RunSecret::make().value().hex();
};

TEST_F(RecordsRouteRuns, TheWorkspaceOfRank0HoldsTheRecordsOfAllRanks) {
    folder_.write("e.toml", test::quickExperiment("gloo", 200));
    auto workers = start({"a", "b"}, {secret_, secret_});
    for (test::StartedProgram& worker : workers) {
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, kFinished) << ended.err;
        EXPECT_THAT(ended.err, Not(HasSubstr("keeps the records of its own ranks")));
    }
    auto home = reader("a");
    ASSERT_EQ(home.runs().list()->size(), 1U);
    const storage::RunRow row = home.runs().list()->front();
    EXPECT_EQ(row.status, "finished");
    const auto updates = updatesOf(home.spans(), row.runId);
    ASSERT_EQ(updates.size(), 2U);
    for (const auto& [rank, steps] : updates) {
        EXPECT_EQ(steps.size(), 200U) << "rank " << rank;
        for (const auto& [step, times] : steps) EXPECT_EQ(times, 1) << "rank " << rank << ", step " << step;
    }
    const auto losses = home.metrics().samples({.runId = row.runId, .name = metrics::kTrainLoss, .rank = 1})->samples;
    EXPECT_FALSE(losses.empty());
    for (const auto& sample :
         home.metrics().samples({.runId = row.runId, .name = metrics::kProcessMemory, .rank = 1})->samples) {
        EXPECT_GE(sample.step, 0) << "where the rank had got to";
    }
    EXPECT_TRUE(row.hidden.has_value()) << "transfers are divided where the records of both ranks meet";
    EXPECT_TRUE(reader("b").runs().list()->empty()) << "the other workspace keeps no half of it";
    const auto left = storage::WorkspacePaths{folder_.path() / "b"}.journal(row.runId, 1);
    EXPECT_FALSE(std::filesystem::exists(left)) << "what is committed there is not kept here";
}

// Rank 0's side is stopped like one whose disk hangs: its collector takes nothing in.
TEST_F(RecordsRouteRuns, ACollectorThatStallsCostsOthersNoTraining) {
    std::string text = test::quickExperiment("gloo", 100'000'000);
    const auto replace = [&](const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
    };
    replace("name = \"dasgd\"\nperiod = 4\ndelay = 2", "name = \"independent\"");
    replace("eval_every = 10", "eval_every = 100000000");
    folder_.write("e.toml", text);
    auto workers = start({"a", "b"}, {secret_, secret_});
    ASSERT_TRUE(test::newestRunTrains(folder_.path() / "a"));
    const std::string run = reader("a").runs().list()->front().runId;
    const auto journal = storage::WorkspacePaths{folder_.path() / "b"}.journal(run, 1);
    // Segments that were taken in are removed, so that the newest file tells how far the rank is.
    const auto newest = [&] {
        std::string last;
        for (const auto& file : std::filesystem::directory_iterator(journal)) {
            if (file.path().extension() == ".seg") last = std::max(last, file.path().filename().string());
        }
        return last.empty() ? 0 : std::stoi(last);
    };
    workers[0].signal(SIGSTOP);
    const int before = newest();
    EXPECT_TRUE(test::eventually([&] { return newest() >= before + 4; })) << "it trains on: 65,536 records";
    workers[0].signal(SIGCONT);
    workers[1].signal(SIGINT);
    for (test::StartedProgram& worker : workers) {
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, kStopped) << ended.err;
    }
    auto home = reader("a");
    const auto updates = updatesOf(home.spans(), run);
    ASSERT_EQ(updates.size(), 2U);
    for (const auto& [rank, steps] : updates) {
        EXPECT_EQ(steps.size(), static_cast<std::size_t>(steps.rbegin()->first)) << "none missing of rank " << rank;
        for (const auto& [step, times] : steps) ASSERT_EQ(times, 1) << "rank " << rank << ", step " << step;
    }
}

TEST_F(RecordsRouteRuns, RanksOfRank0sWorkspaceCollectThemselves) {
    folder_.write("e.toml", test::ofThreeRanks(test::quickExperiment("gloo", 100)));
    auto workers = start({"a", "b", "a"}, {secret_, secret_, secret_});
    for (test::StartedProgram& worker : workers) {
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, kFinished) << ended.err;
    }
    auto home = reader("a");
    const storage::RunRow row = home.runs().list()->front();
    EXPECT_EQ(row.status, "finished");
    const auto updates = updatesOf(home.spans(), row.runId);
    ASSERT_EQ(updates.size(), 3U);
    for (const auto& [rank, steps] : updates) EXPECT_EQ(steps.size(), 100U) << "rank " << rank;
}

// Pods are like this: one kernel, and one path for all, at which each has what is mounted there.
TEST_F(RecordsRouteRuns, RanksInContainersOfOneHostAreTakenForOneWorkspaceOnlyWhereTheyShareIt) {
    if (::getuid() != 0) GTEST_SKIP() << "mount namespaces need root";
    if (!test::does(std::string(kUnshare) + " -m true")) GTEST_SKIP() << "no mount namespaces here: unshare -m failed";
    std::string text = test::ofThreeRanks(test::quickExperiment("gloo", 100));
    const std::string train = "[train]\n";
    folder_.write("e.toml",
                  text.replace(text.find(train), train.size(), train + "checkpoint = { every = \"40 steps\" }\n"));
    folders_ = {"a", "b", "a"};
    for (const char* name : {"a", "b", "lab"}) std::filesystem::create_directory(folder_.path() / name);
    auto workers = start({"lab", "lab", "lab"}, {secret_, secret_, secret_});
    for (test::StartedProgram& worker : workers) {
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, kFinished) << ended.err;
    }
    auto home = reader("a");
    const storage::RunRow row = home.runs().list()->front();
    EXPECT_EQ(row.status, "finished") << row.error;
    const auto updates = updatesOf(home.spans(), row.runId);
    ASSERT_EQ(updates.size(), 3U);
    for (const auto& [rank, steps] : updates) EXPECT_EQ(steps.size(), 100U) << "rank " << rank;
    const CheckpointFolder saved(storage::WorkspacePaths{folder_.path() / "a"}.checkpoints(row.runId));
    EXPECT_EQ(saved.steps(), (std::vector<std::int64_t>{40, 80})) << "whole, of all ranks";
    EXPECT_TRUE(reader("b").runs().list()->empty());
}

TEST_F(RecordsRouteRuns, RanksWithoutTheSameSecretRefuseBeforeTheyTrain) {
    folder_.write("e.toml", test::quickExperiment("gloo", 20) + "timeout_s = 3.0\n");
    const std::string other = RunSecret::make().value().hex();
    for (const std::string& second : {std::string(), other}) {
        auto workers = start({"a", "b"}, {secret_, second});
        const test::Ended away = workers[1].wait(), first = workers[0].wait();
        EXPECT_NE(away.exit, kFinished);
        EXPECT_THAT(away.err, HasSubstr("DASGD_SECRET"));
        EXPECT_EQ(first.exit, kWrongInput);
        EXPECT_THAT(first.err, HasSubstr("somebody came with another DASGD_SECRET, or without one"));
        for (const test::Ended& ended : {first, away}) {
            EXPECT_THAT(ended.err, Not(HasSubstr(secret_))) << "it is not shown itself";
        }
        EXPECT_TRUE(reader("a").runs().list()->empty()) << "no run began";
    }
}

TEST_F(RecordsRouteRuns, WithoutASecretEachWorkspaceKeepsItsOwnAndThatIsSaid) {
    folder_.write("e.toml", test::quickExperiment("gloo", 20));
    auto workers = start({"a", "b"}, {"", ""});
    EXPECT_THAT(workers[0].wait().err, HasSubstr("each workspace keeps the records of its own ranks"));
    EXPECT_EQ(workers[1].wait().exit, kFinished);
    EXPECT_EQ(reader("b").runs().list()->size(), 1U);
}

TEST_F(RecordsRouteRuns, AKilledRanksLastRecordsArriveAndTheRunHasFailed) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000) + "timeout_s = 5.0\n");
    auto workers = start({"a", "b"}, {secret_, secret_});
    ASSERT_TRUE(test::newestRunTrains(folder_.path() / "a"));
    ASSERT_TRUE(test::eventually([&] {
        auto home = reader("a");
        return !home.metrics()
                    .samples({.runId = home.runs().list()->front().runId, .name = metrics::kTrainLoss, .rank = 1})
                    ->samples.empty();
    }));
    workers[1].signal(SIGKILL);
    const test::Ended ended = workers[0].wait();
    EXPECT_EQ(ended.exit, kRunFailed) << ended.err;
    auto home = reader("a");
    const storage::RunRow row = home.runs().list()->front();
    EXPECT_EQ(row.status, "failed");
    EXPECT_THAT(row.error, Not(HasSubstr("has not arrived"))) << "its forwarder outlived it";
    const auto lastOf = [&](int rank) {
        return home.metrics()
            .samples({.runId = row.runId, .name = metrics::kTrainLoss, .rank = rank})
            ->samples.back()
            .step;
    };
    EXPECT_GE(lastOf(1) + 64, lastOf(0)) << "up to where it died";
    EXPECT_FALSE(std::filesystem::exists(storage::WorkspacePaths{folder_.path() / "b"}.journal(row.runId, 1)));
}

}  // namespace
}  // namespace dasgd::experiments
