#include "core/comm/clock_sync.h"

#include <gtest/gtest.h>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

constexpr Ns kHour = 3'600'000'000'000;

TEST(ClockSync, RanksWithDifferentOriginsEndOnOneTimeLineWithinTheBound) {
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        for (const int ranks : {1, 2, 4}) {
            const Ns shared = MonotonicClock::rawNow();
            runRanks(backend, ranks, [&](Communicator& comm, Clock&) {
                const int rank = comm.rank().value();
                // Rank 1 is an hour ahead, rank 2 two hours, …
                MonotonicClock clock(shared - rank * kHour);
                const ClockOffset found = alignClock(comm, clock);
                if (rank == 0) {
                    EXPECT_EQ(found.offset, 0);
                    EXPECT_EQ(clock.origin(), shared);
                    return;
                }
                EXPECT_GT(found.error, 0);
                EXPECT_LE(std::abs(found.offset + rank * kHour), found.error);
                EXPECT_LE(std::abs(clock.origin() - shared), found.error) << "the true offset lies within the bound";
            });
        }
    }
}

}  // namespace
}  // namespace dasgd::test
