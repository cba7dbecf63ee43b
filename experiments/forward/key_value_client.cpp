#include "experiments/forward/key_value_client.h"

#include <algorithm>
#include <utility>

#include "experiments/forward/key_value_server.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kAnswerPause{100};
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

}  // namespace

KeyValueClient::KeyValueClient(std::string address, int port, RunSecret secret)
    : address_(std::move(address)), port_(port), secret_(std::move(secret)) {
    setLimits(socket_);
    connectWith(socket_, secret_.meetingKeys().publicKey, secret_.rankKeys());
    socket_.set(zmq::sockopt::reconnect_ivl, 100);
    socket_.set(zmq::sockopt::reconnect_ivl_max, 1000);
    socket_.set(zmq::sockopt::ipv6, address_.find(':') != std::string::npos);
    socket_.connect(tcpEndpoint(address_, port_));
}

Result<std::optional<std::string>> KeyValueClient::ask(const Parts& request, milliseconds timeout) {
    const std::string number = bytesOf(++number_);
    Parts message{number};
    message.insert(message.end(), request.begin(), request.end());
    const auto until = steady_clock::now() + timeout;
    bool sent = false;
    while (steady_clock::now() < until) {
        sent = sent || sendNow(socket_, message);
        zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
        // Below zero it would wait for ever.
        const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
        zmq::poll(&item, 1, std::clamp(left, milliseconds(0), kAnswerPause));
        while (const auto answer = receiveNow(socket_)) {
            // An earlier request was given up, and is answered now.
            if (answer->size() == 3 && answer->front() == number) return answerOf(*answer, request);
        }
        if (handshakes_.failuresInARow() >= kHandshakesToGiveUp) {
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
