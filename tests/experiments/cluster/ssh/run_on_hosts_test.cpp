// `dasgd run --on`: two hosts, which are two folders; ssh is a stand-in, everything else is the real program.
#include "experiments/cluster/ssh/run_on_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/base/errors.h"
#include "storage/read/workspace_reader.h"
#include "tests/support/standin_runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using RunOnHosts = test::RunsOnStandIns;

TEST_F(RunOnHosts, TrainsOneRunThatTheFirstHostRecordsWhole) {
    folder_.write("e.toml", test::quickExperiment("gloo", 200) + "[sweep]\n\"train.seed\" = [1, 2]\n");
    test::StartedProgram run = start({"--json"});
    const test::Ended ended = run.wait();
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("rank 0 on node1, rank 1 on ada@node2"));
    std::istringstream lines(ended.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
        const auto json = nlohmann::json::parse(line);
        EXPECT_EQ(json["status"], "finished");
        EXPECT_EQ(json["record"], "node1:" + workspace("node1").string());
        ASSERT_EQ(json["ranks"].size(), 2u);
        for (const auto& rank : json["ranks"]) EXPECT_EQ(rank["exit"], 0);
    }
    EXPECT_EQ(count, 2);
    const auto runs = runsOf("node1");
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_TRUE(runsOf("node2").empty());
    auto reader = storage::SpanReader::open(workspace("node1"));
    for (const storage::RunRow& row : runs) {
        EXPECT_EQ(row.status, "finished");
        std::map<int, std::multiset<std::int64_t>> updates;
        ASSERT_TRUE(reader->each(row.runId, [&](const storage::SpanRow& span) {
            if (span.span.kind == SpanKind::Update) updates[span.rank].insert(span.span.step);
            return true;
        }));
        ASSERT_EQ(updates.size(), 2u);
        for (const auto& [rank, steps] : updates) {
            EXPECT_EQ(steps.size(), 200u) << "rank " << rank;
            EXPECT_EQ(std::set(steps.begin(), steps.end()).size(), 200u) << "none of rank " << rank << " twice";
        }
    }
    EXPECT_THAT(hosts_.arguments(), HasSubstr("-- ada@node2 "));
}

TEST_F(RunOnHosts, PutsTheSecretOnNoCommandLineAndInNoFile) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    test::StartedProgram run = start();
    ASSERT_TRUE(trains());
    std::set<std::string> secrets;
    for (const pid_t host : connectionsOf(run)) {
        for (const pid_t rank : test::childrenOf(host)) {
            const std::string environment = test::contentOf("/proc/" + std::to_string(rank) + "/environ");
            const auto at = environment.find("DASGD_SECRET=");
            ASSERT_NE(at, std::string::npos);
            secrets.insert(environment.substr(at + 13, 64));
        }
    }
    ASSERT_EQ(secrets.size(), 1u) << "one of the run";
    EXPECT_EQ(secrets.begin()->size(), 64u);
    EXPECT_THAT(test::allCommandLines(), Not(HasSubstr(*secrets.begin())));
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
        if (!entry.is_regular_file()) continue;
        EXPECT_THAT(test::contentOf(entry.path()), Not(HasSubstr(*secrets.begin()))) << entry.path();
    }
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().exit, kStopped);
}

TEST_F(RunOnHosts, StopsAllRanksAtOneStepOnCtrlC) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    test::StartedProgram run = start();
    ASSERT_TRUE(trains());
    run.signal(SIGINT);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kStopped) << ended.err;
    const auto runs = runsOf("node1");
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs.front().status, "stopped");
    EXPECT_THAT(ended.out, HasSubstr("stopped"));
    EXPECT_THAT(ended.out, HasSubstr("recorded in node1:"));
}

TEST_F(RunOnHosts, EndsTheRanksOfAHostThatIsCutOffAndNamesIt) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000) + "timeout_s = 4.0\n");
    test::StartedProgram run = start();
    ASSERT_TRUE(trains());
    const auto hosts = connectionsOf(run);
    ASSERT_EQ(hosts.size(), 2u);
    const auto ranks = test::childrenOf(hosts[1]);
    ASSERT_FALSE(ranks.empty());
    ::kill(hosts[1], SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.err, HasSubstr("ada@node2: the connection has ended"));
    EXPECT_THAT(ended.err, HasSubstr("rank 1 on ada@node2: nobody knows how it ended"));
    EXPECT_THAT(ended.err, HasSubstr("rank 0 on node1: exit status 1"));
    for (const pid_t rank : ranks) {
        EXPECT_TRUE(test::eventually([&] { return ::kill(rank, 0) != 0; })) << "the ranks there have ended";
    }
    EXPECT_EQ(runsOf("node1").front().status, "failed");
}

TEST_F(RunOnHosts, StopsItsRanksWhenItIsKilledItself) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    test::StartedProgram run = start();
    ASSERT_TRUE(trains());
    run.signal(SIGKILL);
    static_cast<void>(run.wait());
    EXPECT_TRUE(test::newestRunComesTo(workspace("node1"), [](const auto& row) { return row.status == "stopped"; }));
}

TEST_F(RunOnHosts, NamesAKilledRankWithItsHost) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000) + "timeout_s = 4.0\n");
    test::StartedProgram run = start({"--json"});
    ASSERT_TRUE(trains());
    const auto ranks = test::childrenOf(connectionsOf(run)[1]);
    ASSERT_FALSE(ranks.empty());
    ::kill(*std::ranges::min_element(ranks), SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.err, HasSubstr("rank 1 on ada@node2: signal 9 (Killed)"));
    const auto line = nlohmann::json::parse(ended.out);
    EXPECT_EQ(line["status"], "failed");
}

TEST_F(RunOnHosts, RefusesBeforeAnyRankStarts) {
    const auto refused = [&](const std::vector<std::string>& more, int exit, const std::string& says) {
        const test::Ended ended = start(more).wait();
        EXPECT_EQ(ended.exit, exit) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr(says));
        EXPECT_FALSE(std::filesystem::exists(workspace("node1")));
    };
    refused({"--set", "algorithm.perod=3"}, kWrongInput, "did you mean 'period'?");
    refused({"--queue"}, kWrongInput, "--queue is of runs on this host");
    refused({"--detach"}, kWrongInput, "--detach is of jobs");
    refused({"--set", "cluster.backend=virtual"}, kWrongInput, "runs on one host alone");
    folder_.write("lab.toml", test::standInProfile("[\"node1\", \"node9\"]"));
    refused({}, kRunFailed, "node9: cannot be reached (ssh: Could not resolve hostname node9");
    folder_.write("lab.toml", test::standInProfile("[\"node1\"]", "ranks_per_host = 1\n"));
    refused({}, kWrongInput, "has room for 1 ranks");
    folder_.write("lab.toml", test::standInProfile("[\"node1\"]", "rank_per_host = 1\n"));
    refused({}, kWrongInput, "lab.toml:6:");
    const test::Ended unknown = folder_.run({"run", "e.toml", "--on", "nowhere"});
    EXPECT_EQ(unknown.exit, kWrongInput);
    EXPECT_THAT(unknown.err, HasSubstr("there is no cluster 'nowhere'"));
}

TEST_F(RunOnHosts, TellsWhereRanksWouldRun) {
    const test::Ended ended = start({"--dry-run"}).wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("rank 0 on node1, rank 1 on ada@node2"));
    EXPECT_FALSE(std::filesystem::exists(workspace("node1")));
}

TEST_F(RunOnHosts, OfOneHostMeetOnLoopback) {
    folder_.write("lab.toml", "kind = \"ssh\"\nhosts = [\"node1\"]\nworkspace = \"w\"\ndasgd = \"" +
                                  std::string(test::kProgram) + "\"\n[environment]\nOMP_NUM_THREADS = 1\n");
    const test::Ended ended = start().wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_EQ(runsOf("node1").front().status, "finished");
    EXPECT_THAT(ended.err, HasSubstr("ranks 0 to 1 on node1"));
}

TEST_F(RunOnHosts, OfKindLocalAreThoseOfThisHost) {
    folder_.write("here.toml", "threads = 2\nworkspace = \"elsewhere\"\n");
    const test::Ended ended = folder_.run({"run", "e.toml", "--on", "here", "-q"});
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    auto reader = storage::RunReader::open(folder_.path() / "elsewhere");
    ASSERT_TRUE(reader);
    EXPECT_THAT(reader->list()->front().config, HasSubstr("threads_per_worker = 2"));
    ASSERT_EQ(folder_.run({"run", "e.toml", "--on", "here", "-q", "-w", "w"}).exit, kFinished);
    EXPECT_TRUE(folder_.hasRuns()) << "what the command line says counts";
}

// A host behind a firewall that drops what comes says nothing at all.
TEST_F(RunOnHosts, GivesUpAtOnceOnCtrlCWhileAHostIsWaitedFor) {
    test::writeText(hosts_.program(), "#!/bin/sh\nexec sleep 600\n");
    test::StartedProgram run = start();
    ASSERT_TRUE(test::eventually([&] { return !test::childrenOf(run.id()).empty(); }));
    const auto begin = std::chrono::steady_clock::now();
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().exit, kStopped);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << "of 20 for the first answer";
}

// Rank 0 dies, and with it the collector: what the other host has recorded is brought by new processes.
TEST_F(RunOnHosts, RecordsThatRank0DidNotGetAreFetchedOnceTheRunHasFailed) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000) + "timeout_s = 3.0\n");
    test::StartedProgram run = start();
    ASSERT_TRUE(trains());
    const pid_t rank0 = test::childrenOf(connectionsOf(run)[0]).front();
    ::kill(rank0, SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.err, HasSubstr("the first host lacked records of 1 ranks; complete are now those of 1"));
    auto reader = storage::WorkspaceReader::open(workspace("node1"));
    const storage::RunRow row = reader->runs().list()->front();
    EXPECT_THAT(row.error, HasSubstr("the last records of rank 1 came later"));
    std::map<int, std::map<std::int64_t, int>> updates;
    ASSERT_TRUE(reader->spans().each(row.runId, [&](const storage::SpanRow& span) {
        if (span.span.kind == SpanKind::Update) ++updates[span.rank][span.span.step];
        return true;
    }));
    ASSERT_EQ(updates.size(), 2u);
    // Ranks wait for each other: the last step of rank 1 is no further than a round behind that of rank 0.
    EXPECT_GE(updates[1].rbegin()->first + 8, updates[0].rbegin()->first);
    for (const auto& [rank, steps] : updates) {
        EXPECT_EQ(steps.size(), static_cast<std::size_t>(steps.rbegin()->first - steps.begin()->first + 1));
        for (const auto& [step, times] : steps) EXPECT_EQ(times, 1) << "rank " << rank << ", step " << step;
    }
    EXPECT_FALSE(std::filesystem::exists(storage::WorkspacePaths{workspace("node2")}.journal(row.runId, 1)));
    const test::Ended again = folder_.run({"collect", "--on", "lab"}, hosts_.environment());
    EXPECT_EQ(again.exit, kFinished) << again.err;
    EXPECT_THAT(again.out, HasSubstr("no host that was asked keeps records that the first one lacks"));
}

}  // namespace
}  // namespace dasgd::experiments
