#include "experiments/transport/records/record_server.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "experiments/transport/curve/curve_gate.h"
#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/curve/wire.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using Instant = std::chrono::steady_clock::time_point;

constexpr milliseconds kPoll{20};

class CurveRecordServer final : public RecordServer {
public:
    CurveRecordServer(const RunSecret& secret, std::string runId, RecordStreams streams)
        : gate_(context_, secret.forwarderKeys().publicKey), runId_(std::move(runId)) {
        for (auto& stream : streams) ranks_[stream->rank()].stream = std::move(stream);
        setLimits(router_);
        serveWith(router_, secret.collectorKeys());
        CurveGate::putBefore(router_);
    }
    ~CurveRecordServer() override {
        stop_ = true;
        if (thread_.joinable()) thread_.join();
    }
    CurveRecordServer(const CurveRecordServer&) = delete;
    CurveRecordServer& operator=(const CurveRecordServer&) = delete;

    Status bind(const std::string& address, int port) {
        try {
            router_.set(zmq::sockopt::ipv6, address.find(':') != std::string::npos);
            router_.bind(tcpEndpoint(address, port));
        } catch (const zmq::error_t& error) {
            return fail("the collector cannot listen on " + address + ": " + error.what());
        }
        endpoint_ = router_.get(zmq::sockopt::last_endpoint);
        thread_ = std::thread([this] { serve(); });
        return {};
    }

    [[nodiscard]] const std::string& endpoint() const override { return endpoint_; }
    [[nodiscard]] std::int64_t refused() const override { return refused_; }

    bool awaitEnds(milliseconds patience) override {
        return awaitAll(patience, [](const OneRank& rank) { return rank.stream->hasEnded(); });
    }
    void sayDone(milliseconds patience) override {
        static_cast<void>(
            awaitAll(patience, [](const OneRank& rank) { return rank.saidGoodbye || !rank.stream->hasEnded(); }));
    }

private:
    struct OneRank {
        std::shared_ptr<storage::RecordStream> stream;
        std::string peer;  // the forwarder that spoke last; "" before
        std::optional<storage::RecordStream::Wanted> told;
        bool wasToldDone = false;
        std::atomic<bool> saidGoodbye{false};
    };

    template <class Predicate>
    bool awaitAll(milliseconds patience, Predicate isThere) {
        lastNews_ = std::chrono::steady_clock::now();
        while (true) {
            if (std::all_of(ranks_.begin(), ranks_.end(), [&](const auto& one) { return isThere(one.second); })) {
                return true;
            }
            if (std::chrono::steady_clock::now() - lastNews_.load() > patience) return false;
            std::this_thread::sleep_for(kPoll);
        }
    }

    void serve() {
        while (!stop_) {
            zmq::pollitem_t items[]{{router_.handle(), 0, ZMQ_POLLIN, 0}, {gate_.socket().handle(), 0, ZMQ_POLLIN, 0}};
            zmq::poll(items, 2, kPoll);
            gate_.admitWaiting();
            while (const auto message = receiveNow(router_)) {
                if (!take(*message)) ++refused_;
            }
            for (auto& [number, rank] : ranks_) tell(number, rank);
        }
    }

    // identity, head, body. False: no message of this protocol.
    bool take(const Parts& message) {
        if (message.size() != 3) return false;
        const auto head = WireHead::of(message[1]);
        if (!head) return false;
        const auto found = ranks_.find(static_cast<int>(head->rank));
        if (found == ranks_.end()) return false;
        OneRank& rank = found->second;
        switch (head->type) {
            case WireHead::Type::Hello:
                if (message[2] != runId_) return false;
                break;
            case WireHead::Type::Records:
                if (rank.stream->offer(head->round, head->after, message[2]) == storage::RecordStream::Taken::Damaged) {
                    return false;
                }
                lastNews_ = std::chrono::steady_clock::now();
                break;
            case WireHead::Type::Goodbye: rank.saidGoodbye = true; return true;
            case WireHead::Type::End: rank.stream->end(head->round, head->after, message[2]); break;
            default: return false;
        }
        // Each message is answered, also where nothing has changed: the other end may have lost the last answer.
        rank.peer = message[0];
        rank.told.reset();
        return true;
    }

    void tell(int number, OneRank& rank) {
        if (rank.peer.empty()) return;
        const bool done = rank.stream->isCommitted();
        const auto wanted = rank.stream->wanted();
        if (!wanted || (wanted == rank.told && (!done || rank.wasToldDone))) return;
        const WireHead head{.type = done ? WireHead::Type::Done : WireHead::Type::Wanted,
                            .rank = static_cast<std::uint32_t>(number),
                            .room = wanted->room ? 1U : 0U,
                            .round = wanted->round,
                            .after = wanted->after,
                            .committed = wanted->committed};
        if (!sendNow(router_, {rank.peer, head.bytes(), ""})) return;
        rank.told = wanted;
        rank.wasToldDone = done;
    }

    zmq::context_t context_{1};
    zmq::socket_t router_{context_, zmq::socket_type::router};
    CurveGate gate_;
    const std::string runId_;
    std::string endpoint_;
    std::map<int, OneRank> ranks_;
    std::atomic<Instant> lastNews_{std::chrono::steady_clock::now()};
    std::atomic<std::int64_t> refused_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<RecordServer>> RecordServer::start(const std::string& address, const RunSecret& secret,
                                                          std::string runId, RecordStreams streams, int port) {
    auto server = std::make_unique<CurveRecordServer>(secret, std::move(runId), std::move(streams));
    DASGD_TRY(server->bind(address, port));
    return std::unique_ptr<RecordServer>(std::move(server));
}

}  // namespace dasgd::experiments
