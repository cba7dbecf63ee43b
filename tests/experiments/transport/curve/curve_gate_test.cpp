#include "experiments/transport/curve/curve_gate.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "experiments/transport/curve/curve_socket.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class CurveGateTest : public ::testing::Test {
protected:
    CurveGateTest() : gate_(context_, secret_.forwarderKeys().publicKey) {
        setLimits(server_);
        serveWith(server_, secret_.collectorKeys());
        CurveGate::putBefore(server_);
        server_.bind("tcp://127.0.0.1:*");
    }

    // True if the server receives a message of a client that `prepare` has set up.
    bool hears(const std::function<void(zmq::socket_t&)>& prepare, milliseconds patience = milliseconds(1500)) {
        zmq::socket_t client(context_, zmq::socket_type::dealer);
        setLimits(client);
        prepare(client);
        client.connect(server_.get(zmq::sockopt::last_endpoint));
        sendNow(client, {"hello"});
        const auto until = steady_clock::now() + patience;
        while (steady_clock::now() < until) {
            zmq::pollitem_t items[]{{server_.handle(), 0, ZMQ_POLLIN, 0}, {gate_.socket().handle(), 0, ZMQ_POLLIN, 0}};
            zmq::poll(items, 2, milliseconds(20));
            gate_.admitWaiting();
            if (receiveNow(server_)) return true;
        }
        return false;
    }

    const RunSecret secret_ = RunSecret::make().value();
    zmq::context_t context_{1};
    zmq::socket_t server_{context_, zmq::socket_type::router};
    CurveGate gate_;
};

TEST_F(CurveGateTest, OneKeyIsLetIn) {
    const std::string server = secret_.collectorKeys().publicKey;
    const auto known = [&](zmq::socket_t& client) { connectWith(client, server, secret_.forwarderKeys()); };
    EXPECT_TRUE(hears(known, milliseconds(20'000)));
    const RunSecret other = RunSecret::make().value();
    EXPECT_FALSE(hears([&](zmq::socket_t& client) { connectWith(client, server, other.forwarderKeys()); }));
    EXPECT_FALSE(hears(
        [&](zmq::socket_t& client) { connectWith(client, other.collectorKeys().publicKey, secret_.forwarderKeys()); }));
    EXPECT_FALSE(hears([](zmq::socket_t&) {})) << "without CURVE";
    EXPECT_TRUE(hears(known, milliseconds(20'000))) << "those before it changed nothing";
}

}  // namespace
}  // namespace dasgd::experiments
