// Ranks by hand name the one that is missing, once one of them has failed.
#include "experiments/ranks/meeting/liveness_check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "tests/support/processes.h"
#include "tests/support/stumbling_store.h"
#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class LivenessChecks : public ::testing::Test {
protected:
    // Results of the ranks in `failing`, one after the other, where those of three ranks that are in `there` have
    // opened a check and stay.
    std::vector<LivenessResult> call(const std::vector<int>& there, const std::vector<int>& failing) {
        std::vector<LivenessCheck> all;
        for (int rank = 0; rank < 3; ++rank) {
            auto store = Rendezvous::file(dir_ / "store", 3, std::chrono::milliseconds(10'000)).value();
            LivenessCheck roll =
                LivenessCheck::open(store, rank, 3, std::string(1, static_cast<char>('a' + rank))).value();
            if (std::ranges::find(there, rank) != there.end()) all.push_back(std::move(roll));
        }
        std::vector<LivenessResult> ends;
        for (const int rank : failing) {
            const auto at = static_cast<std::size_t>(std::ranges::find(there, rank) - there.begin());
            ends.push_back(all[at].call("rank " + std::to_string(rank) + " is out of memory"));
        }
        return ends;
    }
    const test::TempDir dir_;
};

TEST_F(LivenessChecks, ARankThatDoesNotAnswerIsNamedByAllOthers) {
    const auto ends = call({0, 1}, {1, 0});
    for (const LivenessResult& end : ends) {
        EXPECT_FALSE(end.allAnswer);
        EXPECT_TRUE(end.rankZeroAnswers);
    }
    EXPECT_EQ(ends[0].text, "rank 2 on c does not answer");
    EXPECT_EQ(ends[1].text, "rank 2 on c does not answer; rank 1 on b failed: rank 1 is out of memory")
        << "what one of them said is not lost";
}

TEST_F(LivenessChecks, TheOneThatFailedFirstIsNamedByTheOthersWhereAllAnswer) {
    const auto ends = call({0, 1, 2}, {2, 0, 1});
    EXPECT_EQ(ends[0].text, "") << "its own failure is all there is to say";
    for (const std::size_t other : {1U, 2U}) {
        EXPECT_EQ(ends[other].text, "rank 2 on c failed first: rank 2 is out of memory");
        EXPECT_TRUE(ends[other].allAnswer && ends[other].rankZeroAnswers);
    }
}

TEST_F(LivenessChecks, OfARank0ThatTellsNothingTheOthersSayThat) {
    for (const LivenessResult& end : call({1, 2}, {1, 2})) {
        EXPECT_THAT(end.text, HasSubstr("rank 0 on a, where the ranks meet, does not answer"));
        EXPECT_FALSE(end.allAnswer || end.rankZeroAnswers);
    }
}

TEST_F(LivenessChecks, OneThatFinishedAndCallsIsNoFailure) {
    auto store = Rendezvous::file(dir_ / "store", 2, std::chrono::milliseconds(10'000)).value();
    LivenessCheck first = LivenessCheck::open(store, 0, 2, "a").value(),
                  second = LivenessCheck::open(store, 1, 2, "b").value();
    for (const LivenessResult& end : {first.call(""), second.call("out of memory")}) {
        EXPECT_EQ(end.text, "");
        EXPECT_TRUE(end.allAnswer && end.rankZeroAnswers);
    }
}

// A failure of the store that a rank saw before anybody failed is not reported later.
TEST_F(LivenessChecks, AStoreThatDidNotAnswerForAWhileIsNotBlamed) {
    const auto shared = c10::make_intrusive<test::StumblingStore>(6);
    auto store = Rendezvous::through(StoreHandle{shared});
    LivenessCheck first = LivenessCheck::open(store, 0, 2, "a").value(),
                  second = LivenessCheck::open(store, 1, 2, "b").value();
    ASSERT_TRUE(test::eventually([&] { return shared->answers(); }));
    const LivenessResult own = second.call("out of memory"), other = first.call("a connection was closed");
    EXPECT_EQ(own.text, "");
    EXPECT_TRUE(own.allAnswer && own.rankZeroAnswers);
    EXPECT_EQ(other.text, "rank 1 on b failed first: out of memory");
}

}  // namespace
}  // namespace dasgd::experiments
