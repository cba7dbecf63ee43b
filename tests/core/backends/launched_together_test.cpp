// The wrapper that lets ranks which are threads of one process share a GPU in tests
// (tests/support/nccl/launched_together.h), over functions that only count.
#include "tests/support/nccl/launched_together.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace dasgd::test {
namespace {

// An NCCL that is asked, and launches with groupEnd().
struct Counted {
    std::atomic<int> asked = 0, launched = 0;
    NcclApi api() {
        NcclApi nccl;
        nccl.commInit = [](NcclHandle* handle, int, NcclId, int rank, NcclConfig*) {
            *handle = reinterpret_cast<NcclHandle>(static_cast<std::uintptr_t>(rank + 1) * 16);
            return NcclApi::kInProgress;
        };
        nccl.groupStart = [] { return NcclApi::kSuccess; };
        nccl.allReduce = [this](const void*, void*, std::size_t, int, int, NcclHandle, StreamHandle) {
            ++asked;
            return NcclApi::kInProgress;
        };
        nccl.send = [this](const void*, std::size_t, int, int, NcclHandle, StreamHandle) {
            ++asked;
            return NcclApi::kInProgress;
        };
        nccl.receive = [](void*, std::size_t, int, int, NcclHandle, StreamHandle) { return NcclApi::kInProgress; };
        nccl.groupEnd = [this] {
            ++launched;
            return NcclApi::kInProgress;
        };
        nccl.commAsyncError = [](NcclHandle, int* state) {
            *state = NcclApi::kSuccess;
            return NcclApi::kSuccess;
        };
        nccl.commFinalize = [](NcclHandle) { return NcclApi::kSuccess; };
        nccl.commAbort = nccl.commFinalize;
        return nccl;
    }
};

constexpr int kRanks = 3;

// All-reduce of one rank, on a communicator of its own test.
void allReduce(const NcclApi& nccl, NcclHandle handle) {
    nccl.groupStart();
    nccl.allReduce(nullptr, nullptr, 1, NcclApi::kFloat, NcclApi::kSum, handle, nullptr);
    EXPECT_EQ(nccl.groupEnd(), NcclApi::kSuccess);
}

TEST(LaunchedTogether, NobodyGoesOnBeforeAllHaveLaunched) {
    Counted counted;
    const NcclApi nccl = launchedTogether(counted.api());
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < kRanks; ++rank) {
        ranks.emplace_back([&, rank] {
            NcclHandle handle = nullptr;
            EXPECT_EQ(nccl.commInit(&handle, kRanks, NcclId{"first"}, rank, nullptr), NcclApi::kInProgress);
            for (int round = 1; round <= 50; ++round) {
                if (rank == round % kRanks) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                allReduce(nccl, handle);
                EXPECT_GE(counted.launched, kRanks * round);
            }
            nccl.commFinalize(handle);
        });
    }
    for (std::thread& rank : ranks) rank.join();
    EXPECT_EQ(counted.asked, 50 * kRanks);
}

TEST(LaunchedTogether, NobodyLaunchesBeforeAllHaveCome) {
    Counted counted;
    const NcclApi nccl = launchedTogether(counted.api());
    std::vector<NcclHandle> handles(2);
    for (int rank = 0; rank < 2; ++rank)
        nccl.commInit(&handles[static_cast<std::size_t>(rank)], 2, NcclId{"second"}, rank, nullptr);
    std::thread early([&] { allReduce(nccl, handles[0]); });
    while (counted.asked == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(counted.launched, 0);
    allReduce(nccl, handles[1]);
    early.join();
    EXPECT_EQ(counted.launched, 2);
}

// Each rank changes numbers with a peer, while the third one rests; then all of them reduce.
TEST(LaunchedTogether, MessagesAreLaunchedByTheRanksThatTheyJoin) {
    Counted counted;
    const NcclApi nccl = launchedTogether(counted.api());
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < kRanks; ++rank) {
        ranks.emplace_back([&, rank] {
            NcclHandle handle = nullptr;
            nccl.commInit(&handle, kRanks, NcclId{"pairs"}, rank, nullptr);
            int before = 0;
            for (int round = 0; round < 60; ++round) {
                const int resting = round % kRanks;
                if (rank != resting) {
                    const int peer = kRanks - resting - rank;
                    nccl.groupStart();
                    nccl.send(nullptr, 1, NcclApi::kFloat, peer, handle, nullptr);
                    nccl.receive(nullptr, 1, NcclApi::kFloat, peer, handle, nullptr);
                    EXPECT_EQ(nccl.groupEnd(), NcclApi::kSuccess);
                    before += 2;
                    EXPECT_GE(counted.launched, before);
                }
                if (round % 5 == 4) allReduce(nccl, handle);
            }
            nccl.commFinalize(handle);
        });
    }
    for (std::thread& rank : ranks) rank.join();
    EXPECT_EQ(counted.launched, 60 * 2 + 12 * kRanks);
}

TEST(LaunchedTogether, NobodyWaitsForOneWhoHasLeft) {
    Counted counted;
    const NcclApi nccl = launchedTogether(counted.api());
    std::vector<NcclHandle> handles(2);
    for (int rank = 0; rank < 2; ++rank)
        nccl.commInit(&handles[static_cast<std::size_t>(rank)], 2, NcclId{"third"}, rank, nullptr);
    std::thread other([&] { allReduce(nccl, handles[0]); });
    while (counted.asked == 0) std::this_thread::yield();
    const auto left = std::chrono::steady_clock::now();
    nccl.commAbort(handles[1]);
    other.join();
    allReduce(nccl, handles[0]);
    EXPECT_EQ(counted.launched, 2);
    EXPECT_LT(std::chrono::steady_clock::now() - left, LaunchMeeting::kPatience / 2) << "and gives nobody up";
}

}  // namespace
}  // namespace dasgd::test
