// The kernel's list of listening sockets.
#include "experiments/base/sockets.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

namespace dasgd::experiments {
namespace {

TEST(Sockets, ReadsTheKernelsLines) {
    const std::string text =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        "   0: 0100007F:733C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 111 1 0 100 0 0 10 "
        "0\n"
        "   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 222 1 0 100 0 0 10 "
        "0\n"
        "   2: 0100007F:1234 0100007F:0016 01 00000000:00000000 00:00000000 00000000     0        0 333 1 0 100 0 0 10 "
        "0\n";
    const auto lines = parseListening(text);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].inode, "111");
    EXPECT_EQ(lines[0].socket.address, "127.0.0.1:29500");
    EXPECT_TRUE(lines[0].socket.loopback);
    EXPECT_TRUE(lines[1].socket.everywhere);
    const auto six = parseListening(
        "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 444 1\n");
    ASSERT_EQ(six.size(), 1u);
    EXPECT_EQ(six[0].socket.address, "[::1]:80");
    EXPECT_TRUE(six[0].socket.loopback);
}

TEST(Sockets, FindsOurOwn) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(fd, 1), 0);
    socklen_t size = sizeof address;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    const std::string wanted = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    const auto found = ownListeningSockets();
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const ListeningSocket& socket) {
        return socket.address == wanted && socket.process == ::getpid() && socket.loopback;
    }));
    ::close(fd);
    const auto after = ownListeningSockets();
    EXPECT_TRUE(std::none_of(after.begin(), after.end(),
                             [&](const ListeningSocket& socket) { return socket.address == wanted; }));
}

}  // namespace
}  // namespace dasgd::experiments
