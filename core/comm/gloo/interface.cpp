#include "core/comm/gloo/interface.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

namespace dasgd {

namespace {

std::string textOf(const in_addr& address) {
    char buffer[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &address, buffer, sizeof buffer);
    return buffer;
}

Result<std::vector<Interface>> interfaces() {
    ifaddrs* first = nullptr;
    if (getifaddrs(&first) != 0) return fail(std::string("cannot list network interfaces: ") + std::strerror(errno));
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(first, freeifaddrs);
    std::vector<Interface> all;
    for (const ifaddrs* i = first; i != nullptr; i = i->ifa_next) {
        if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
        sockaddr_in address{};
        std::memcpy(&address, i->ifa_addr, sizeof address);
        all.push_back({i->ifa_name, textOf(address.sin_addr)});
    }
    return all;
}

Result<in_addr> resolve(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    addrinfo* found = nullptr;
    if (const int code = getaddrinfo(host.c_str(), nullptr, &hints, &found); code != 0) {
        return fail("host '" + host + "' does not resolve to an IPv4 address: " + gai_strerror(code) +
                    ". Set MASTER_ADDR to an address that every worker reaches.");
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
    sockaddr_in address{};
    std::memcpy(&address, found->ai_addr, sizeof address);
    return address.sin_addr;
}

}  // namespace

Result<Interface> interfaceNamed(const std::string& name) {
    DASGD_ASSIGN(const std::vector<Interface> all, interfaces());
    std::string known;
    for (const Interface& i : all) {
        if (i.name == name) return i;
        known += (known.empty() ? "" : ", ") + i.name + " (" + i.address + ")";
    }
    return fail("no network interface '" + name + "' with an IPv4 address here; there are: " + known +
                ". Set DASGD_INTERFACE to one of them.");
}

Result<std::string> resolveHost(const std::string& host) {
    DASGD_ASSIGN(const in_addr address, resolve(host));
    return textOf(address);
}

Result<Interface> interfaceTowards(const std::string& host) {
    DASGD_ASSIGN(const in_addr address, resolve(host));
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return fail(std::string("cannot make a socket: ") + std::strerror(errno));
    // Connecting a datagram socket only looks up the route.
    sockaddr_in peer{.sin_family = AF_INET, .sin_port = htons(9), .sin_addr = address, .sin_zero = {}};
    sockaddr_in own{};
    socklen_t length = sizeof own;
    const bool routed = connect(fd, reinterpret_cast<sockaddr*>(&peer), sizeof peer) == 0 &&
                        getsockname(fd, reinterpret_cast<sockaddr*>(&own), &length) == 0;
    close(fd);
    if (!routed) {
        return fail("no route from this host to '" + host +
                    "'. Set MASTER_ADDR to a reachable address or DASGD_INTERFACE to the interface to use.");
    }
    DASGD_ASSIGN(const std::vector<Interface> all, interfaces());
    const std::string source = textOf(own.sin_addr);
    for (const Interface& i : all) {
        if (i.address == source) return i;
    }
    return fail("no network interface has the address " + source + " from which '" + host + "' is reached");
}

}  // namespace dasgd
