// Counts handshakes of a CURVE socket that failed: the other end has another secret, or none.
#pragma once

#include <cstdint>
#include <zmq.hpp>

namespace dasgd::experiments {

// Of the thread that uses the socket, which it outlives.
class HandshakeMonitor {
public:
    HandshakeMonitor(zmq::context_t& context, zmq::socket_t& watched);
    [[nodiscard]] std::int64_t failures();        // in all
    [[nodiscard]] std::int64_t failuresInARow();  // since the last one that succeeded

private:
    void takeEvents();

    zmq::socket_t events_;
    std::int64_t failures_ = 0, inARow_ = 0;
};

}  // namespace dasgd::experiments
