#include "experiments/transport/store/key_value_server.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "experiments/transport/curve/curve_gate.h"
#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/curve/handshake_monitor.h"
#include "experiments/transport/curve/wire.h"

namespace dasgd::experiments {

namespace {

using namespace key_value;

constexpr std::chrono::milliseconds kServePause{20};
// Limit for all values together: addresses of ranks and a few words of each take kilobytes a rank.
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr std::size_t kMostRememberedBytes = std::size_t{16} << 20, kLongestRemembered = std::size_t{64} << 10;

Parts yes(std::string value = "") { return {std::string(1, kYes), std::move(value)}; }
Parts no() { return {std::string(1, kNo), ""}; }
Parts wrong(std::string why) { return {std::string(1, kWrong), std::move(why)}; }

class Words {
public:
    // `request`: operation, then what it is of.
    Parts answer(const Parts& request) {
        const char operation = request.front().size() == 1 ? request.front().front() : '?';
        const std::size_t operands = request.size() - 1;
        if (operation == kCount && operands == 0) return yes(std::to_string(words_.size()));
        if (operation == kHas) return hasAll(request) ? yes() : no();
        if (operation == kGet && operands == 1) return get(request[1]);
        if (operation == kDelete && operands == 1) return remove(request[1]) ? yes() : no();
        if (operation == kSet && operands == 2) return set(request[1], request[2]);
        if (operation == kAdd && operands == 2) return add(request[1], request[2]);
        if (operation == kCompareSet && operands == 3) return compareSet(request[1], request[2], request[3]);
        return wrong("no such request");
    }

private:
    bool hasAll(const Parts& request) const {
        return std::all_of(request.begin() + 1, request.end(),
                           [this](const auto& key) { return words_.contains(key); });
    }

    Parts get(const std::string& key) const {
        const auto found = words_.find(key);
        return found == words_.end() ? no() : yes(found->second);
    }

    bool remove(const std::string& key) {
        const auto found = words_.find(key);
        if (found == words_.end()) return false;
        bytes_ -= key.size() + found->second.size();
        words_.erase(found);
        return true;
    }

    Parts set(const std::string& key, const std::string& value) {
        remove(key);
        if (bytes_ + key.size() + value.size() > kMostBytes) return wrong("the store is full");
        bytes_ += key.size() + value.size();
        words_.emplace(key, value);
        return yes(value);
    }

    Parts add(const std::string& key, const std::string& by) {
        const auto found = words_.find(key);
        const auto before = found == words_.end() ? 0 : decimalOf(found->second);
        const auto more = decimalOf(by);
        if (!before || !more) return wrong("'" + key + "' holds no number to add to");
        return set(key, std::to_string(static_cast<std::int64_t>(static_cast<std::uint64_t>(*before) +
                                                                 static_cast<std::uint64_t>(*more))));
    }

    // Follows c10d: the answer for a missing key is the expected value, unless that is empty.
    Parts compareSet(const std::string& key, const std::string& expected, const std::string& wanted) {
        const auto found = words_.find(key);
        if (found == words_.end()) return expected.empty() ? set(key, wanted) : yes(expected);
        return found->second == expected ? set(key, wanted) : yes(found->second);
    }

    std::map<std::string, std::string> words_;
    std::size_t bytes_ = 0;
};

bool writes(char operation) {
    return operation == kSet || operation == kAdd || operation == kCompareSet || operation == kDelete;
}

// The last answer to a writing request of each client, so that a repeated request changes nothing. The client that has
// not written for longest is forgotten first. Long answers, which belong to set and compareSet, are not kept: repeating
// these changes nothing except values that others wrote meanwhile.
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
        return 2 * last.client.size() + sizeof last + last.answer[0].size() + last.answer[1].size();
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

class CurveKeyValueServer final : public KeyValueServer {
public:
    explicit CurveKeyValueServer(const RunSecret& secret)
        : gate_(context_, secret.rankKeys().publicKey), handshakes_(context_, router_) {
        // They count for each connection. A rank waits for its answer before it asks again, and answers to a peer that
        // does not read are dropped.
        setLimits(router_);
        serveWith(router_, secret.meetingKeys());
        CurveGate::putBefore(router_);
    }
    ~CurveKeyValueServer() override {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    CurveKeyValueServer(const CurveKeyValueServer&) = delete;
    CurveKeyValueServer& operator=(const CurveKeyValueServer&) = delete;

    Status bind(const std::string& address, int port) {
        try {
            router_.set(zmq::sockopt::ipv6, address.find(':') != std::string::npos);
            router_.bind(tcpEndpoint(address, port));
        } catch (const zmq::error_t& error) {
            return fail("rank 0 cannot listen on " + address + ":" + std::to_string(port) + ": " + error.what() +
                        ". MASTER_ADDR must be an address of the host of rank 0 and MASTER_PORT a free port.");
        }
        const std::string bound = router_.get(zmq::sockopt::last_endpoint);
        port_ = static_cast<int>(decimalOf(bound.substr(bound.rfind(':') + 1)).value_or(0));
        thread_ = std::thread([this] { serve(); });
        return {};
    }

    [[nodiscard]] int port() const override { return port_; }
    [[nodiscard]] std::int64_t turnedAway() const override { return turnedAway_; }

private:
    void serve() {
        while (!stop_) {
            zmq::pollitem_t items[]{{router_.handle(), 0, ZMQ_POLLIN, 0}, {gate_.socket().handle(), 0, ZMQ_POLLIN, 0}};
            zmq::poll(items, 2, kServePause);
            gate_.admitWaiting();
            while (const auto message = receiveNow(router_)) answer(*message);
            turnedAway_ = handshakes_.failures();
        }
    }

    // peer, name, operation, operands.
    void answer(const Parts& message) {
        if (message.size() < 3 || message[1].size() != kNameBytes) return;
        const auto said = answerOnce(message[1], Parts(message.begin() + 2, message.end()));
        if (said) sendNow(router_, {message[0], message[1], (*said)[0], (*said)[1]});
    }

    // nullopt: it comes after a later one of its client, which waits for it no more.
    std::optional<Parts> answerOnce(const std::string& name, const Parts& request) {
        if (request.front().size() != 1 || !writes(request.front().front())) return words_.answer(request);
        const std::string client = name.substr(0, kClientBytes);
        std::uint64_t number = 0;
        std::memcpy(&number, name.data() + kClientBytes, sizeof number);
        const LastAnswers::Last* const last = lastAnswers_.of(client);
        if (last && number < last->number) return std::nullopt;
        if (last && number == last->number) return last->answer;
        Parts said = words_.answer(request);
        if (said[0].front() != kWrong) lastAnswers_.remember({client, number, said});
        return said;
    }

    zmq::context_t context_{1};
    zmq::socket_t router_{context_, zmq::socket_type::router};
    CurveGate gate_;
    HandshakeMonitor handshakes_;
    Words words_;
    LastAnswers lastAnswers_;
    int port_ = 0;
    std::atomic<std::int64_t> turnedAway_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<KeyValueServer>> KeyValueServer::start(const std::string& address, int port,
                                                              const RunSecret& secret) {
    auto server = std::make_unique<CurveKeyValueServer>(secret);
    DASGD_TRY(server->bind(address, port));
    return std::unique_ptr<KeyValueServer>(std::move(server));
}

}  // namespace dasgd::experiments
