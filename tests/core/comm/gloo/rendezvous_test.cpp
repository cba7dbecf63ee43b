#include "core/comm/gloo/rendezvous.h"

#include <gmock/gmock.h>

#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "core/comm/gloo/store_handle.h"
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

// Counts how often it is asked.
class CountingStore : public c10d::HashStore {
public:
    bool check(const std::vector<std::string>& keys) override {
        ++asked;
        return c10d::HashStore::check(keys);
    }
    int asked = 0;
};

// Pauses of 20, 40, … ms, 500 at most: 8 looks in two seconds, however slow this machine is. At 20 ms it would be 100.
TEST(Rendezvous, ALongWaitAsksRarely) {
    const auto store = c10::make_intrusive<CountingStore>();
    store->setTimeout(std::chrono::milliseconds(2000));
    Rendezvous ranks = Rendezvous::through(StoreHandle{store});
    const auto missing = ranks.getUnless("verdict", "refusal");
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, testing::HasSubstr("'verdict' did not come in time"));
    EXPECT_LE(store->asked, 2 * 10);
    ASSERT_TRUE(ranks.set("refusal", "other settings"));
    EXPECT_EQ(ranks.getUnless("verdict", "refusal").error().message, "other settings");
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
