// Network interfaces, to choose the one that a worker's sockets are bound to.
#pragma once

#include <string>

#include "core/base/result.h"

namespace dasgd {

struct Interface {
    std::string name;     // "lo", "eth0"
    std::string address;  // IPv4, "127.0.0.1"
    [[nodiscard]] bool isLoopback() const { return address.starts_with("127."); }
};

// The interface of that name. Errors: unknown, or without an IPv4 address; the message lists those there are.
[[nodiscard]] Result<Interface> interfaceNamed(const std::string& name);

// The interface from which this host reaches `host` (name or IPv4 address); sends nothing.
[[nodiscard]] Result<Interface> interfaceTowards(const std::string& host);

// IPv4 address of a host name. Errors: it does not resolve.
[[nodiscard]] Result<std::string> resolveHost(const std::string& host);

}  // namespace dasgd
