#include "experiments/transport/curve/handshake_monitor.h"

#include <atomic>
#include <cstring>
#include <string>

#include "experiments/transport/curve/curve_socket.h"

namespace dasgd::experiments {

namespace {

constexpr int kFailed =
    ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
constexpr int kSucceeded = ZMQ_EVENT_HANDSHAKE_SUCCEEDED, kAccepted = ZMQ_EVENT_ACCEPTED;

std::string newEndpoint() {
    static std::atomic<int> number{0};
    return "inproc://handshakes-" + std::to_string(++number);
}

}  // namespace

HandshakeMonitor::HandshakeMonitor(zmq::context_t& context, zmq::socket_t& watched)
    : events_(context, zmq::socket_type::pair) {
    const std::string endpoint = newEndpoint();
    if (zmq_socket_monitor(watched.handle(), endpoint.c_str(), kFailed | kSucceeded | kAccepted) != 0)
        throw zmq::error_t();
    events_.set(zmq::sockopt::linger, 0);
    events_.connect(endpoint);
}

// An event: its number in two bytes and a value in four; then the other end's address.
void HandshakeMonitor::takeEvents() {
    while (const auto event = receiveNow(events_)) {
        std::uint16_t number = 0;
        if (event->front().size() < sizeof number) continue;
        std::memcpy(&number, event->front().data(), sizeof number);
        if ((number & kAccepted) != 0) ++accepted_;
        if ((number & kSucceeded) != 0) {
            ++succeeded_;
            inARow_ = 0;
        }
        if ((number & kFailed) != 0) {
            ++failed_;
            ++inARow_;
        }
    }
}

std::int64_t HandshakeMonitor::failures() {
    takeEvents();
    // A server sees only the connection of a peer that does not speak ZeroMQ, and no failed handshake.
    return accepted_ > 0 ? accepted_ - succeeded_ : failed_;
}

std::int64_t HandshakeMonitor::successes() {
    takeEvents();
    return succeeded_;
}

std::int64_t HandshakeMonitor::failuresInARow() {
    takeEvents();
    return inARow_;
}

}  // namespace dasgd::experiments
