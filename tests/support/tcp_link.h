// Links between two ports of this host: one is cut by killing the process that carries it, one loses what it carries.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace dasgd::test {

inline sockaddr_in loopback(int port) {
    sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(static_cast<std::uint16_t>(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// Carries both ways until one end closes.
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

// Carries connections to a port of its own on to port `to`, and loses what it is told to: the ends see nothing of that
// until it heals.
class LossyLink {
public:
    enum class Loses { Nothing, Requests, Answers };

    explicit LossyLink(int to) : to_(to), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in own = loopback(0);
        socklen_t size = sizeof own;
        DASGD_CHECK(::bind(listener_, reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0);
        DASGD_CHECK(::listen(listener_, 16) == 0);
        DASGD_CHECK(::getsockname(listener_, reinterpret_cast<sockaddr*>(&own), &size) == 0);
        port_ = ntohs(own.sin_port);
        thread_ = std::thread([this] {
            while (!stop_) look();
        });
    }
    ~LossyLink() {
        stop_ = true;
        thread_.join();
        heal();
        ::close(listener_);
    }
    LossyLink(const LossyLink&) = delete;
    LossyLink& operator=(const LossyLink&) = delete;

    [[nodiscard]] int port() const { return port_; }
    void lose(Loses what) {
        const std::lock_guard guard(mutex_);
        loses_ = what;
    }
    // Closes all connections; from now on nothing is lost.
    void heal() {
        const std::lock_guard guard(mutex_);
        loses_ = Loses::Nothing;
        for (const Ends& ends : connections_) close(ends);
        connections_.clear();
    }
    [[nodiscard]] std::int64_t lostBytes() const { return lost_; }

private:
    struct Ends {
        int near, far;
    };
    static void close(const Ends& ends) {
        ::close(ends.near);
        ::close(ends.far);
    }

    void look() {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        const std::lock_guard guard(mutex_);
        pollfd knock{listener_, POLLIN, 0};
        if (::poll(&knock, 1, 0) == 1) {
            const Ends ends{::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC),
                            ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
            const sockaddr_in other = loopback(to_);
            if (::connect(ends.far, reinterpret_cast<const sockaddr*>(&other), sizeof other) == 0) {
                connections_.push_back(ends);
            } else {
                close(ends);
            }
        }
        std::erase_if(connections_, [this](const Ends& ends) {
            const bool open = carry(ends.near, ends.far, loses_ == Loses::Requests) &&
                              carry(ends.far, ends.near, loses_ == Loses::Answers);
            if (!open) close(ends);
            return !open;
        });
    }
    // False: an end has closed.
    bool carry(int from, int to, bool loses) {
        std::array<char, 65536> bytes{};
        const ssize_t got = ::recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got <= 0) return got < 0 && errno == EAGAIN;
        if (loses) lost_ += got;
        return loses || ::send(to, bytes.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL) == got;
    }

    const int to_, listener_;
    int port_ = 0;
    std::mutex mutex_;
    Loses loses_ = Loses::Nothing;  // guarded by mutex_, as the next one
    std::vector<Ends> connections_;
    std::atomic<std::int64_t> lost_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace dasgd::test
