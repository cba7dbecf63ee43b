#include "experiments/transport/store/key_value_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/store/key_value_client.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

class KeyValueServerTest : public ::testing::Test {
protected:
    Result<std::optional<std::string>> ask(const Parts& request) { return client_.ask(request, milliseconds(10'000)); }
    std::string value(const Parts& request) { return ask(request).value().value_or("not there"); }

    const RunSecret secret_ = RunSecret::make().value();
    std::unique_ptr<KeyValueServer> server_ = KeyValueServer::start("127.0.0.1", 0, secret_).value();
    KeyValueClient client_{"127.0.0.1", server_->port(), secret_};
};

TEST_F(KeyValueServerTest, KeepsWhatIsSet) {
    EXPECT_EQ(value({"G", "a"}), "not there");
    const std::string bytes("\0\xFF\n", 3);
    EXPECT_EQ(value({"S", "a", bytes}), bytes);
    EXPECT_EQ(value({"S", "b", ""}), "");
    EXPECT_EQ(value({"G", "a"}), bytes);
    EXPECT_EQ(value({"N"}), "2");
    EXPECT_TRUE(ask({"H", "a", "b"}).value());
    EXPECT_FALSE(ask({"H", "a", "c"}).value());
    EXPECT_TRUE(ask({"D", "a"}).value());
    EXPECT_FALSE(ask({"D", "a"}).value());
    EXPECT_EQ(value({"N"}), "1");
}

TEST_F(KeyValueServerTest, CountsAndComparesAsC10dDoes) {
    EXPECT_EQ(value({"A", "n", "3"}), "3");
    EXPECT_EQ(value({"A", "n", "-5"}), "-2");
    EXPECT_EQ(value({"C", "k", "old", "new"}), "old") << "it is not there: nothing is set";
    EXPECT_EQ(value({"G", "k"}), "not there");
    EXPECT_EQ(value({"C", "k", "", "first"}), "first");
    EXPECT_EQ(value({"C", "k", "other", "second"}), "first");
    EXPECT_EQ(value({"C", "k", "first", "second"}), "second");
}

TEST_F(KeyValueServerTest, WhatIsNoRequestIsRefusedAndChangesNothing) {
    for (const Parts& request :
         {Parts{"?"}, Parts{""}, Parts{"S", "a"}, Parts{"G"}, Parts{"SS", "a", "b"}, Parts{"C", "a", "b"}}) {
        const auto answer = ask(request);
        ASSERT_FALSE(answer) << request.front();
        EXPECT_THAT(answer.error().message, HasSubstr("no such request"));
    }
    ask({"S", "word", "no number"}).value();
    EXPECT_THAT(ask({"A", "word", "1"}).error().message, HasSubstr("holds no number"));
    EXPECT_EQ(value({"N"}), "1");
}

// A client that has the secret, and sends anything.
class Asker {
public:
    Asker(int port, const RunSecret& secret) {
        setLimits(socket_);
        connectWith(socket_, secret.meetingKeys().publicKey, secret.rankKeys());
        socket_.connect(tcpEndpoint("127.0.0.1", port));
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

TEST_F(KeyValueServerTest, ARequestThatIsRepeatedIsAnsweredAgainAndCountsOnce) {
    Asker asker(server_->port(), secret_), reconnected(server_->port(), secret_);
    const std::string first = nameOf("client-1", 5), later = nameOf("client-1", 6), other = nameOf("client-2", 5);
    asker.say({first, "A", "n", "1"});
    EXPECT_EQ(asker.hear(), (Parts{first, "y", "1"}));
    reconnected.say({first, "A", "n", "1"});
    EXPECT_EQ(reconnected.hear(), (Parts{first, "y", "1"})) << "from another connection, too";
    asker.say({other, "A", "n", "1"});
    EXPECT_EQ(asker.hear(), (Parts{other, "y", "2"}));
    asker.say({later, "C", "n", "2", "9"});
    EXPECT_EQ(asker.hear(), (Parts{later, "y", "9"}));
    // Comes late; nobody waits for it.
    asker.say({first, "A", "n", "1"});
    asker.say({later, "C", "n", "2", "9"});
    EXPECT_EQ(asker.hear(), (Parts{later, "y", "9"}));
    EXPECT_EQ(value({"G", "n"}), "9");
}

TEST_F(KeyValueServerTest, AMessageOfAnotherFormIsNotAnswered) {
    Asker asker(server_->port(), secret_);
    const std::string name = nameOf("client-1", 1);
    for (const Parts& message : {Parts{""}, Parts{name}, Parts{"A", "n", "1"}, Parts{"short", "A", "n", "1"},
                                 Parts{name + "x", "A", "n", "1"}, Parts{"", "S", "a", "b"}}) {
        asker.say(message);
    }
    asker.say({name, "N"});
    EXPECT_EQ(asker.hear(), (Parts{name, "y", "0"}));
}

// 60 MB of answers that are no words of the store.
TEST_F(KeyValueServerTest, WhatItRemembersOfItsClientsIsBounded) {
    Asker asker(server_->port(), secret_);
    const std::string text(60'000, 'x');
    const long before = test::residentKiB();
    for (int client = 0; client < 1000; client += 4) {
        for (int i = 0; i < 4; ++i) {
            asker.say({nameOf(std::to_string(10'000'000 + client + i), 1), "C", "missing", text, "new"});
        }
        for (int i = 0; i < 4; ++i) ASSERT_EQ(asker.hear().size(), 3U);
    }
    EXPECT_LT(test::residentKiB() - before, 40'000);
}

// 320 MB of answers, to somebody who takes none in.
TEST_F(KeyValueServerTest, WhatWaitsForAPeerThatNeverReadsIsBounded) {
    ask({"S", "large", std::string(16 << 10, 'x')}).value();
    Asker asker(server_->port(), secret_);
    const long before = test::residentKiB();
    for (int i = 0; i < 20'000; ++i) asker.say({nameOf("client-1", 1), "G", "large"});
    EXPECT_EQ(value({"N"}), "1") << "others are answered";
    EXPECT_LT(test::residentKiB() - before, 40'000);
}

TEST_F(KeyValueServerTest, NobodyWithoutTheSecretReadsOrWrites) {
    ask({"S", "address", "10.0.0.1"}).value();
    KeyValueClient stranger("127.0.0.1", server_->port(), RunSecret::make().value());
    EXPECT_FALSE(stranger.ask({"S", "address", "6.6.6.6"}, milliseconds(10'000)));
    EXPECT_TRUE(test::eventually([&] { return server_->turnedAway() > 0; }));
    EXPECT_EQ(value({"G", "address"}), "10.0.0.1");
}

TEST_F(KeyValueServerTest, APortThatIsTakenIsSaid) {
    const auto second = KeyValueServer::start("127.0.0.1", server_->port(), secret_);
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("127.0.0.1:" + std::to_string(server_->port())));
    EXPECT_THAT(KeyValueServer::start("192.0.2.1", 0, secret_).error().message, HasSubstr("MASTER_ADDR"));
}

}  // namespace
}  // namespace dasgd::experiments
