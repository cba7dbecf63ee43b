// Who is at the other end of this process's connections within its host. Gloo takes in whoever connects while its mesh
// forms, and knows nobody; the kernel does: it tells whose each socket is.
#pragma once

#include <sys/types.h>

#include <set>

#include "core/base/result.h"

namespace dasgd {

class LocalPeers {
public:
    // Connections that are there already are none of those that are checked.
    LocalPeers();
    // Errors: the other end of a connection that was opened since is a process of another user.
    [[nodiscard]] Status check() const;

private:
    std::set<ino_t> before_;  // sockets
};

}  // namespace dasgd
