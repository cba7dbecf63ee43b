#include "experiments/transport/curve/curve_client.h"

#include <algorithm>
#include <random>
#include <utility>

#include "core/base/bytes.h"
#include "experiments/transport/curve/curve_server.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kGlanceAtAnswer{100}, kLastAgain{30'000};

std::string newClientId() {
    std::random_device random;
    return numberBytes(std::uint64_t{random()} << 32 | random());
}

}  // namespace

CurveClient::CurveClient(std::string endpoint, RunSecret secret, bool known)
    : endpoint_(std::move(endpoint)), secret_(std::move(secret)), known_(known), id_(newClientId()) {
    setLimits(socket_);
    connectWith(socket_, secret_.serverKeys().publicKey, secret_.memberKeys());
    socket_.set(zmq::sockopt::reconnect_ivl, 100);
    socket_.set(zmq::sockopt::reconnect_ivl_max, 1000);
    // Requests must not queue up while there is no connection: each repetition would be sent later.
    socket_.set(zmq::sockopt::immediate, true);
    socket_.set(zmq::sockopt::ipv6, endpoint_.find('[') != std::string::npos);
    socket_.connect(endpoint_);
}

std::optional<Parts> CurveClient::ask(const Parts& request, milliseconds patience, const Stopped& stopped) {
    Parts message{id_ + numberBytes(++number_)};
    message.insert(message.end(), request.begin(), request.end());
    const auto until = steady_clock::now() + patience;
    auto due = steady_clock::now(), sent = due;
    std::optional<std::int64_t> connection;  // over which it was sent last
    for (auto now = due; now < until && !(stopped && stopped()); now = steady_clock::now()) {
        const bool lost = connection && *connection != handshakes_.successes();
        if ((lost || now >= due) && sendNow(socket_, message)) {
            if (!connection) sent = now;
            if (connection && !lost) again_ = std::min(2 * again_, kLastAgain);
            connection = handshakes_.successes();
            due = now + again_;
        }
        const bool unsent = !connection || now >= due;
        if (auto answer = answerTo(message.front(), unsent, std::chrono::ceil<milliseconds>(until - now))) {
            known_ = true;
            again_ =
                std::clamp(2 * std::chrono::ceil<milliseconds>(steady_clock::now() - sent), kFirstAgain, kLastAgain);
            return answer;
        }
    }
    return std::nullopt;
}

std::optional<Parts> CurveClient::answerTo(const std::string& name, bool unsent, milliseconds most) {
    zmq::pollitem_t item{socket_.handle(), 0, static_cast<short>(unsent ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN), 0};
    // Below zero it would wait for ever.
    zmq::poll(&item, 1, std::clamp(most, milliseconds(0), kGlanceAtAnswer));
    while (auto answer = receiveNow(socket_)) {
        // An earlier request was given up, and is answered now; or this one was answered twice.
        if (answer->size() < 3 || answer->front() != name || (*answer)[1].size() != 1) continue;
        answer->erase(answer->begin());
        return answer;
    }
    return std::nullopt;
}

}  // namespace dasgd::experiments
