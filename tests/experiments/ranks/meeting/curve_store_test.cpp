#include "experiments/ranks/meeting/curve_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "core/comm/gloo/store_handle.h"
#include "tests/support/free_port.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

RankEnvironment environmentOf(int rank, int size, int port) {
    return {.rank = rank, .size = size, .masterAddress = "127.0.0.1", .masterPort = port};
}

TEST(CurveStoreTest, RanksWithTheSecretFindEachOther) {
    const RunSecret secret = RunSecret::make().value();
    for (const int size : {1, 2, 4, 7}) {
        const int port = test::freePort();
        std::vector<std::string> heard(static_cast<std::size_t>(size));
        std::vector<std::jthread> ranks;
        // Rank 0 keeps the store until the others have read.
        for (int rank = size - 1; rank >= 0; --rank) {
            ranks.emplace_back([&, rank] {
                RankMeeting meeting = meetRanks(environmentOf(rank, size, port), secret, seconds(30)).value();
                ASSERT_TRUE(meeting.rendezvous.set("word/" + std::to_string(rank), std::string(1, char('a' + rank))));
                for (int other = 0; other < size; ++other) {
                    heard[static_cast<std::size_t>(rank)] +=
                        meeting.rendezvous.get("word/" + std::to_string(other)).value();
                }
                Rendezvous again = meeting.rendezvous.another().value();
                ASSERT_TRUE(again.set("done/" + std::to_string(rank), ""));
                if (rank > 0) return;
                for (int other = 0; other < size; ++other) ASSERT_TRUE(again.get("done/" + std::to_string(other)));
            });
        }
        ranks.clear();
        const std::string all = std::string("abcdefg").substr(0, static_cast<std::size_t>(size));
        for (const std::string& words : heard) EXPECT_EQ(words, all) << size << " ranks";
    }
}

TEST(CurveStoreTest, IsAStoreAsC10dWantsIt) {
    const RunSecret secret = RunSecret::make().value();
    const RankMeeting meeting = meetRanks(environmentOf(0, 1, test::freePort()), secret, seconds(30)).value();
    c10d::Store& store = *meeting.rendezvous.handle().store;
    EXPECT_EQ(store.add("n", 2), 2);
    EXPECT_EQ(store.add("n", 3), 5);
    EXPECT_EQ(store.compareSet("k", "", "first"), "first");
    EXPECT_EQ(store.compareSet("k", "no", "second"), "first");
    EXPECT_EQ(store.get_to_str("k"), "first");
    EXPECT_EQ(store.getNumKeys(), 2);
    EXPECT_TRUE(store.check({"n", "k"}));
    EXPECT_FALSE(store.check({"n", "x"}));
    EXPECT_TRUE(store.deleteKey("k"));
    EXPECT_FALSE(store.check({"k"}));
    store.setTimeout(milliseconds(50));
    EXPECT_ANY_THROW(store.get("never")) << "no wait without a deadline";
    EXPECT_ANY_THROW(store.wait({"never"}, milliseconds(20)));
}

// The rank would otherwise wait for its whole deadline, or join.
TEST(CurveStoreTest, ARankWithAnotherSecretIsTurnedAwayAndRank0Knows) {
    const int port = test::freePort();
    const RunSecret secret = RunSecret::make().value();
    const RankMeeting first = meetRanks(environmentOf(0, 2, port), secret, seconds(30)).value();
    EXPECT_EQ(first.rejectedPeersNote(), "");
    const auto second = meetRanks(environmentOf(1, 2, port), RunSecret::make().value(), seconds(40));
    ASSERT_FALSE(second);
    EXPECT_THAT(second.error().message, HasSubstr("does not know the DASGD_SECRET of this rank"));
    EXPECT_THAT(first.rejectedPeersNote(), HasSubstr("another DASGD_SECRET, or without one"));
    const auto without = meetRanks(environmentOf(1, 2, port), std::nullopt, seconds(2));
    ASSERT_FALSE(without) << "c10d's own client gets no word out of it";
}

}  // namespace
}  // namespace dasgd::experiments
