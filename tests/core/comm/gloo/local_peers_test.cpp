#include "core/comm/gloo/local_peers.h"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kNobody = 65534;

// A socket that listens on loopback, and the address that others reach it at.
struct Listener {
    Listener() {
        sockaddr_in any{};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&any), sizeof any), 0);
        EXPECT_EQ(::listen(fd, 4), 0);
        socklen_t size = sizeof address;
        EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
    }
    ~Listener() { ::close(fd); }
    int connect() const {
        const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        return ::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? other : -1;
    }
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
};

TEST(LocalPeersTest, OwnProcessesMayJoin) {
    const Listener listener;
    const LocalPeers peers;
    const int there = listener.connect(), here = ::accept(listener.fd, nullptr, nullptr);
    ASSERT_GE(there, 0);
    ASSERT_GE(here, 0);
    const Status own = peers.check();
    EXPECT_TRUE(own) << own.error().message;
    ::close(there);
    ::close(here);
}

// Connects as a user who owns nothing here, and stays.
class Intruder {
public:
    explicit Intruder(const Listener& listener) {
        std::array<int, 2> ready{};
        EXPECT_EQ(::pipe(ready.data()), 0);
        id_ = ::fork();
        if (id_ == 0) {
            const bool in = ::setuid(kNobody) == 0 && listener.connect() >= 0;
            static_cast<void>(::write(ready[1], in ? "y" : "n", 1));
            ::pause();
            ::_exit(0);
        }
        char answer = 0;
        EXPECT_EQ(::read(ready[0], &answer, 1), 1);
        EXPECT_EQ(answer, 'y');
        for (const int end : ready) ::close(end);
    }
    ~Intruder() {
        ::kill(id_, SIGKILL);
        ::waitpid(id_, nullptr, 0);
    }
    Intruder(const Intruder&) = delete;
    Intruder& operator=(const Intruder&) = delete;

private:
    pid_t id_ = 0;
};

TEST(LocalPeersTest, AProcessOfAnotherUserIsFound) {
    if (::getuid() != 0) GTEST_SKIP() << "another user's process needs root to be made";
    const Listener listener;
    const LocalPeers peers;
    const Intruder intruder(listener);
    EXPECT_TRUE(peers.check()) << "it is not let in yet";
    const int here = ::accept(listener.fd, nullptr, nullptr);
    ASSERT_GE(here, 0);
    const Status joined = peers.check();
    ASSERT_FALSE(joined);
    EXPECT_THAT(joined.error().message, HasSubstr("a process of another user (id 65534) has joined"));
    EXPECT_THAT(joined.error().message, HasSubstr("at port " + std::to_string(ntohs(listener.address.sin_port))));
    EXPECT_TRUE(LocalPeers().check()) << "what was there before is another's business";
    ::close(here);
}

}  // namespace
}  // namespace dasgd::test
