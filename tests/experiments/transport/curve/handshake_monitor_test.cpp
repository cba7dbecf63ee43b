#include "experiments/transport/curve/handshake_monitor.h"

#include <gtest/gtest.h>

#include "experiments/transport/curve/curve_socket.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

TEST(HandshakeMonitorTest, BothEndsLearnThatTheirSecretsDiffer) {
    const RunSecret secret = RunSecret::make().value(), other = RunSecret::make().value();
    zmq::context_t context(1);
    zmq::socket_t server(context, zmq::socket_type::router);
    HandshakeMonitor atServer(context, server);
    serveWith(server, secret.serverKeys());
    server.bind("tcp://127.0.0.1:*");
    const auto connect = [&](zmq::socket_t& client, const RunSecret& known) {
        setLimits(client);
        connectWith(client, known.serverKeys().publicKey, known.memberKeys());
        client.set(zmq::sockopt::reconnect_ivl, 20);
        client.connect(server.get(zmq::sockopt::last_endpoint));
    };
    zmq::socket_t friendly(context, zmq::socket_type::dealer);
    HandshakeMonitor atFriend(context, friendly);
    connect(friendly, secret);
    sendNow(friendly, {"hello"});
    EXPECT_TRUE(test::eventually([&] { return receiveNow(server).has_value(); }));
    EXPECT_EQ(atFriend.failures(), 0);
    EXPECT_EQ(atServer.failures(), 0);

    zmq::socket_t stranger(context, zmq::socket_type::dealer);
    HandshakeMonitor atStranger(context, stranger);
    connect(stranger, other);
    EXPECT_TRUE(test::eventually([&] { return atStranger.failuresInARow() >= 3; })) << "each time it tries";
    EXPECT_TRUE(test::eventually([&] { return atServer.failures() >= 3; }));
    EXPECT_EQ(atFriend.failures(), 0);
}

}  // namespace
}  // namespace dasgd::experiments
