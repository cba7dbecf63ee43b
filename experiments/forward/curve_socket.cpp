#include "experiments/forward/curve_socket.h"

#include "experiments/forward/wire.h"

namespace dasgd::experiments {

namespace {

constexpr int kHeartbeatMs = 2000, kSilenceMs = 8000, kHandshakeMs = 5000, kMostWaiting = 8;

}  // namespace

void setLimits(zmq::socket_t& socket) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::maxmsgsize, kMostMessageBytes);
    socket.set(zmq::sockopt::sndhwm, kMostWaiting);
    socket.set(zmq::sockopt::rcvhwm, kMostWaiting);
    socket.set(zmq::sockopt::heartbeat_ivl, kHeartbeatMs);
    socket.set(zmq::sockopt::heartbeat_timeout, kSilenceMs);
    socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
}

void serveWith(zmq::socket_t& socket, const RunSecret::Keys& own) {
    socket.set(zmq::sockopt::curve_server, true);
    socket.set(zmq::sockopt::curve_secretkey, own.secretKey);
}

void connectWith(zmq::socket_t& socket, const std::string& serverKey, const RunSecret::Keys& own) {
    socket.set(zmq::sockopt::curve_serverkey, serverKey);
    socket.set(zmq::sockopt::curve_publickey, own.publicKey);
    socket.set(zmq::sockopt::curve_secretkey, own.secretKey);
}

std::string tcpEndpoint(const std::string& address, int port) {
    const bool six = address.find(':') != std::string::npos;
    return "tcp://" + (six ? "[" + address + "]" : address) + ":" + (port == 0 ? "*" : std::to_string(port));
}

std::optional<Parts> receiveNow(zmq::socket_t& socket) {
    Parts parts;
    do {
        zmq::message_t part;
        if (!socket.recv(part, zmq::recv_flags::dontwait)) return std::nullopt;
        parts.push_back(part.to_string());
    } while (socket.get(zmq::sockopt::rcvmore));
    return parts;
}

bool sendNow(zmq::socket_t& socket, const Parts& parts) {
    try {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto more = i + 1 < parts.size() ? zmq::send_flags::sndmore : zmq::send_flags::none;
            if (!socket.send(zmq::buffer(parts[i]), more | zmq::send_flags::dontwait)) return false;
        }
        return true;
    } catch (const zmq::error_t&) {  // a router's peer is gone
        return false;
    }
}

}  // namespace dasgd::experiments
