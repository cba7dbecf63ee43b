// `dasgd mirror` over the real ssh: a daemon on loopback with keys of its own, directly and through a jump host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include "tests/support/free_port.h"
#include "tests/support/mirroring.h"

namespace dasgd::experiments {
namespace {

using namespace dasgd::test;
using std::chrono::seconds;

bool does(const std::string& command) { return std::system((command + " >/dev/null 2>&1 </dev/null").c_str()) == 0; }

class OverSshd : public ::testing::Test {
protected:
    void SetUp() override {
        if (::getuid() != 0) GTEST_SKIP() << "a daemon that lets users in needs root";
        if (::access("/usr/sbin/sshd", X_OK) != 0) GTEST_SKIP() << "there is no /usr/sbin/sshd (openssh-server)";
        std::filesystem::create_directories("/run/sshd");
        for (const char* key : {"host", "user"}) {
            EXPECT_TRUE(does("ssh-keygen -q -t ed25519 -N '' -f " + (folder() / key).string()));
        }
        writeText(folder() / "authorized", contentOf(folder() / "user.pub"));
        writeText(folder() / "sshd_config",
                  "ListenAddress 127.0.0.1\nPort " + std::to_string(port_) + "\nHostKey " +
                      (folder() / "host").string() + "\nAuthorizedKeysFile " + (folder() / "authorized").string() +
                      "\nPidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\nPasswordAuthentication no\n");
        // Hosts and keys as a user's own configuration names them.
        const std::string user = ::getpwuid(::getuid())->pw_name;
        writeText(folder() / "ssh_config", "Host *\n  HostName 127.0.0.1\n  Port " + std::to_string(port_) +
                                               "\n  User " + user + "\n  IdentityFile " + (folder() / "user").string() +
                                               "\n  UserKnownHostsFile " + (folder() / "known").string() +
                                               "\n  StrictHostKeyChecking accept-new\n  IdentitiesOnly yes\n"
                                               "Host inner\n  ProxyCommand ssh -F " +
                                               (folder() / "ssh_config").string() + " -W 127.0.0.1:%p jump\n");
        writeText(folder() / "ssh", "#!/bin/sh\nexec ssh -F " + (folder() / "ssh_config").string() + " \"$@\"\n");
        daemon_ = std::make_unique<StartedProgram>(
            folder(), std::vector<std::string>{"-D", "-e", "-f", (folder() / "sshd_config").string()}, Environment{},
            "/usr/sbin/sshd");
    }
    [[nodiscard]] const std::filesystem::path& folder() const { return mirrored_.run.folder.path(); }
    [[nodiscard]] StartedProgram start(const std::string& host, const std::vector<std::string>& more) const {
        std::vector<std::string> arguments{"mirror",  "ssh://" + host + mirrored_.there().string(),
                                           "-w",      mirrored_.here().string(),
                                           "--dasgd", kProgram};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return {folder(), arguments, mirrored_.environment()};
    }
    [[nodiscard]] bool answers() const {
        return eventually([&] { return does("sh " + (folder() / "ssh").string() + " login true"); }, seconds(10));
    }

    MirroredFolder mirrored_;
    int port_ = freePort();
    std::unique_ptr<StartedProgram> daemon_;
};

TEST_F(OverSshd, RunsArriveDirectlyAndThroughAJumpHostAndAfterTheDaemonWasAway) {
    ASSERT_TRUE(answers()) << contentOf(folder() / "output-1.err");
    addRecords(mirrored_.there(), "run-a", 50'000, 50'000);
    const Ended direct = start("login", {"--once"}).wait();
    ASSERT_EQ(direct.exit, 0) << direct.err;
    EXPECT_EQ(checksumOf(mirrored_.here(), "run-a"), checksumOf(mirrored_.there(), "run-a"));
    addRecords(mirrored_.there(), "run-a", 50'000, 50'000);
    const Ended jumped = start("inner", {"--once"}).wait();
    ASSERT_EQ(jumped.exit, 0) << jumped.err;
    EXPECT_EQ(checksumOf(mirrored_.here(), "run-a"), checksumOf(mirrored_.there(), "run-a"));

    const auto mirror = start("login", {});
    const auto caughtUp = [&] { return recordsOf(mirrored_.here(), "run-a") == recordsOf(mirrored_.there(), "run-a"); };
    addRecords(mirrored_.there(), "run-a", 100, 0);
    EXPECT_TRUE(eventually(caughtUp));
    // Every connection of the daemon ends with its children.
    for (const pid_t session : childrenOf(daemon_->id())) ::kill(session, SIGKILL);
    addRecords(mirrored_.there(), "run-a", 100, 0);
    EXPECT_TRUE(eventually(caughtUp, seconds(30)));
    EXPECT_EQ(checksumOf(mirrored_.here(), "run-a"), checksumOf(mirrored_.there(), "run-a"));
    mirror.signal(SIGTERM);
}

}  // namespace
}  // namespace dasgd::experiments
