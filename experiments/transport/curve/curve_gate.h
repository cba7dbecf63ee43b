// Lets those into the CURVE servers of a process who have one key, and nobody else: ZeroMQ asks it (RFC 27/ZAP).
#pragma once

#include <string>
#include <zmq.hpp>

namespace dasgd::experiments {

// One thread, that of the servers of its context. Without a gate ZeroMQ would ask nobody and let anybody in.
class CurveGate {
public:
    // `admitted`: the public key that is let in, 40 characters of Z85.
    CurveGate(zmq::context_t& context, std::string admitted);
    // Before `server` is bound.
    static void putBefore(zmq::socket_t& server);
    // To be polled; where something waits there, admitWaiting().
    [[nodiscard]] zmq::socket_t& socket() { return socket_; }
    void admitWaiting();

private:
    zmq::socket_t socket_;
    const std::string admitted_;
};

}  // namespace dasgd::experiments
