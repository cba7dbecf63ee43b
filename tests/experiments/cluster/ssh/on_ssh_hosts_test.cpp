// `dasgd run --on` over real ssh: four hosts and a desk, which are network namespaces with links of their own. Needs
// root and OpenSSH's server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "experiments/base/errors.h"
#include "storage/read/run_reader.h"
#include "storage/read/span_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"
#include "tests/support/network_hosts.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr int kHosts = 4;
constexpr const char* kDesk = "w5";
constexpr const char* kSshd = "/usr/sbin/sshd";

class OnSshHosts : public ::testing::Test {
protected:
    void SetUp() override {
        if (::getuid() != 0) GTEST_SKIP() << "network namespaces need root";
        if (::access(kSshd, X_OK) != 0) GTEST_SKIP() << "openssh-server is not installed";
        hosts_.emplace(kHosts + 1);
        if (!hosts_->areThere()) GTEST_SKIP() << "no network namespaces here: hosts.sh up failed";
        for (const char* const name : {"key", "host"}) {
            ASSERT_TRUE(test::does("ssh-keygen -q -t ed25519 -N '' -f " + path(name)));
        }
        folder_.write("sshd_config", "HostKey " + path("host") + "\nAuthorizedKeysFile " + path("key.pub") +
                                         "\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
                                         "PermitRootLogin prohibit-password\n");
        std::filesystem::create_directories("/run/sshd");
        for (int host = 1; host <= kHosts; ++host) serve(host);
        profile();
    }
    [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    static std::string address(int host) { return "10.77.0." + std::to_string(host); }
    // Every host has a home folder of its own: namespaces share the files of the machine.
    void serve(int host) {
        const std::string home = path("home" + std::to_string(host));
        std::filesystem::create_directories(home);
        servers_.emplace_back(
            folder_.path(),
            std::vector<std::string>{"netns", "exec", "w" + std::to_string(host), kSshd, "-D", "-e", "-f",
                                     path("sshd_config"), "-o", "ListenAddress=" + address(host), "-o", "Port=2222",
                                     "-o", "SetEnv=HOME=" + home},
            test::Environment{}, "/sbin/ip");
        EXPECT_TRUE(test::eventually([&] { return !hosts_->listeners(host).empty(); }));
    }
    void profile() const {
        std::string hosts;
        for (int host = 1; host <= kHosts; ++host) {
            hosts += (host > 1 ? ", " : "") + ("\"root@" + address(host)) + ":2222\"";
        }
        folder_.write(
            "lab.toml",
            "kind = \"ssh\"\nhosts = [" + hosts + "]\nranks_per_host = 1\ninterface = \"eth0\"\n" +
                "workspace = \"~/w\"\ndasgd = \"" + std::string(test::kProgram) +
                "\"\n[ssh]\noptions = [\"-F\", \"/dev/null\", \"-i\", \"" + path("key") +
                "\", \"-o\", \"StrictHostKeyChecking=no\", \"-o\", "
                "\"UserKnownHostsFile=/dev/null\", \"-o\", \"LogLevel=ERROR\", \"-o\", \"ConnectTimeout=3\"]\n");
    }
    void experiment(int steps, const std::string& timeout) const {
        std::string text = test::quickExperiment("gloo", steps);
        const auto put = [&](const std::string& before, const std::string& after) {
            text.replace(text.find(before), before.size(), after);
        };
        put("workers = 2", "workers = 4\ntimeout_s = " + timeout);
        put("[0.0, 1.0]]", "[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]");
        folder_.write("e.toml", text);
    }
    [[nodiscard]] test::StartedProgram command(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), {"netns", "exec", kDesk, test::kProgram});
        return {folder_.path(), arguments, {}, "/sbin/ip"};
    }
    [[nodiscard]] std::filesystem::path workspace(int host) const {
        return folder_.path() / ("home" + std::to_string(host)) / "w";
    }
    // `ip netns exec` becomes the command itself, and its children are ssh.
    [[nodiscard]] static pid_t connectionTo(int host, const test::StartedProgram& run) {
        for (const pid_t child : test::childrenOf(run.id())) {
            const std::string line = test::contentOf("/proc/" + std::to_string(child) + "/cmdline");
            if (line.find("root@" + address(host)) != std::string::npos) return child;
        }
        return 0;
    }

    test::DasgdFolder folder_;
    std::optional<test::NetworkHosts> hosts_;
    std::vector<test::StartedProgram> servers_;
};

TEST_F(OnSshHosts, OneRunOfFourHostsIsOneRecordOnTheFirst) {
    experiment(2000, "20.0");
    const test::Ended doctor = command({"doctor", "--on", "lab", "--json"}).wait();
    EXPECT_EQ(doctor.exit, kFinished) << doctor.out << doctor.err;
    EXPECT_THAT(doctor.out, HasSubstr("reaches root@10.77.0.1:2222 at 10.77.0.1"));
    test::StartedProgram run = command({"run", "e.toml", "--on", "lab", "--json"});
    ASSERT_TRUE(test::newestRunComesTo(workspace(1), [](const auto& row) { return row.steps > 100; }));
    for (int host = 1; host <= kHosts; ++host) {
        for (const std::string& socket : hosts_->listeners(host)) {
            EXPECT_THAT(socket, StartsWith(address(host) + ":")) << "on the named interface alone";
        }
    }
    const test::Ended ended = run.wait();
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    const auto line = nlohmann::json::parse(ended.out);
    EXPECT_EQ(line["record"], "root@10.77.0.1:2222:" + workspace(1).string());
    auto reader = storage::SpanReader::open(workspace(1));
    ASSERT_TRUE(reader);
    std::map<int, std::multiset<std::int64_t>> updates;
    ASSERT_TRUE(reader->each(line["run_id"], [&](const storage::SpanRow& span) {
        if (span.span.kind == SpanKind::Update) updates[span.rank].insert(span.span.step);
        return true;
    }));
    ASSERT_EQ(updates.size(), 4u);
    for (const auto& [rank, steps] : updates) {
        EXPECT_EQ(steps.size(), 2000u) << "rank " << rank;
        EXPECT_EQ(std::set(steps.begin(), steps.end()).size(), 2000u) << "none of rank " << rank << " twice";
    }
    for (int host = 2; host <= kHosts; ++host) {
        EXPECT_TRUE(storage::RunReader::open(workspace(host))->list()->empty());
    }
}

TEST_F(OnSshHosts, AConnectionThatIsCutStopsTheRunAtOneStep) {
    experiment(100'000'000, "20.0");
    test::StartedProgram run = command({"run", "e.toml", "--on", "lab"});
    ASSERT_TRUE(test::newestRunTrains(workspace(1)));
    const pid_t ssh = connectionTo(3, run);
    ASSERT_GT(ssh, 0);
    ::kill(ssh, SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kRunFailed) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("root@10.77.0.3:2222: the connection has ended, ssh by signal 9"));
    EXPECT_THAT(ended.out, HasSubstr("stopped")) << "the ranks there could say so to the others";
    EXPECT_EQ(storage::RunReader::open(workspace(1))->list()->front().status, "stopped");
}

TEST_F(OnSshHosts, AHostWhoseLinkIsDownIsNamedByTheOthers) {
    experiment(100'000'000, "3.0");
    test::StartedProgram run = command({"run", "e.toml", "--on", "lab"});
    ASSERT_TRUE(test::newestRunTrains(workspace(1)));
    EXPECT_TRUE(hosts_->cut(4));
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kRunFailed) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("rank 0 on root@10.77.0.1:2222: exit status 1"));
    EXPECT_THAT(ended.err, HasSubstr("root@10.77.0.4:2222: "));
    EXPECT_EQ(storage::RunReader::open(workspace(1))->list()->front().status, "failed");
}

// There is room for one rank on each host: three are left, and go on from the checkpoint that all four made.
TEST_F(OnSshHosts, WithoutAHostThatIsCutOffTheRunGoesOnFromItsCheckpoint) {
    experiment(4'000, "3.0");
    std::string text = test::contentOf(folder_.path() / "e.toml");
    folder_.write("e.toml", text.insert(text.find("[train]\n") + 8, "checkpoint = { every = \"100 steps\" }\n"));
    test::StartedProgram run = command({"run", "e.toml", "--on", "lab", "--restarts", "1"});
    ASSERT_TRUE(test::newestRunComesTo(workspace(1), [](const auto& row) { return row.steps > 300; }));
    EXPECT_TRUE(hosts_->cut(4));
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("with 3 workers, restart 1 of 1"));
    const auto runs = storage::RunReader::open(workspace(1))->list().value();
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[1].status, "failed");
    EXPECT_EQ(runs[0].status, "finished");
    EXPECT_EQ(runs[0].workers, 3);
    EXPECT_EQ(runs[0].resumedFrom, runs[1].runId);
    EXPECT_GE(runs[1].steps, runs[0].resumedStep);
    for (int rank = 0; rank < 4; ++rank) {
        const auto log = workspace(1) / "runs" / runs[1].runId / "logs" / ("rank-" + std::to_string(rank) + ".log");
        EXPECT_EQ(std::filesystem::exists(log), rank < 3) << "of a rank that was cut off it is still there";
    }
}

// The ranks there are about to stop when the next connection asks where the run goes on.
TEST_F(OnSshHosts, WithoutTheConnectionToTheFirstHostTheRunGoesOnFromWhereItStopped) {
    experiment(4'000, "20.0");
    test::StartedProgram run = command({"run", "e.toml", "--on", "lab", "--restarts", "1"});
    ASSERT_TRUE(test::newestRunComesTo(workspace(1), [](const auto& row) { return row.steps > 100; }));
    const pid_t ssh = connectionTo(1, run);
    ASSERT_GT(ssh, 0);
    ::kill(ssh, SIGKILL);
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    const auto runs = storage::RunReader::open(workspace(1))->list().value();
    ASSERT_EQ(runs.size(), 2u);
    EXPECT_EQ(runs[1].status, "stopped");
    EXPECT_EQ(runs[0].status, "finished");
    EXPECT_EQ(runs[0].workers, 4);
    EXPECT_EQ(runs[0].resumedFrom, runs[1].runId);
    EXPECT_EQ(runs[0].resumedStep, runs[1].steps) << "nothing is trained again";
}

TEST_F(OnSshHosts, AHostThatLacksSomethingIsNamedBeforeAnyRankStarts) {
    experiment(10, "20.0");
    servers_[1].signal(SIGKILL);
    ASSERT_TRUE(test::eventually([&] { return hosts_->listeners(2).empty(); }));
    const test::Ended ended = command({"run", "e.toml", "--on", "lab"}).wait();
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.err, HasSubstr("root@10.77.0.2:2222: cannot be reached (ssh: connect to host 10.77.0.2"));
    EXPECT_FALSE(std::filesystem::exists(workspace(1) / "runs"));
    const test::Ended doctor = command({"doctor", "--on", "lab"}).wait();
    EXPECT_EQ(doctor.exit, kRunFailed);
    EXPECT_THAT(doctor.out, HasSubstr("root@10.77.0.2:2222  broken   reachable"));
}

}  // namespace
}  // namespace dasgd::experiments
