// Ranks on four hosts, which are network namespaces with links of their own: one record of all of them, what listens
// there, and a host that is cut off. Needs root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "core/base/metric_names.h"
#include "experiments/base/errors.h"
#include "experiments/transport/curve/run_secret.h"
#include "storage/base/workspace.h"
#include "storage/read/workspace_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"
#include "tests/support/network_hosts.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using std::chrono::seconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kHostsOfRun = 4;

class OnHosts : public ::testing::Test {
protected:
    std::vector<test::StartedProgram> start(int steps, const std::string& timeout) {
        folder_.write("e.toml",
                      "name = \"quick\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\nname = "
                      "\"quadratic\"\nmatrix = [[2.0, 0.5], [0.5, 1.0]]\ntargets = [[1.0, 0.0], [0.0, 1.0], [1.0, "
                      "1.0], [0.0, 0.0]]\nstart = [4.0, -3.0]\n[train]\nsteps = " +
                          std::to_string(steps) +
                          "\neval_every = 100\nprecision = \"float64\"\n[optimizer]\nlearning_rate = 0.1\n[cluster]\n"
                          "backend = \"gloo\"\nworkers = 4\ntimeout_s = " +
                          timeout + "\n");
        std::vector<test::StartedProgram> workers;
        for (int rank = 0; rank < kHostsOfRun; ++rank) {
            workers.emplace_back(folder_.path(),
                                 std::vector<std::string>{"netns", "exec", "w" + std::to_string(rank + 1),
                                                          test::kProgram, "worker", "e.toml", "-w", workspace(rank)},
                                 test::Environment{{"RANK", std::to_string(rank)},
                                                   {"WORLD_SIZE", std::to_string(kHostsOfRun)},
                                                   {"LOCAL_RANK", "0"},
                                                   {"MASTER_ADDR", "10.77.0.1"},
                                                   {"MASTER_PORT", "29500"},
                                                   {"DASGD_INTERFACE", "eth0"},
                                                   {RunSecret::kVariable, secret_}},
                                 "/sbin/ip");
        }
        return workers;
    }
    [[nodiscard]] std::string workspace(int rank) const { return labs_ + std::to_string(rank); }
    [[nodiscard]] storage::WorkspaceReader home() const {
        return storage::WorkspaceReader::open(folder_.path() / workspace(0)).value();
    }

    // True if there are `count` runs and all ranks of the newest train.
    [[nodiscard]] bool allTrain(std::size_t count) const {
        auto reader = home();
        const auto runs = reader.runs().list();
        if (!runs || runs->size() != count || runs->front().status != "running") return false;
        const auto seen = reader.spans().lastSeen(runs->front().runId);
        const auto trains = [](const storage::RankLastSeen& rank) { return rank.step > 200 && rank.last; };
        return seen && seen->size() == kHostsOfRun && std::ranges::all_of(*seen, trains);
    }

    test::DasgdFolder folder_;
    std::string labs_ = "host";
    std::string secret_ = RunSecret::make().value().hex();
};

TEST_F(OnHosts, OneRunOfFourHostsOneRecordAndACutOffHostIsNamed) {
    if (::getuid() != 0) GTEST_SKIP() << "network namespaces need root";
    const test::NetworkHosts hosts(kHostsOfRun);
    if (!hosts.areThere()) GTEST_SKIP() << "no network namespaces here: hosts.sh up failed";
    for (test::StartedProgram& worker : start(300, "20.0")) {
        const test::Ended ended = worker.wait();
        ASSERT_EQ(ended.exit, kFinished) << ended.err;
    }
    {
        auto reader = home();
        const storage::RunRow row = reader.runs().list()->front();
        EXPECT_EQ(row.status, "finished");
        std::map<int, std::multiset<std::int64_t>> updates;
        ASSERT_TRUE(reader.spans().each(row.runId, [&](const storage::SpanRow& span) {
            if (span.span.kind == SpanKind::Update) updates[span.rank].insert(span.span.step);
            return true;
        }));
        ASSERT_EQ(updates.size(), 4U);
        for (const auto& [rank, steps] : updates) {
            EXPECT_EQ(steps.size(), 300U) << "rank " << rank;
            EXPECT_EQ(std::set(steps.begin(), steps.end()).size(), 300U) << "none of rank " << rank << " twice";
        }
        for (int rank = 1; rank < kHostsOfRun; ++rank) {
            EXPECT_FALSE(std::filesystem::exists(
                storage::WorkspacePaths{folder_.path() / workspace(rank)}.journal(row.runId, rank)));
        }
    }

    auto workers = start(100'000'000, "5.0");
    ASSERT_TRUE(test::eventually([&] { return allTrain(2); }));
    for (int host = 1; host <= kHostsOfRun; ++host) {
        const auto addresses = hosts.listeners(host);
        EXPECT_FALSE(addresses.empty());
        for (const std::string& address : addresses) {
            EXPECT_THAT(address, StartsWith("10.77.0." + std::to_string(host) + ":")) << "on the named interface alone";
        }
    }
    const auto cut = std::chrono::steady_clock::now();
    EXPECT_TRUE(hosts.cut(kHostsOfRun));
    for (int rank = 0; rank + 1 < kHostsOfRun; ++rank) {
        const test::Ended ended = workers[static_cast<std::size_t>(rank)].wait();
        EXPECT_EQ(ended.exit, kRunFailed) << "rank " << rank;
        EXPECT_THAT(ended.err, HasSubstr("failed")) << "rank " << rank;
        EXPECT_THAT(ended.err, ContainsRegex("rank 3 on .*\\(10\\.77\\.0\\.4\\) does not answer")) << "rank " << rank;
        const char* const missing = rank == 0 ? "what rank 3 recorded after number" : "";
        EXPECT_THAT(ended.err, HasSubstr(missing));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - cut, seconds(5 + 15))
        << "the deadline, and the time to ask one another beside other work";
    EXPECT_THAT(workers[3].wait().err,
                ContainsRegex("rank 0 on .*\\(10\\.77\\.0\\.1\\), where the ranks meet, does not"));
    auto reader = home();
    const storage::RunRow row = reader.runs().list()->front();
    EXPECT_EQ(row.status, "failed");
    const auto seen = reader.spans().lastSeen(row.runId).value();
    ASSERT_EQ(seen.size(), 4U);
    for (const storage::RankLastSeen& rank : seen) {
        EXPECT_NE(rank.host, "") << "rank " << rank.rank;
        EXPECT_GT(rank.step, 100) << "rank " << rank.rank;
        EXPECT_TRUE(rank.last) << "rank " << rank.rank << ", the one that was cut off too";
    }
}

// The others cannot reach the store at which they met, which is on the host of rank 0; nor do any of their records
// arrive.
TEST_F(OnHosts, TheHostOfRank0ThatIsCutOffIsNamedByTheOthers) {
    if (::getuid() != 0) GTEST_SKIP() << "network namespaces need root";
    const test::NetworkHosts hosts(kHostsOfRun);
    if (!hosts.areThere()) GTEST_SKIP() << "no network namespaces here: hosts.sh up failed";
    for (const std::string& secret : {secret_, std::string()}) {
        secret_ = secret;
        if (secret.empty()) labs_ = "open";
        auto workers = start(100'000'000, "5.0");
        ASSERT_TRUE(test::newestRunTrains(folder_.path() / workspace(0)));
        const auto cut = std::chrono::steady_clock::now();
        EXPECT_TRUE(hosts.cut(1));
        for (std::size_t rank = 1; rank < workers.size(); ++rank) {
            const test::Ended ended = workers[rank].wait();
            EXPECT_EQ(ended.exit, kRunFailed) << "rank " << rank;
            EXPECT_THAT(ended.err, ContainsRegex("rank 0 on .*\\(10\\.77\\.0\\.1\\), where the ranks meet, does not"));
        }
        EXPECT_LT(std::chrono::steady_clock::now() - cut, seconds(5 + 5)) << "the deadline and 5 s";
        EXPECT_THAT(workers[0].wait().err, HasSubstr("rank 3 on ")) << "it is alone";
        EXPECT_TRUE(hosts.join(1));
    }
}

// A process that is stopped keeps its connections.
TEST_F(OnHosts, AHostThatDiesOrHangsIsNamedByAllOthers) {
    if (::getuid() != 0) GTEST_SKIP() << "network namespaces need root";
    const test::NetworkHosts hosts(kHostsOfRun);
    if (!hosts.areThere()) GTEST_SKIP() << "no network namespaces here: hosts.sh up failed";
    for (const int signal : {SIGKILL, SIGSTOP}) {
        labs_ = "lab" + std::to_string(signal) + "-";
        auto workers = start(100'000'000, "5.0");
        ASSERT_TRUE(test::newestRunTrains(folder_.path() / workspace(0)));
        ASSERT_TRUE(test::eventually([&] { return allTrain(1); }));
        const auto from = std::chrono::steady_clock::now();
        for (const pid_t child : test::childrenOf(workers[3].id())) ::kill(child, signal);
        workers[3].signal(signal);
        const auto named = [&](std::size_t rank) {
            return workers[rank].errors().find("(10.77.0.4) does not answer") != std::string::npos;
        };
        EXPECT_TRUE(test::eventually([&] { return named(0) && named(1) && named(2); }));
        EXPECT_LT(std::chrono::steady_clock::now() - from, seconds(5 + 5)) << "the deadline and 5 s";
        for (int rank = 0; rank + 1 < kHostsOfRun; ++rank) {
            const test::Ended ended = workers[static_cast<std::size_t>(rank)].wait();
            EXPECT_EQ(ended.exit, kRunFailed) << "rank " << rank;
            EXPECT_THAT(ended.err, ContainsRegex("rank 3 on .*\\(10\\.77\\.0\\.4\\) does not answer"))
                << "signal " << signal << ", rank " << rank;
        }
        workers[3].signal(SIGKILL);
    }
}

// Killed at random are the processes that forward a rank's records, and, for less than the deadline, a host's link.
TEST_F(OnHosts, FiftyKillsOfForwardersAndLinksLoseAndDoubleNothing) {
    if (::getuid() != 0) GTEST_SKIP() << "network namespaces need root";
    const test::NetworkHosts hosts(kHostsOfRun);
    if (!hosts.areThere()) GTEST_SKIP() << "no network namespaces here: hosts.sh up failed";
    auto workers = start(100'000'000, "30.0");
    ASSERT_TRUE(test::newestRunTrains(folder_.path() / workspace(0)));
    ASSERT_TRUE(test::eventually([&] { return allTrain(1); }));
    const std::string run = home().runs().list()->front().runId;
    std::mt19937 random(14);
    const auto until = std::chrono::steady_clock::now() + seconds(30);
    std::map<std::size_t, std::int64_t> killedAt;  // the newest step of the host that had come then
    int kills = 0;
    while (kills < 50 && std::chrono::steady_clock::now() < until) {
        const std::size_t host = 1 + random() % (kHostsOfRun - 1);
        std::this_thread::sleep_for(std::chrono::milliseconds(random() % 100));
        if (kills % 10 == 9) {
            EXPECT_TRUE(hosts.cut(static_cast<int>(host) + 1));
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            EXPECT_TRUE(hosts.join(static_cast<int>(host) + 1));
            ++kills;
            continue;
        }
        // A forwarder that has just begun has nothing under way that could be lost.
        const std::int64_t came = home().spans().lastSeen(run)->at(host).step;
        const auto forwarders = test::childrenOf(workers[host].id());
        if (forwarders.empty() || came <= killedAt[host]) continue;
        for (const pid_t forwarder : forwarders) ::kill(forwarder, SIGKILL);
        killedAt[host] = came;
        ++kills;
    }
    EXPECT_EQ(kills, 50) << "a forwarder that was killed is started again";
    workers[0].signal(SIGTERM);
    for (test::StartedProgram& worker : workers) {
        const test::Ended ended = worker.wait();
        ASSERT_EQ(ended.exit, kStopped) << ended.err;
    }
    auto reader = home();
    const storage::RunRow row = reader.runs().list()->front();
    EXPECT_EQ(row.status, "stopped");
    const auto made = static_cast<std::size_t>(row.steps);
    EXPECT_GT(made, 1000U);
    // Every rank has the same spans, one of each kind and step, and one loss a step.
    std::map<int, std::map<SpanKind, std::multiset<std::int64_t>>> spans;
    ASSERT_TRUE(reader.spans().each(row.runId, [&](const storage::SpanRow& span) {
        spans[span.rank][span.span.kind].insert(span.span.step);
        return true;
    }));
    ASSERT_EQ(spans.size(), 4U);
    for (const auto& [rank, kinds] : spans) {
        for (const SpanKind kind : {SpanKind::Forward, SpanKind::Backward, SpanKind::Update}) {
            ASSERT_TRUE(kinds.contains(kind)) << "rank " << rank;
            const auto& steps = kinds.at(kind);
            EXPECT_EQ(steps.size(), made) << "rank " << rank;
            EXPECT_EQ(std::set(steps.begin(), steps.end()).size(), made) << "none of rank " << rank << " twice";
        }
        for (const auto& [kind, steps] : kinds) {
            if (kind == SpanKind::Transfer || kind == SpanKind::Merge) {
                EXPECT_EQ(steps.size(), spans.at(0).at(kind).size()) << "rank " << rank;
            }
        }
    }
    const auto losses =
        reader.metrics().samples({.runId = row.runId, .name = metrics::kTrainLoss, .rank = std::nullopt});
    std::map<int, std::multiset<std::int64_t>> of;
    for (const storage::MetricSample& sample : losses->samples) of[sample.rank].insert(sample.step);
    ASSERT_EQ(of.size(), 4U);
    for (const auto& [rank, steps] : of) {
        EXPECT_EQ(steps, of.at(0)) << "rank " << rank;
        EXPECT_EQ(std::set(steps.begin(), steps.end()).size(), steps.size()) << "rank " << rank;
    }
}

// The link is down for longer than a connection lasts without acknowledgements, and for less than the deadline.
TEST_F(OnHosts, ALinkThatComesBackLosesNoStop) {
    if (::getuid() != 0) GTEST_SKIP() << "network namespaces need root";
    const test::NetworkHosts hosts(kHostsOfRun);
    if (!hosts.areThere()) GTEST_SKIP() << "no network namespaces here: hosts.sh up failed";
    auto workers = start(100'000'000, "40.0");
    ASSERT_TRUE(test::newestRunTrains(folder_.path() / workspace(0)));
    EXPECT_TRUE(hosts.cut(1));
    std::this_thread::sleep_for(seconds(12));
    EXPECT_TRUE(hosts.join(1));
    workers[2].signal(SIGTERM);
    for (test::StartedProgram& worker : workers) {
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, kStopped) << ended.err;
    }
    EXPECT_EQ(home().runs().list()->front().status, "stopped");
}

}  // namespace
}  // namespace dasgd::experiments
