#include "core/comm/gloo/rendezvous.h"

#include <gmock/gmock.h>

#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

TEST(Rendezvous, WordsLeftAtTheRendezvousAreFound) {
    const TempDir folder;
    auto one = Rendezvous::file(folder.path() / "store", 2, std::chrono::milliseconds(300));
    auto two = Rendezvous::file(folder.path() / "store", 2, std::chrono::milliseconds(300));
    ASSERT_TRUE(one && two);
    ASSERT_TRUE(one->set("run_id", "20261121-dasgd"));
    EXPECT_EQ(two->get("run_id").value(), "20261121-dasgd");
    const auto missing = two->get("never");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, testing::HasSubstr("'never' did not come in time"));
}

TEST(Rendezvous, PortInUseIsOneClearSentence) {
    const auto first = Rendezvous::tcp("127.0.0.1", 29'782, Rank{0}, 2, std::chrono::milliseconds(2000));
    ASSERT_TRUE(first) << first.error().message;
    const auto second = Rendezvous::tcp("127.0.0.1", 29'782, Rank{0}, 2, std::chrono::milliseconds(2000));
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, testing::HasSubstr("rank 0 cannot listen on 127.0.0.1:29782"));
}

// torchrun's store outlives the ranks that it restarts.
TEST(Rendezvous, WhatAnEarlierAttemptLeftIsNotFound) {
    const auto timeout = std::chrono::milliseconds(300);
    const auto served = Rendezvous::tcp("127.0.0.1", 29'783, Rank{0}, 2, timeout);
    ASSERT_TRUE(served) << served.error().message;
    const auto joined = [&](int attempt) {
        return std::move(Rendezvous::tcp("127.0.0.1", 29'783, Rank{0}, 2, timeout, attempt).value());
    };
    Rendezvous first = joined(0), second = joined(1), peer = joined(1);
    ASSERT_TRUE(first.set("verdict", "refused"));
    EXPECT_FALSE(second.get("verdict"));
    ASSERT_TRUE(peer.set("verdict", "agreed"));
    EXPECT_EQ(second.get("verdict").value(), "agreed");
}

}  // namespace
}  // namespace dasgd::test
