// Asks a KeyValueServer.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/curve/handshake_monitor.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

// One thread. The server may appear later.
class KeyValueClient {
public:
    KeyValueClient(std::string address, int port, RunSecret secret);

    // The answer to a request (operation, key, operands); nullopt where the key is not there. A request
    // that is lost with a connection is repeated. Errors: no answer until the deadline; the server knows another
    // secret; it refused the request.
    Result<std::optional<std::string>> ask(const Parts& request, std::chrono::milliseconds timeout);
    [[nodiscard]] KeyValueClient another() const { return {address_, port_, secret_, secretIsKnown_}; }

private:
    KeyValueClient(std::string address, int port, RunSecret secret, bool secretIsKnown);
    [[nodiscard]] Result<Parts> answerTo(const Parts& message, std::chrono::milliseconds timeout);
    [[nodiscard]] Result<std::optional<std::string>> answerOf(const Parts& answer, const Parts& request) const;
    [[nodiscard]] std::string place() const { return address_ + ":" + std::to_string(port_); }

    std::string address_;
    int port_;
    RunSecret secret_;
    bool secretIsKnown_;  // there: it has answered
    std::unique_ptr<zmq::context_t> context_ = std::make_unique<zmq::context_t>(1);
    zmq::socket_t socket_{*context_, zmq::socket_type::dealer};
    HandshakeMonitor handshakes_{*context_, socket_};
    std::string id_;  // identity of the client, kept over broken connections
    std::uint64_t number_ = 0;
};

}  // namespace dasgd::experiments
