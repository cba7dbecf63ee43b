#include "experiments/transport/curve/curve_socket.h"

namespace dasgd::experiments {

namespace {

constexpr int kSilenceMs = 8000, kHandshakeMs = 5000, kMostWaiting = 8;
constexpr int kProbeS = 2, kProbes = 3;  // of a connection on which nothing is sent: given up after kSilenceMs, too

// Not by ZeroMQ's heartbeats: together with a bounded number of waiting messages they make libzmq 4.3.4 abort the
// process whose peer is lost while it is slow to read (zeromq/libzmq #3937, #4364, #4767). The kernel finds a dead
// peer: by its probes where nothing is under way, else by what is not acknowledged. A process that was stopped is no
// dead peer.
void giveSilentPeersUp(zmq::socket_t& socket) {
    socket.set(zmq::sockopt::tcp_keepalive, 1);
    socket.set(zmq::sockopt::tcp_keepalive_idle, kProbeS);
    socket.set(zmq::sockopt::tcp_keepalive_intvl, kProbeS);
    socket.set(zmq::sockopt::tcp_keepalive_cnt, kProbes);
    socket.set(zmq::sockopt::tcp_maxrt, kSilenceMs);
}

}  // namespace

void setLimits(zmq::socket_t& socket) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::maxmsgsize, kMostMessageBytes);
    socket.set(zmq::sockopt::sndhwm, kMostWaiting);
    socket.set(zmq::sockopt::rcvhwm, kMostWaiting);
    socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
    // Else the kernel's pauses between its tries grow beyond what a link was down.
    socket.set(zmq::sockopt::connect_timeout, kHandshakeMs);
    giveSilentPeersUp(socket);
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
