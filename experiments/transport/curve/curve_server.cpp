#include "experiments/transport/curve/curve_server.h"

#include <array>
#include <atomic>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "core/base/bytes.h"
#include "experiments/base/text.h"
#include "experiments/transport/curve/handshake_monitor.h"

namespace dasgd::experiments {

namespace {

constexpr std::chrono::milliseconds kServePause{20};
constexpr std::size_t kMostRememberedBytes = std::size_t{16} << 20;
constexpr int kAtOnce = 256;  // messages until those who wait at the gate are looked at again
constexpr const char* kZapDomain = "dasgd";

std::string z85Of(const std::string& key) {
    std::array<char, 41> text{};
    return zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(key.data()), key.size()) ? text.data()
                                                                                                      : "";
}

// The last answer to each client. The client that has not asked for longest is forgotten first.
class LastAnswers {
public:
    struct Last {
        std::string client;
        std::uint64_t number = 0;
        Parts answer;
    };
    [[nodiscard]] const Last* of(const std::string& client) const {
        const auto found = places_.find(client);
        return found == places_.end() ? nullptr : &*found->second;
    }
    void remember(Last last) {
        if (const auto found = places_.find(last.client); found != places_.end()) forget(found->second);
        if (sizeOf(last) > kLongestRemembered) return;
        bytes_ += sizeOf(last);
        lasts_.push_back(std::move(last));
        places_[lasts_.back().client] = std::prev(lasts_.end());
        while (bytes_ > kMostRememberedBytes) forget(lasts_.begin());
    }

private:
    static std::size_t sizeOf(const Last& last) {
        std::size_t bytes = 2 * last.client.size() + sizeof last;
        for (const std::string& part : last.answer) bytes += part.size();
        return bytes;
    }
    void forget(std::list<Last>::iterator last) {
        bytes_ -= sizeOf(*last);
        places_.erase(last->client);
        lasts_.erase(last);
    }

    std::list<Last> lasts_;  // the newest at the end
    std::map<std::string, std::list<Last>::iterator> places_;
    std::size_t bytes_ = 0;
};

}  // namespace

Parts answerOf(char kind, std::string bytes) { return {std::string(1, kind), std::move(bytes)}; }

class CurveServer::Work {
public:
    Work(const Options& options, const RunSecret& secret, Answer answer)
        : admitted_(secret.memberKeys().publicKey), answer_(std::move(answer)) {
        gate_.bind("inproc://zeromq.zap.01");
        setLimits(router_);
        router_.set(zmq::sockopt::sndhwm, options.mostAnswers);
        router_.set(zmq::sockopt::ipv6, options.address.find(':') != std::string::npos);
        serveWith(router_, secret.serverKeys());
        // Without a domain ZeroMQ would ask nobody and let anybody in.
        router_.set(zmq::sockopt::zap_domain, kZapDomain);
    }
    ~Work() {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    Status bind(const Options& options) {
        try {
            router_.bind(tcpEndpoint(options.address, options.port));
        } catch (const zmq::error_t& error) {
            return fail(error.what());
        }
        endpoint = router_.get(zmq::sockopt::last_endpoint);
        thread_ = std::thread([this] { serve(); });
        return {};
    }

    std::string endpoint;
    std::atomic<std::int64_t> turnedAway{0}, refused{0};

private:
    void serve() {
        while (!stop_) {
            zmq::pollitem_t items[]{{router_.handle(), 0, ZMQ_POLLIN, 0}, {gate_.handle(), 0, ZMQ_POLLIN, 0}};
            zmq::poll(items, 2, kServePause);
            while (const auto asked = receiveNow(gate_)) admit(*asked);
            for (int i = 0; i < kAtOnce; ++i) {
                const auto message = receiveNow(router_);
                if (!message) break;
                take(*message);
            }
            turnedAway = handshakes_.failures();
        }
    }

    // ZeroMQ asks who is let in (RFC 27/ZAP): version, request, domain, address, identity, mechanism, credentials →
    // version, request, status, text, user, data.
    void admit(const Parts& asked) {
        if (asked.size() < 6) return;
        const bool known = asked.size() == 7 && asked[5] == "CURVE" && asked[2] == kZapDomain &&
                           asked[6].size() == 32 && z85Of(asked[6]) == admitted_;
        sendNow(gate_, {"1.0", asked[1], known ? "200" : "400", known ? "OK" : "unknown key", "", ""});
    }

    // peer, name, request.
    void take(const Parts& message) {
        if (message.size() < 3 || message[1].size() != request_name::kBytes) {
            ++refused;
            return;
        }
        const std::string client = message[1].substr(0, request_name::kClientBytes);
        const std::uint64_t number = numberOf(std::string_view(message[1]).substr(request_name::kClientBytes)).value();
        const LastAnswers::Last* const last = lastAnswers_.of(client);
        // One before the last comes late: its client waits for it no more.
        if (last && number < last->number) return;
        const bool repeated = last && number == last->number;
        Parts said = repeated ? last->answer : answer_(Parts(message.begin() + 2, message.end()));
        if (!repeated && said[0] == std::string(1, kRefused)) ++refused;
        Parts answer{message[0], message[1]};
        answer.insert(answer.end(), said.begin(), said.end());
        sendNow(router_, answer);
        if (!repeated) lastAnswers_.remember({client, number, std::move(said)});
    }

    const std::string admitted_;  // the public key that is let in
    zmq::context_t context_{1};
    zmq::socket_t gate_{context_, zmq::socket_type::rep}, router_{context_, zmq::socket_type::router};
    HandshakeMonitor handshakes_{context_, router_};
    const Answer answer_;
    LastAnswers lastAnswers_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

CurveServer::CurveServer(std::unique_ptr<Work> work) : work_(std::move(work)) {}
CurveServer::~CurveServer() = default;

Result<std::unique_ptr<CurveServer>> CurveServer::start(const Options& options, const RunSecret& secret,
                                                        Answer answer) {
    auto work = std::make_unique<Work>(options, secret, std::move(answer));
    DASGD_TRY(work->bind(options));
    return std::unique_ptr<CurveServer>(new CurveServer(std::move(work)));
}

const std::string& CurveServer::endpoint() const { return work_->endpoint; }

int CurveServer::port() const {
    return static_cast<int>(decimalOf(endpoint().substr(endpoint().rfind(':') + 1)).value_or(0));
}

std::int64_t CurveServer::turnedAway() const { return work_->turnedAway; }
std::int64_t CurveServer::refused() const { return work_->refused; }

}  // namespace dasgd::experiments
