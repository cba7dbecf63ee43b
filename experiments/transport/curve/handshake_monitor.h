// Counts handshakes of a CURVE socket: where one failed, the other end has another secret, or none.
#pragma once

#include <cstdint>
#include <zmq.hpp>

namespace dasgd::experiments {

// Counts the handshakes of a socket. Belongs to the thread that uses the socket; the socket outlives it.
class HandshakeMonitor {
public:
    HandshakeMonitor(zmq::context_t& context, zmq::socket_t& watched);
    // In all; of a server with those that are under way.
    [[nodiscard]] std::int64_t failures();
    [[nodiscard]] std::int64_t failuresInARow();  // since the last one that succeeded
    [[nodiscard]] std::int64_t successes();

private:
    void takeEvents();

    zmq::socket_t events_;
    std::int64_t accepted_ = 0, succeeded_ = 0, failed_ = 0, inARow_ = 0;
};

}  // namespace dasgd::experiments
