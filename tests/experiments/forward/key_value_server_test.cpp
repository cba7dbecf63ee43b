#include "experiments/forward/key_value_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/forward/key_value_client.h"
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
