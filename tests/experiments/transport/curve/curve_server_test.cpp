#include "experiments/transport/curve/curve_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "experiments/transport/curve/curve_client.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

// Keeps one text: "add" lengthens it, "get" answers with it; anything else is refused.
class CurveServerTest : public ::testing::Test {
protected:
    std::string ask(const Parts& request) {
        const auto answer = client_.ask(request, milliseconds(10'000));
        return answer ? answer->at(1) : "silence";
    }
    Parts answer(const Parts& request) {
        if (request.front() == "add" && request.size() == 2) return answerOf(kYes, text_ += request[1]);
        return request.front() == "get" ? answerOf(kYes, text_) : answerOf(kRefused, "no such request");
    }

    std::string text_;  // of the server's thread
    const RunSecret secret_ = RunSecret::make().value();
    std::unique_ptr<CurveServer> server_ =
        CurveServer::start({.address = "127.0.0.1"}, secret_, [this](const Parts& request) {
            return answer(request);
        }).value();
    CurveClient client_{server_->endpoint(), secret_};
};

// A client that has the secret, and sends anything.
class Asker {
public:
    Asker(const std::string& endpoint, const RunSecret& secret) {
        setLimits(socket_);
        connectWith(socket_, secret.serverKeys().publicKey, secret.memberKeys());
        socket_.connect(endpoint);
    }
    void say(const Parts& parts) {
        ASSERT_TRUE(test::eventually([&] { return sendNow(socket_, parts); }));
    }
    Parts hear() {
        zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
        zmq::poll(&item, 1, std::chrono::seconds(20));
        return receiveNow(socket_).value_or(Parts{});
    }

private:
    zmq::context_t context_{1};
    zmq::socket_t socket_{context_, zmq::socket_type::dealer};
};

std::string nameOf(const std::string& client, char number) { return client + number + std::string(7, '\0'); }

TEST_F(CurveServerTest, ARequestThatIsRepeatedIsAnsweredAgainAndCarriedOutOnce) {
    Asker asker(server_->endpoint(), secret_), reconnected(server_->endpoint(), secret_);
    const std::string first = nameOf("client-1", 5), later = nameOf("client-1", 6), other = nameOf("client-2", 5);
    asker.say({first, "add", "a"});
    EXPECT_EQ(asker.hear(), (Parts{first, "y", "a"}));
    reconnected.say({first, "add", "a"});
    EXPECT_EQ(reconnected.hear(), (Parts{first, "y", "a"})) << "from another connection, too";
    asker.say({other, "add", "b"});
    EXPECT_EQ(asker.hear(), (Parts{other, "y", "ab"}));
    asker.say({later, "add", "c"});
    EXPECT_EQ(asker.hear(), (Parts{later, "y", "abc"}));
    // Comes late; nobody waits for it.
    asker.say({first, "add", "a"});
    asker.say({later, "add", "c"});
    EXPECT_EQ(asker.hear(), (Parts{later, "y", "abc"}));
    EXPECT_EQ(ask({"get"}), "abc");
}

TEST_F(CurveServerTest, AMessageOfAnotherFormIsNotAnswered) {
    Asker asker(server_->endpoint(), secret_);
    const std::string name = nameOf("client-1", 1);
    for (const Parts& message : {Parts{""}, Parts{name}, Parts{"add", "n", "1"}, Parts{"short", "add", "n", "1"},
                                 Parts{name + "x", "add", "n"}, Parts{"", "add", "a", "b"}}) {
        asker.say(message);
    }
    asker.say({name, "get"});
    EXPECT_EQ(asker.hear(), (Parts{name, "y", ""}));
    EXPECT_EQ(server_->refused(), 6);
    EXPECT_EQ(ask({"what"}), "no such request");
    EXPECT_EQ(server_->refused(), 7);
}

// 60 MB of answers.
TEST_F(CurveServerTest, WhatItRemembersOfItsClientsIsBounded) {
    ask({"add", std::string(60'000, 'x')});
    Asker asker(server_->endpoint(), secret_);
    const long before = test::residentKiB();
    for (int client = 0; client < 1000; client += 4) {
        for (int i = 0; i < 4; ++i) asker.say({nameOf(std::to_string(10'000'000 + client + i), 1), "get"});
        for (int i = 0; i < 4; ++i) ASSERT_EQ(asker.hear().size(), 3U);
    }
    EXPECT_LT(test::residentKiB() - before, 40'000);
}

// 320 MB of answers, to somebody who takes none in.
TEST_F(CurveServerTest, WhatWaitsForAPeerThatNeverReadsIsBounded) {
    ask({"add", std::string(16 << 10, 'x')});
    Asker asker(server_->endpoint(), secret_);
    const long before = test::residentKiB();
    for (int i = 0; i < 20'000; ++i) asker.say({nameOf("client-1", 1), "get"});
    EXPECT_EQ(ask({"get"}).size(), 16U << 10) << "others are answered";
    EXPECT_LT(test::residentKiB() - before, 40'000);
}

TEST_F(CurveServerTest, NobodyWithoutTheSecretReadsOrWrites) {
    ask({"add", "10.0.0.1"});
    CurveClient stranger(server_->endpoint(), RunSecret::make().value());
    EXPECT_FALSE(stranger.ask({"add", "6.6.6.6"}, milliseconds(5'000)));
    // The right key of the server and a stranger's own; its own and that of another server; no CURVE at all.
    zmq::context_t context(1);
    zmq::socket_t own(context, zmq::socket_type::dealer), lost(context, zmq::socket_type::dealer),
        plain(context, zmq::socket_type::dealer);
    const RunSecret other = RunSecret::make().value();
    connectWith(own, secret_.serverKeys().publicKey, other.memberKeys());
    connectWith(lost, other.serverKeys().publicKey, secret_.memberKeys());
    for (zmq::socket_t* socket : {&own, &lost, &plain}) {
        setLimits(*socket);
        socket->connect(server_->endpoint());
        static_cast<void>(sendNow(*socket, {nameOf("client-1", 1), "get"}));
        zmq::pollitem_t item{socket->handle(), 0, ZMQ_POLLIN, 0};
        zmq::poll(&item, 1, milliseconds(700));
        EXPECT_FALSE(receiveNow(*socket));
    }
    EXPECT_TRUE(test::eventually([&] { return server_->turnedAway() > 0; }));
    EXPECT_EQ(ask({"get"}), "10.0.0.1");
    EXPECT_EQ(server_->refused(), 0) << "nothing of the others came that far";
}

TEST_F(CurveServerTest, BytesThatAreNoZmqAreDropped) {
    for (int i = 0; i < 50; ++i) {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(static_cast<std::uint16_t>(server_->port()))};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ASSERT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
        const std::string bytes(10'000, static_cast<char>(i * 5));
        static_cast<void>(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
        ::close(socket);
    }
    EXPECT_EQ(ask({"add", "a"}), "a");
}

TEST_F(CurveServerTest, APortThatIsTakenIsSaid) {
    const auto none = [](const Parts&) { return answerOf(kNo); };
    EXPECT_FALSE(CurveServer::start({.address = "127.0.0.1", .port = server_->port()}, secret_, none));
    EXPECT_THAT(CurveServer::start({.address = "192.0.2.1"}, secret_, none).error().message, HasSubstr("assign"));
}

}  // namespace
}  // namespace dasgd::experiments
