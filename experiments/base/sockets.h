// Lists the addresses on which our own processes listen, from the kernel's tables.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace dasgd::experiments {

struct ListeningSocket {
    pid_t process = 0;
    std::string address;  // "127.0.0.1:29500", "[::]:80"
    bool loopback = false;
    bool everywhere = false;  // bound to all interfaces
};

// The listening sockets of all processes of this user that run this program in this network namespace.
[[nodiscard]] std::vector<ListeningSocket> ownListeningSockets();

// Lines of /proc/net/tcp or tcp6 that listen: the socket's inode and its address.
struct ListenLine {
    std::string inode;
    ListeningSocket socket;
};
[[nodiscard]] std::vector<ListenLine> parseListening(const std::string& procNetTcp);

}  // namespace dasgd::experiments
