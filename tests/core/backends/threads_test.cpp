// Ranks that are threads of one process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <set>

#include "tests/support/hosted.h"

namespace dasgd::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ThreadsBackend, AllRanksShareAProcessAndEachHasAJournal) {
    const Layout layout = layoutOf("threads", 3).value();
    EXPECT_EQ(layout.processes, (std::vector<std::vector<int>>{{0, 1, 2}}));
    EXPECT_EQ(layout.journals(), (std::vector<int>{0, 1, 2}));
    std::mutex mutex;
    std::set<int> ranks;
    std::set<std::thread::id> threads;
    EXPECT_THAT(onBackend({.backend = "threads", .workers = 3},
                          [&](RankHost&, HostedRank& rank) {
                              at::Tensor one = torch::ones({1});
                              Pending pending = rank.comm.allReduce(one, Reduce::Sum);
                              pending.wait();
                              const std::lock_guard lock(mutex);
                              ranks.insert(rank.comm.rank().value());
                              threads.insert(std::this_thread::get_id());
                          }),
                IsEmpty());
    EXPECT_EQ(ranks, (std::set<int>{0, 1, 2}));
    EXPECT_EQ(threads.size(), 3U);
}

TEST(ThreadsBackend, ARankThatGivesUpEndsTheWaitOfTheOthers) {
    const auto body = [](RankHost& host, HostedRank& rank) {
        if (rank.comm.rank() == Rank{1}) return host.abort("rank 1 has had enough");
        at::Tensor one = torch::ones({1});
        try {
            Pending pending = rank.comm.allReduce(one, Reduce::Sum);
            pending.wait();
            FAIL() << "rank 1 takes no part";
        } catch (const CommError& error) {
            EXPECT_THAT(error.what(), HasSubstr("rank 1 has had enough"));
        }
    };
    EXPECT_THAT(onBackend({.backend = "threads", .workers = 2}, body), IsEmpty());
}

}  // namespace
}  // namespace dasgd::test
