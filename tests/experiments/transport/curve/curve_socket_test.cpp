#include "experiments/transport/curve/curve_socket.h"

#include <gtest/gtest.h>

#include <thread>

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
    serveWith(server, secret.serverKeys());
    connectWith(client, secret.serverKeys().publicKey, secret.memberKeys());
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
        connectWith(client, secret.serverKeys().publicKey, secret.memberKeys());
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
        serveWith(server, secret.serverKeys());
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

}  // namespace
}  // namespace dasgd::experiments
