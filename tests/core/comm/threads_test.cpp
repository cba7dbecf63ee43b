#include "core/comm/threads.h"
#include <gmock/gmock.h>

#include <array>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

TEST(Threads, MeanOfEqualValuesIsExactForPowersOfTwo) {
    const at::Tensor values = torch::rand({1000}, torch::kFloat32);
    for (const int ranks : {2, 4, 8}) {
        runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock&) {
            at::Tensor tensor = values.clone();
            Pending pending = comm.allReduce(tensor, Reduce::Mean);
            pending.wait();
            EXPECT_TRUE(torch::equal(tensor, values));
        });
    }
}

TEST(Threads, DeadlineNamesTheRankThatDidNotCome) {
    std::string message;
    try {
        runRanks(
            Backend::Threads, 2,
            [&](Communicator& comm, Clock&) {
                if (comm.rank() == Rank{1}) return;
                at::Tensor tensor = torch::ones({10});
                Pending pending = comm.allReduce(tensor, Reduce::Sum);
                pending.wait();
            },
            std::chrono::milliseconds(200));
    } catch (const CommError& error) {
        message = error.what();
    }
    EXPECT_THAT(message, testing::HasSubstr("all_reduce #1 (40 bytes)"));
    EXPECT_THAT(message, testing::HasSubstr("not arrived: rank 1"));
}

TEST(Threads, SaysWhichRanksLaunchedWhatInOnePlace) {
    std::array<std::string, 2> heard;
    runRanks(
        Backend::Threads, 2,
        [&](Communicator& comm, Clock&) {
            at::Tensor tensor = torch::ones({10});
            try {
                Pending pending =
                    comm.rank() == Rank{0} ? comm.broadcast(tensor, Rank{1}) : comm.allReduce(tensor, Reduce::Sum);
                pending.wait();
            } catch (const CommError& error) {
                heard[static_cast<std::size_t>(comm.rank().value())] = error.what();
            }
        },
        std::chrono::milliseconds(200));
    const std::string second = heard[0].find(", but ") != std::string::npos ? heard[0] : heard[1];
    EXPECT_THAT(second, testing::HasSubstr("rank 0: broadcast #1 (40 bytes) from rank 1"));
    EXPECT_THAT(second, testing::HasSubstr("rank 1: all_reduce #1 (40 bytes), sum"));
    EXPECT_THAT(second, testing::HasSubstr("every rank must launch the same"));
}

TEST(Threads, AbortReachesRanksThatWait) {
    const auto run = [] {
        runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock&) {
            if (comm.rank() == Rank{1}) throw std::runtime_error("broken");
            at::Tensor tensor = torch::ones({10});
            Pending pending = comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
        });
    };
    EXPECT_THROW(run(), CommError);  // rank 0's, long before its 20 s deadline
}

}  // namespace
}  // namespace dasgd::test
