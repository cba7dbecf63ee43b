#include "core/backends/gpu_census.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

GpuSeat seat(const std::string& boot, const std::string& uuid, const std::string& gpu = "A100") {
    return {.host = "node-" + boot, .boot = boot, .gpu = gpu, .uuid = uuid};
}

std::string refusal(const std::vector<GpuSeat>& seats, int ranksPerGpu = 1, bool mixed = false) {
    const Status fits = checkSeats(seats, ranksPerGpu, mixed);
    return fits ? "" : fits.error().message;
}

TEST(GpuCensus, TwoHostsMayCountTheirGpusAlike) {
    EXPECT_EQ(refusal({seat("1", "x"), seat("1", "y"), seat("2", "x"), seat("2", "y")}), "");
}

TEST(GpuCensus, RanksThatShareAGpuAreNamed) {
    EXPECT_THAT(refusal({seat("1", "x"), seat("1", "y"), seat("1", "x")}),
                AllOf(HasSubstr("ranks 0, 2 are on one GPU of node-1"), HasSubstr("LOCAL_RANK"),
                      HasSubstr("ranks_per_gpu = 2")));
    EXPECT_EQ(refusal({seat("1", "x"), seat("1", "x")}, 2), "");
}

TEST(GpuCensus, GpusThatDifferAreRefusedAcrossHostsToo) {
    const std::vector<GpuSeat> seats{seat("1", "x"), seat("2", "x", "H100")};
    EXPECT_THAT(refusal(seats), AllOf(HasSubstr("A100, H100"), HasSubstr("mixed_gpus")));
    EXPECT_EQ(refusal(seats, 1, true), "");
}

TEST(GpuCensus, EveryRankLearnsTheSeatsOfAllInTheirOrder) {
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        runRanks(backend, 3, [](Communicator& comm, Clock&) {
            const std::string own = std::to_string(comm.rank().value());
            // Bytes that are no text, and more of them than are sent.
            const auto seats = gatherSeats(comm, {.host = "host " + own,
                                                  .boot = "",
                                                  .gpu = std::string(300, 'g'),
                                                  .uuid = std::string("\0\xff", 2) + own});
            ASSERT_EQ(seats.size(), 3U);
            for (int r = 0; r < 3; ++r) {
                const GpuSeat& seat = seats[static_cast<std::size_t>(r)];
                EXPECT_EQ(seat.host, "host " + std::to_string(r));
                EXPECT_EQ(seat.boot, "");
                EXPECT_EQ(seat.gpu, std::string(255, 'g'));
                EXPECT_EQ(seat.uuid, std::string("\0\xff", 2) + std::to_string(r));
            }
        });
    }
}

TEST(GpuCensus, ThisHostHasANameAndABoot) {
    const GpuSeat own = seatOnThisHost();
    EXPECT_FALSE(own.host.empty());
    EXPECT_EQ(own.boot.size(), 36U);
}

}  // namespace
}  // namespace dasgd::test
