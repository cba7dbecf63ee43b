// Users at the other ends of this process's connections within its host. Gloo accepts every connection while its mesh
// forms and authenticates none; the kernel tells which user owns each socket.
#pragma once

#include <sys/types.h>

#include <set>

#include "core/base/result.h"

namespace dasgd {

class LocalPeers {
public:
    // Connections that exist already are not checked.
    LocalPeers();
    // Errors: the other end of a connection that was opened since is a process of another user.
    [[nodiscard]] Status check() const;

private:
    std::set<ino_t> before_;  // sockets
};

}  // namespace dasgd
