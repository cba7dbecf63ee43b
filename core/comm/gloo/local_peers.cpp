#include "core/comm/gloo/local_peers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

namespace dasgd {

namespace {

constexpr std::uint32_t kEstablished = 1;

// Address and port as in /proc/net/tcp: the address in network byte order.
using LocalEnd = std::pair<std::uint32_t, std::uint16_t>;

// Open sockets of this process by inode number, which no later socket gets; descriptors are reused.
std::map<ino_t, int> openSockets() {
    std::map<ino_t, int> sockets;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", code)) {
        const int descriptor = std::stoi(entry.path().filename().string());
        struct stat found {};
        if (::fstat(descriptor, &found) == 0 && S_ISSOCK(found.st_mode)) sockets[found.st_ino] = descriptor;
    }
    return sockets;
}

// Reads one end of an IPv4 connection by `name`, getsockname or getpeername.
bool endOf(int descriptor, int (*name)(int, sockaddr*, socklen_t*), LocalEnd& end) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    if (name(descriptor, reinterpret_cast<sockaddr*>(&address), &size) != 0) return false;
    if (address.sin_family != AF_INET || size != sizeof address) return false;
    end = {address.sin_addr.s_addr, ntohs(address.sin_port)};
    return true;
}

// Owners (user ids) of the sockets of this network namespace, by their own and their other end.
std::map<std::pair<LocalEnd, LocalEnd>, std::uint32_t> owners() {
    std::map<std::pair<LocalEnd, LocalEnd>, std::uint32_t> owners;
    std::ifstream table("/proc/self/net/tcp");
    std::string line;
    std::getline(table, line);
    while (std::getline(table, line)) {
        LocalEnd own, other;
        std::uint32_t state = 0, user = 0;
        std::uint64_t socket = 0;
        const int read = std::sscanf(line.c_str(),
                                     "%*d: %" SCNx32 ":%" SCNx16 " %" SCNx32 ":%" SCNx16 " %" SCNx32
                                     " %*x:%*x %*x:%*x %*x %" SCNu32 " %*d %" SCNu64,
                                     &own.first, &own.second, &other.first, &other.second, &state, &user, &socket);
        // Sockets that belong to no process any more, or not yet, are listed as the superuser's.
        if (read == 7 && state == kEstablished && socket != 0) owners[{own, other}] = user;
    }
    return owners;
}

}  // namespace

LocalPeers::LocalPeers() {
    for (const auto& [socket, descriptor] : openSockets()) before_.insert(socket);
}

Status LocalPeers::check() const {
    const auto known = owners();
    for (const auto& [socket, descriptor] : openSockets()) {
        LocalEnd own, other;
        if (before_.contains(socket) || !endOf(descriptor, ::getsockname, own) ||
            !endOf(descriptor, ::getpeername, other)) {
            continue;
        }
        // Sockets of other hosts are not in the table.
        const auto found = known.find({other, own});
        if (found == known.end() || found->second == ::geteuid()) continue;
        return fail("a process of another user (id " + std::to_string(found->second) +
                    ") has joined the ranks on this host, at port " + std::to_string(own.second) +
                    "; nothing is sent to it. Ask who that is, and start again");
    }
    return {};
}

}  // namespace dasgd
