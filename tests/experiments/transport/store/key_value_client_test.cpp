#include "experiments/transport/store/key_value_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "experiments/transport/store/key_value_server.h"
#include "tests/support/free_port.h"
#include "tests/support/processes.h"
#include "tests/support/tcp_link.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

TEST(KeyValueClientTest, AServerWithAnotherSecretIsToldAtOnceAndBySecretsThatNobodySees) {
    const RunSecret secret = RunSecret::make().value(), other = RunSecret::make().value();
    const auto server = KeyValueServer::start("127.0.0.1", 0, secret).value();
    KeyValueClient client("127.0.0.1", server->port(), other);
    const auto begin = steady_clock::now();
    const auto answer = client.ask({"N"}, seconds(50));
    EXPECT_LT(steady_clock::now() - begin, seconds(40)) << "not the deadline ends it";
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr("does not know the DASGD_SECRET of this rank"));
    EXPECT_THAT(answer.error().message, HasSubstr(other.fingerprint()));
    EXPECT_THAT(answer.error().message, ::testing::Not(HasSubstr(other.hex())));
}

TEST(KeyValueClientTest, TheServerMayComeLater) {
    const RunSecret secret = RunSecret::make().value();
    const int port = test::freePort();
    KeyValueClient client("127.0.0.1", port, secret);
    std::unique_ptr<KeyValueServer> server;
    std::jthread later([&] {
        std::this_thread::sleep_for(milliseconds(300));
        server = KeyValueServer::start("127.0.0.1", port, secret).value();
    });
    EXPECT_EQ(client.ask({"N"}, seconds(30)).value(), "0");
}

TEST(KeyValueClientTest, WhereNobodyAnswersTheDeadlineEndsIt) {
    KeyValueClient client("127.0.0.1", test::freePort(), RunSecret::make().value());
    const auto answer = client.ask({"N"}, milliseconds(200));
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr("that rank 0 is started, with the same DASGD_SECRET"));
}

// An answer that came too late is not taken for that of the next request.
TEST(KeyValueClientTest, EachRequestHasItsOwnAnswer) {
    const RunSecret secret = RunSecret::make().value();
    const auto server = KeyValueServer::start("127.0.0.1", 0, secret).value();
    KeyValueClient client("127.0.0.1", server->port(), secret);
    ASSERT_TRUE(client.ask({"S", "a", "1"}, seconds(30)));
    for (int i = 0; i < 20; ++i) static_cast<void>(client.ask({"G", "a"}, milliseconds(0)));
    static_cast<void>(client.ask({"G", "a"}, milliseconds(1)));
    EXPECT_EQ(client.ask({"N"}, seconds(30)).value(), "1");
    EXPECT_EQ(client.ask({"A", "n", "7"}, seconds(30)).value(), "7");
}

// Link of a host that is down for longer than a connection lasts.
class OverALossyLink : public ::testing::Test {
protected:
    // Answer to a request of which `what` is lost with its connection.
    std::string answerWhereLost(test::LossyLink::Loses what, const Parts& request) {
        client_.ask({"N"}, seconds(30)).value();
        const std::int64_t before = link_.lostBytes();
        link_.lose(what);
        std::optional<std::string> answer;
        std::jthread asking([&] { answer = client_.ask(request, seconds(10)).value_or("no answer"); });
        EXPECT_TRUE(test::eventually([&] { return link_.lostBytes() > before; }));
        link_.heal();
        asking.join();
        return answer.value_or("not there");
    }

    const RunSecret secret_ = RunSecret::make().value();
    std::unique_ptr<KeyValueServer> server_ = KeyValueServer::start("127.0.0.1", 0, secret_).value();
    test::LossyLink link_{server_->port()};
    KeyValueClient client_{"127.0.0.1", link_.port(), secret_};
};

TEST_F(OverALossyLink, ARequestThatIsLostIsSentAgain) {
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Requests, {"S", "a", "1"}), "1");
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Requests, {"G", "a"}), "1");
}

TEST_F(OverALossyLink, WhereItsAnswerIsLostARequestCountsOnce) {
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Answers, {"A", "n", "1"}), "1");
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Answers, {"A", "n", "1"}), "2");
    client_.ask({"S", "k", "old"}, seconds(30)).value();
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Answers, {"D", "k"}), "") << "it was there";
    EXPECT_EQ(client_.ask({"A", "n", "0"}, seconds(30)).value(), "2");
}

// A rank 0 that has ended, or was stopped, ends handshakes without a word, as one that knows another secret does.
TEST_F(OverALossyLink, WhoWasLetInOnceIsNotToldOfAnotherSecret) {
    client_.ask({"N"}, seconds(30)).value();
    KeyValueClient another = client_.another();
    server_.reset();
    link_.heal();
    for (KeyValueClient* client : {&client_, &another}) {
        EXPECT_THAT(client->ask({"N"}, seconds(4)).error().message, HasSubstr("did not answer for 4 s"));
    }
}

}  // namespace
}  // namespace dasgd::experiments
