// A link between two ports of this host that can be cut: the process that carries it is killed.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <thread>

namespace dasgd::test {

inline sockaddr_in loopback(int port) {
    sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(static_cast<std::uint16_t>(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// Both ways until one end closes.
inline void pump(int a, int b) {
    std::array<char, 65536> bytes{};
    while (true) {
        std::array<pollfd, 2> ends{{{a, POLLIN, 0}, {b, POLLIN, 0}}};
        if (::poll(ends.data(), ends.size(), -1) < 0) break;
        for (const auto& [from, to] : {std::pair{0, 1}, std::pair{1, 0}}) {
            if (ends[static_cast<std::size_t>(from)].revents == 0) continue;
            const ssize_t got = ::recv(ends[static_cast<std::size_t>(from)].fd, bytes.data(), bytes.size(), 0);
            for (ssize_t sent = 0; sent < got;) {
                const ssize_t now = ::send(ends[static_cast<std::size_t>(to)].fd, bytes.data() + sent,
                                           static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
                if (now <= 0) break;
                sent += now;
            }
            if (got <= 0) {
                ::close(a);
                ::close(b);
                return;
            }
        }
    }
}

// Carries every connection to port `from` on to port `to`, of loopback; until it is killed. 1: `from` is taken.
inline int carryTcp(int from, int to) {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    const int yes = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const sockaddr_in own = loopback(from), other = loopback(to);
    if (::bind(listener, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0 || ::listen(listener, 16) != 0)
        return 1;
    while (true) {
        const int near = ::accept(listener, nullptr, nullptr);
        if (near < 0) continue;
        const int far = ::socket(AF_INET, SOCK_STREAM, 0);
        if (::connect(far, reinterpret_cast<const sockaddr*>(&other), sizeof other) != 0) {
            ::close(near);
            ::close(far);
            continue;
        }
        std::thread(pump, near, far).detach();
    }
}

}  // namespace dasgd::test
