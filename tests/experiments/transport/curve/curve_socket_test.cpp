#include "experiments/transport/curve/curve_socket.h"

#include <gtest/gtest.h>

#include <thread>

#include "experiments/transport/curve/wire.h"
#include "tests/support/free_port.h"
#include "tests/support/processes.h"

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

// With ZeroMQ's heartbeats libzmq 4.3.4 ends the process by an assertion some seconds after the peer has died.
TEST(CurveSocket, AProcessThatIsSlowToReadOutlivesItsPeer) {
    const RunSecret secret = RunSecret::make().value();
    const int port = test::freePort();
    const std::string endpoint = "tcp://127.0.0.1:" + std::to_string(port);
    test::SharedCounter heard;
    test::ChildProcess peer([&] {
        zmq::context_t context(1);
        zmq::socket_t client(context, zmq::socket_type::dealer);
        setLimits(client);
        connectWith(client, secret.collectorKeys().publicKey, secret.forwarderKeys());
        client.connect(endpoint);
        // Sends more messages than the other end lets wait.
        while (true) {
            sendNow(client, {"message"});
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return 0;
    });
    test::ChildProcess slow([&] {
        zmq::context_t context(1);
        zmq::socket_t server(context, zmq::socket_type::router);
        setLimits(server);
        serveWith(server, secret.collectorKeys());
        server.bind(endpoint);
        zmq::pollitem_t item{server.handle(), 0, ZMQ_POLLIN, 0};
        zmq::poll(&item, 1, std::chrono::seconds(20));
        heard.add();
        std::this_thread::sleep_for(std::chrono::seconds(7));
        int count = 0;
        while (receiveNow(server)) ++count;
        return count > 1 ? 0 : 1;
    });
    EXPECT_TRUE(test::eventually([&] { return heard.get() > 0; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    peer.kill();
    EXPECT_EQ(slow.wait(), 0);
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
