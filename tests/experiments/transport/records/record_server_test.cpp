#include "experiments/transport/records/record_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <thread>

#include "core/journal/record_frame.h"
#include "experiments/transport/curve/curve_socket.h"
#include "experiments/transport/curve/wire.h"
#include "tests/support/forwarding.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string helloOf(int rank) {
    return WireHead{.type = WireHead::Type::Hello, .rank = static_cast<std::uint32_t>(rank)}.bytes();
}

// A client of the collector, with these keys.
class Speaker {
public:
    Speaker(const std::string& endpoint, const std::string& serverKey, const RunSecret::Keys& own) {
        setLimits(socket_);
        connectWith(socket_, serverKey, own);
        socket_.connect(endpoint);
    }
    void say(const Parts& parts) { static_cast<void>(sendNow(socket_, parts)); }
    std::optional<WireHead> hear(milliseconds patience) {
        zmq::pollitem_t item{socket_.handle(), 0, ZMQ_POLLIN, 0};
        zmq::poll(&item, 1, patience);
        const auto parts = receiveNow(socket_);
        return parts ? WireHead::of(parts->front()) : std::nullopt;
    }

private:
    zmq::context_t context_{1};
    zmq::socket_t socket_{context_, zmq::socket_type::dealer};
};

std::string plainZmq(const std::string& endpoint) {
    zmq::context_t context(1);
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    setLimits(socket);
    socket.connect(endpoint);
    static_cast<void>(sendNow(socket, {helloOf(1), "run-a"}));
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, milliseconds(700));
    return receiveNow(socket) ? "answered" : "silence";
}

TEST(RecordServer, AnswersWhoeverHasTheKeyOfTheRun) {
    test::ForwardedRun run;
    test::AwayCollector collector(run);
    EXPECT_THAT(collector.server->endpoint(), StartsWith("tcp://127.0.0.1:"));
    collector.collect();
    Speaker speaker(collector.server->endpoint(), run.secret.collectorKeys().publicKey, run.secret.forwarderKeys());
    speaker.say({helloOf(1), "run-a"});
    const auto answer = speaker.hear(milliseconds(10'000));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->type, WireHead::Type::Wanted);
    EXPECT_EQ(answer->after, 0U);
    EXPECT_EQ(answer->room, 1U);
}

TEST(RecordServer, NobodyElseIsLetIn) {
    test::ForwardedRun run;
    test::AwayCollector collector(run);
    collector.collect();
    const std::string& endpoint = collector.server->endpoint();
    const RunSecret other = RunSecret::make().value();
    // Keys of another run; the right key of the server and a stranger's own; no CURVE at all.
    Speaker ofOther(endpoint, other.collectorKeys().publicKey, other.forwarderKeys());
    Speaker stranger(endpoint, run.secret.collectorKeys().publicKey, other.forwarderKeys());
    for (Speaker* one : {&ofOther, &stranger}) one->say({helloOf(1), "run-a"});
    EXPECT_FALSE(ofOther.hear(milliseconds(700)));
    EXPECT_FALSE(stranger.hear(milliseconds(700)));
    EXPECT_EQ(plainZmq(endpoint), "silence");
    Speaker right(endpoint, run.secret.collectorKeys().publicKey, run.secret.forwarderKeys());
    right.say({helloOf(1), "run-a"});
    EXPECT_TRUE(right.hear(milliseconds(10'000))) << "it still answers those who may";
    EXPECT_EQ(collector.server->refused(), 0) << "nothing of the others came that far";
}

TEST(RecordServer, GarbageFromWhoeverHasTheKeyCostsNothing) {
    test::ForwardedRun run;
    test::AwayCollector collector(run);
    collector.collect();
    const long before = test::residentKiB();
    std::thread([&] {
        Speaker speaker(collector.server->endpoint(), run.secret.collectorKeys().publicKey, run.secret.forwarderKeys());
        std::mt19937 random(1);
        for (int i = 0; i < 20'000 && collector.server->refused() < 100'000; ++i) {
            std::string bytes(1 + random() % 2000, '\0');
            for (char& byte : bytes) byte = static_cast<char>(random());
            WireHead head{.type = static_cast<WireHead::Type>(1 + random() % 3), .rank = 1};
            head.round = random() % 3;
            head.after = random() % 3;
            speaker.say(i % 3 == 0 ? Parts{bytes} : Parts{i % 3 == 1 ? head.bytes() : bytes, bytes});
            if (i % 8 == 0) std::this_thread::sleep_for(milliseconds(1));
        }
    }).join();
    EXPECT_TRUE(test::eventually([&] { return collector.server->refused() > 1000; }));
    EXPECT_LT(test::residentKiB() - before, 50'000);
    collector.collect();
    EXPECT_EQ(test::metricRows(run.paths(), run.home.runId).size(), 0U);
    Speaker right(collector.server->endpoint(), run.secret.collectorKeys().publicKey, run.secret.forwarderKeys());
    right.say({helloOf(1), "run-a"});
    EXPECT_TRUE(right.hear(milliseconds(10'000)));
}

TEST(RecordServer, BytesThatAreNoZmqAreDropped) {
    test::ForwardedRun run;
    test::AwayCollector collector(run);
    collector.collect();
    const std::string& endpoint = collector.server->endpoint();
    const int port = std::stoi(endpoint.substr(endpoint.rfind(':') + 1));
    for (int i = 0; i < 50; ++i) {
        const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(static_cast<std::uint16_t>(port))};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ASSERT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
        const std::string bytes(10'000, static_cast<char>(i * 5));
        static_cast<void>(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
        ::close(socket);
    }
    Speaker right(endpoint, run.secret.collectorKeys().publicKey, run.secret.forwarderKeys());
    right.say({helloOf(1), "run-a"});
    EXPECT_TRUE(right.hear(milliseconds(10'000)));
}

TEST(RecordServer, WhatCannotBeBoundToIsAnError) {
    test::ForwardedRun run;
    const auto server = RecordServer::start("192.0.2.1", run.secret, "run-a", {});
    ASSERT_FALSE(server);
    EXPECT_THAT(server.error().message, HasSubstr("cannot listen on 192.0.2.1"));
}

TEST(RecordServer, OtherRanksAndOtherRunsAreRefused) {
    test::ForwardedRun run;
    test::AwayCollector collector(run);
    collector.collect();
    Speaker speaker(collector.server->endpoint(), run.secret.collectorKeys().publicKey, run.secret.forwarderKeys());
    speaker.say({helloOf(0), "run-a"});
    speaker.say({helloOf(1), "run-b"});
    EXPECT_TRUE(test::eventually([&] { return collector.server->refused() == 2; }));
    EXPECT_FALSE(speaker.hear(milliseconds(200)));
}

}  // namespace
}  // namespace dasgd::experiments
