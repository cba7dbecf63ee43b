#include "experiments/transport/curve/curve_gate.h"

#include <array>
#include <cstdint>
#include <utility>

#include "experiments/transport/curve/curve_socket.h"

namespace dasgd::experiments {

namespace {

constexpr const char* kZapEndpoint = "inproc://zeromq.zap.01";
constexpr const char* kDomain = "dasgd";

std::string z85Of(const std::string& key) {
    std::array<char, 41> text{};
    return zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(key.data()), key.size()) ? text.data()
                                                                                                      : "";
}

}  // namespace

CurveGate::CurveGate(zmq::context_t& context, std::string admitted)
    : socket_(context, zmq::socket_type::rep), admitted_(std::move(admitted)) {
    socket_.bind(kZapEndpoint);
}

void CurveGate::putBefore(zmq::socket_t& server) { server.set(zmq::sockopt::zap_domain, kDomain); }

// version, request, domain, address, identity, mechanism, credentials → version, request, status, text, user, data
void CurveGate::admitWaiting() {
    while (const auto asked = receiveNow(socket_)) {
        if (asked->size() < 6) continue;
        const Parts& parts = *asked;
        const bool known = parts.size() == 7 && parts[5] == "CURVE" && parts[2] == kDomain && parts[6].size() == 32 &&
                           z85Of(parts[6]) == admitted_;
        sendNow(socket_, {"1.0", parts[1], known ? "200" : "400", known ? "OK" : "unknown key", "", ""});
    }
}

}  // namespace dasgd::experiments
