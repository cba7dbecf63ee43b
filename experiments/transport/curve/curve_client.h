// Asks a CurveServer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/curve/handshake_monitor.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

// One thread. The server may appear later, and a connection that breaks is made anew.
class CurveClient {
public:
    // `endpoint`: CurveServer::endpoint(). Throws zmq::error_t where it is none.
    CurveClient(std::string endpoint, RunSecret secret) : CurveClient(std::move(endpoint), std::move(secret), false) {}

    // The answer, of a kind (curve_server.h) and a part at least. A request that is lost with a connection is sent
    // again over the next one, and one that is not answered after pauses that grow. nullopt: no answer within
    // `patience`; or `stopped`, which is asked some times a second.
    using Stopped = std::function<bool()>;
    [[nodiscard]] std::optional<Parts> ask(const Parts& request, std::chrono::milliseconds patience,
                                           const Stopped& stopped = nullptr);
    // The server, which has never answered, refuses one handshake after the other: it knows another secret.
    [[nodiscard]] bool isStranger() { return !known_ && handshakes_.failuresInARow() >= kHandshakesToGiveUp; }
    // A client of its own, for another thread.
    [[nodiscard]] CurveClient another() const { return {endpoint_, secret_, known_}; }

    [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
    [[nodiscard]] const RunSecret& secret() const { return secret_; }

private:
    // One that ends while it is connected to fails a handshake as well.
    static constexpr std::int64_t kHandshakesToGiveUp = 3;
    static constexpr std::chrono::milliseconds kFirstAgain{1000};

    CurveClient(std::string endpoint, RunSecret secret, bool known);
    [[nodiscard]] std::optional<Parts> answerTo(const std::string& name, bool unsent, std::chrono::milliseconds most);

    std::string endpoint_;
    RunSecret secret_;
    bool known_;  // the secret, there: it has answered
    std::unique_ptr<zmq::context_t> context_ = std::make_unique<zmq::context_t>(1);
    zmq::socket_t socket_{*context_, zmq::socket_type::dealer};
    HandshakeMonitor handshakes_{*context_, socket_};
    std::string id_;  // kept over broken connections
    std::uint64_t number_ = 0;
    std::chrono::milliseconds again_ = kFirstAgain;  // longer than answers took of late: a slow link is not filled
};

}  // namespace dasgd::experiments
