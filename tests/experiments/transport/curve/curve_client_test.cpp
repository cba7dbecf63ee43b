#include "experiments/transport/curve/curve_client.h"

#include <gtest/gtest.h>

#include <thread>

#include "experiments/transport/curve/curve_server.h"
#include "tests/support/free_port.h"
#include "tests/support/processes.h"
#include "tests/support/tcp_link.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// A counter: "add" adds one, and each answer is how far it is.
std::unique_ptr<CurveServer> counter(const RunSecret& secret, int port = 0) {
    return CurveServer::start({.address = "127.0.0.1", .port = port}, secret,
                              [count = 0](const Parts& request) mutable {
                                  if (request.front() == "add") ++count;
                                  return answerOf(kYes, std::to_string(count));
                              })
        .value();
}

std::string answer(CurveClient& client, const std::string& request, milliseconds patience) {
    const auto said = client.ask({request}, patience, [&client] { return client.isStranger(); });
    return said ? said->at(1) : client.isStranger() ? "stranger" : "silence";
}

TEST(CurveClientTest, AServerWithAnotherSecretIsNotWaitedFor) {
    const RunSecret secret = RunSecret::make().value(), other = RunSecret::make().value();
    const auto server = counter(secret);
    CurveClient client(server->endpoint(), other);
    const auto begin = steady_clock::now();
    EXPECT_EQ(answer(client, "look", seconds(50)), "stranger");
    EXPECT_LT(steady_clock::now() - begin, seconds(40)) << "not the deadline ends it";
    EXPECT_EQ(server->refused(), 0) << "nothing of it came that far";
}

TEST(CurveClientTest, TheServerMayComeLater) {
    const RunSecret secret = RunSecret::make().value();
    const int port = test::freePort();
    CurveClient client(tcpEndpoint("127.0.0.1", port), secret);
    std::unique_ptr<CurveServer> server;
    std::jthread later([&] {
        std::this_thread::sleep_for(milliseconds(300));
        server = counter(secret, port);
    });
    EXPECT_EQ(answer(client, "look", seconds(30)), "0");
}

TEST(CurveClientTest, WhereNobodyAnswersTheDeadlineEndsIt) {
    CurveClient client(tcpEndpoint("127.0.0.1", test::freePort()), RunSecret::make().value());
    EXPECT_EQ(answer(client, "look", milliseconds(200)), "silence");
    bool stop = false;
    EXPECT_FALSE(client.ask({"look"}, seconds(30), [&] { return std::exchange(stop, true); })) << "or who asks";
}

// An answer that came too late is not taken for that of the next request.
TEST(CurveClientTest, EachRequestHasItsOwnAnswer) {
    const RunSecret secret = RunSecret::make().value();
    const auto server = counter(secret);
    CurveClient client(server->endpoint(), secret);
    EXPECT_EQ(answer(client, "look", seconds(30)), "0");
    for (int i = 0; i < 20; ++i) static_cast<void>(client.ask({"look"}, milliseconds(0)));
    static_cast<void>(client.ask({"look"}, milliseconds(1)));
    EXPECT_EQ(answer(client, "add", seconds(30)), "1");
    EXPECT_EQ(answer(client, "add", seconds(30)), "2");
}

// Link of a host that is down for longer than a connection lasts.
class OverALossyLink : public ::testing::Test {
protected:
    // Answer to a request of which `what` is lost with its connection.
    std::string answerWhereLost(test::LossyLink::Loses what, const std::string& request) {
        answer(client_, "look", seconds(30));
        const std::int64_t before = link_.lostBytes();
        link_.lose(what);
        std::string said;
        std::jthread asking([&] { said = answer(client_, request, seconds(10)); });
        EXPECT_TRUE(test::eventually([&] { return link_.lostBytes() > before; }));
        link_.heal();
        asking.join();
        return said;
    }

    const RunSecret secret_ = RunSecret::make().value();
    std::unique_ptr<CurveServer> server_ = counter(secret_);
    test::LossyLink link_{server_->port()};
    CurveClient client_{tcpEndpoint("127.0.0.1", link_.port()), secret_};
};

TEST_F(OverALossyLink, ARequestThatIsLostIsSentAgain) {
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Requests, "add"), "1");
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Requests, "look"), "1");
}

TEST_F(OverALossyLink, WhereItsAnswerIsLostARequestCountsOnce) {
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Answers, "add"), "1");
    EXPECT_EQ(answerWhereLost(test::LossyLink::Loses::Answers, "add"), "2");
    EXPECT_EQ(answer(client_, "look", seconds(30)), "2");
}

// A server that has ended, or was stopped, ends handshakes without a word, as one that knows another secret does.
TEST_F(OverALossyLink, WhoWasLetInOnceTakesNoServerForAStranger) {
    answer(client_, "look", seconds(30));
    CurveClient another = client_.another();
    server_.reset();
    link_.heal();
    for (CurveClient* client : {&client_, &another}) EXPECT_EQ(answer(*client, "look", seconds(4)), "silence");
}

}  // namespace
}  // namespace dasgd::experiments
