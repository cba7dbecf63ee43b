// Messages over the connections of a c10d Gloo group, with true ends.
//
// c10d's sends and receives have neither a callback nor a test: an end is seen only by a thread that blocks in wait(),
// a wait that times out breaks all connections, and a posted receive cannot be taken back. So matching is done here.
// Each peer's messages come in one stream: a header (tag, size, a small payload within), then the rest in slices. One
// thread per peer receives that stream and gives each message to the receive that asked for it, or keeps it in memory
// until one does; one thread per peer waits for what was sent. A thread starts with the first message to its peer, or
// the first receive that its peer may answer. So a message ends when its last byte was read, whether anybody waits;
// messages of other peers and tags never wait for it; a receive that nothing has answered is taken back by forgetting
// it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "core/base/clock.h"
#include "core/comm/communicator.h"

namespace dasgd {

class GlooMessages {
public:
    // `launching` is held while anything is handed to `backend`, whose counters are not locked. `clock` outlives it.
    GlooMessages(c10::intrusive_ptr<c10d::ProcessGroupGloo> backend, std::shared_ptr<std::mutex> launching,
                 const Group& group, std::chrono::milliseconds timeout, const Clock& clock);
    // Gives up operations under way.
    ~GlooMessages();
    GlooMessages(const GlooMessages&) = delete;
    GlooMessages& operator=(const GlooMessages&) = delete;

    // Thread-safe. `group` names the rank in errors.
    Pending start(const MessageCall& call);

    class Impl;

private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace dasgd
