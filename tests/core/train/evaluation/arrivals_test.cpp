#include "core/train/evaluation/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

class Arrivals : public ::testing::TestWithParam<std::tuple<Backend, int>> {};

TEST_P(Arrivals, RanksGoOnAsFarApartAsTheyCame) {
    const auto [backend, ranks] = GetParam();
    const auto size = static_cast<std::size_t>(ranks);
    std::vector<Ns> arrived(size), resumes(size);
    runRanks(backend, ranks, [&](Communicator& comm, Clock& clock) {
        const auto own = static_cast<std::size_t>(comm.rank().value());
        // The last rank first; far later than any exchange takes, so that the order is no accident.
        arrived[own] = clock.now() + static_cast<Ns>(size - own) * 3'000'000;
        clock.sleepUntil(arrived[own]);
        resumes[own] = resumeInstant(comm, clock, arrived[own]);
    });
    for (std::size_t rank = 1; rank < size; ++rank) {
        EXPECT_EQ(resumes[rank] - resumes[0], arrived[rank] - arrived[0]) << rank;
    }
    for (std::size_t rank = 0; rank < size; ++rank) {
        EXPECT_GT(resumes[rank], *std::max_element(arrived.begin(), arrived.end())) << "after the meeting";
    }
}

TEST_P(Arrivals, EveryRankLearnsTheLargestValue) {
    const auto [backend, ranks] = GetParam();
    std::vector<Ns> largest(static_cast<std::size_t>(ranks));
    runRanks(backend, ranks, [&](Communicator& comm, Clock&) {
        const int rank = comm.rank().value();
        // 2^60 ns are more than a double holds to the last nanosecond.
        largest[static_cast<std::size_t>(rank)] = largestOfAll(comm, (Ns{1} << 60) - rank);
    });
    for (const Ns each : largest) EXPECT_EQ(each, Ns{1} << 60);
}

INSTANTIATE_TEST_SUITE_P(Backends, Arrivals,
                         ::testing::Combine(::testing::Values(Backend::Threads, Backend::Gloo),
                                            ::testing::Values(1, 2, 4, 7)));

}  // namespace
}  // namespace dasgd::test
