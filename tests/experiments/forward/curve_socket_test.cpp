#include "experiments/forward/curve_socket.h"

#include <gtest/gtest.h>

#include "experiments/forward/wire.h"

namespace dasgd::experiments {
namespace {

TEST(CurveSocket, MessagesKeepTheirParts) {
    const RunSecret secret = RunSecret::make().value();
    zmq::context_t context(1);
    zmq::socket_t server(context, zmq::socket_type::dealer), client(context, zmq::socket_type::dealer);
    setLimits(server);
    setLimits(client);
    serveWith(server, secret.collectorKeys());
    connectWith(client, secret.collectorKeys().publicKey, secret.forwarderKeys());
    server.bind("tcp://127.0.0.1:*");
    client.connect(server.get(zmq::sockopt::last_endpoint));
    EXPECT_FALSE(receiveNow(server));
    const Parts parts{"head", std::string(100'000, '\0'), ""};
    ASSERT_TRUE(sendNow(client, parts));
    zmq::pollitem_t item{server.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::chrono::seconds(10));
    EXPECT_EQ(receiveNow(server), parts);
}

TEST(WireHead, OnlyThisVersionsHeadsAreRead) {
    const WireHead head{.type = WireHead::Type::Records, .rank = 7, .round = 3, .after = 1ULL << 40, .committed = 9};
    const auto read = WireHead::of(head.bytes());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->bytes(), head.bytes());
    std::string longer = head.bytes();
    longer.push_back('x');
    EXPECT_FALSE(WireHead::of(longer));
    EXPECT_FALSE(WireHead::of(""));
    WireHead other = head;
    other.version = 2;
    EXPECT_FALSE(WireHead::of(other.bytes()));
    other = head;
    other.type = static_cast<WireHead::Type>(7);  // after the last
    EXPECT_FALSE(WireHead::of(other.bytes()));
}

}  // namespace
}  // namespace dasgd::experiments
