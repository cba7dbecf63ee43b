#include "experiments/transport/store/key_value_client.h"

#include <algorithm>
#include <random>
#include <utility>

#include "experiments/transport/store/key_value_server.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kAnswerPause{100}, kResend{1000};
// A rank 0 that ends while it is connected to fails a handshake as well.
constexpr std::int64_t kHandshakesToGiveUp = 3;

std::string bytesOf(std::uint64_t number) {
    std::string bytes(sizeof number, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(number & 0xFF);
        number >>= 8;
    }
    return bytes;
}

std::string newClientId() {
    std::random_device random;
    return bytesOf(std::uint64_t{random()} << 32 | random());
}

}  // namespace

KeyValueClient::KeyValueClient(std::string address, int port, RunSecret secret)
    : KeyValueClient(std::move(address), port, std::move(secret), false) {}

KeyValueClient::KeyValueClient(std::string address, int port, RunSecret secret, bool secretIsKnown)
    : address_(std::move(address)),
      port_(port),
      secret_(std::move(secret)),
      secretIsKnown_(secretIsKnown),
      id_(newClientId()) {
    setLimits(socket_);
    connectWith(socket_, secret_.meetingKeys().publicKey, secret_.rankKeys());
    socket_.set(zmq::sockopt::reconnect_ivl, 100);
    socket_.set(zmq::sockopt::reconnect_ivl_max, 1000);
    // Requests must not queue up while there is no connection: each repetition would be sent later.
    socket_.set(zmq::sockopt::immediate, true);
    socket_.set(zmq::sockopt::ipv6, address_.find(':') != std::string::npos);
    socket_.connect(tcpEndpoint(address_, port_));
}

Result<std::optional<std::string>> KeyValueClient::ask(const Parts& request, milliseconds timeout) {
    Parts message{id_ + bytesOf(++number_)};
    message.insert(message.end(), request.begin(), request.end());
    DASGD_ASSIGN(const Parts answer, answerTo(message, timeout));
    secretIsKnown_ = true;
    return answerOf(answer, request);
}

Result<Parts> KeyValueClient::answerTo(const Parts& message, milliseconds timeout) {
    const auto until = steady_clock::now() + timeout;
    auto again = steady_clock::now();
    for (auto now = again; now < until; now = steady_clock::now()) {
        if (now >= again && sendNow(socket_, message)) again = now + kResend;
        const bool unsent = now >= again;
        const auto events = static_cast<short>(unsent ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN);
        zmq::pollitem_t item{socket_.handle(), 0, events, 0};
        // Below zero it would wait for ever.
        const auto left = std::chrono::ceil<milliseconds>(until - now);
        zmq::poll(&item, 1, std::clamp(left, milliseconds(0), kAnswerPause));
        while (auto answer = receiveNow(socket_)) {
            // An earlier request was given up, and is answered now; or this one was answered twice.
            if (answer->size() == 3 && answer->front() == message.front()) return std::move(*answer);
        }
        // Handshakes also fail for a process that was stopped for a while.
        const bool strange = handshakes_.failuresInARow() >= kHandshakesToGiveUp;
        if (strange && !secretIsKnown_) {
            return fail("rank 0 at " + place() + " does not know the " + RunSecret::kVariable +
                        " of this rank, whose fingerprint is " + secret_.fingerprint() +
                        ": give all ranks the same one, or none of them any");
        }
    }
    return fail("rank 0 at " + place() + " did not answer for " + std::to_string(timeout.count() / 1000) +
                " s. Check MASTER_ADDR and MASTER_PORT, and that rank 0 is started, with the same " +
                RunSecret::kVariable);
}

Result<std::optional<std::string>> KeyValueClient::answerOf(const Parts& answer, const Parts& request) const {
    const char kind = answer[1].empty() ? key_value::kWrong : answer[1].front();
    if (kind == key_value::kYes) return std::optional(answer[2]);
    if (kind == key_value::kNo) return std::optional<std::string>();
    return fail("rank 0 at " + place() + " refuses '" + request.front() + "': " + answer[2]);
}

}  // namespace dasgd::experiments
