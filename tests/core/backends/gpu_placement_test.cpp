#include "core/backends/gpu_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "tests/support/ranks.h"

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

GpuPlacement placement(const std::string& boot, const std::string& uuid, const std::string& gpu = "A100") {
    return {.host = "node-" + boot, .boot = boot, .gpu = gpu, .uuid = uuid};
}

std::string refusal(const std::vector<GpuPlacement>& placements, int ranksPerGpu = 1, bool mixed = false) {
    const Status fits = checkPlacements(placements, ranksPerGpu, mixed);
    return fits ? "" : fits.error().message;
}

TEST(GpuCensus, TwoHostsMayCountTheirGpusAlike) {
    EXPECT_EQ(refusal({placement("1", "x"), placement("1", "y"), placement("2", "x"), placement("2", "y")}), "");
}

TEST(GpuCensus, RanksThatShareAGpuAreNamed) {
    EXPECT_THAT(refusal({placement("1", "x"), placement("1", "y"), placement("1", "x")}),
                AllOf(HasSubstr("ranks 0, 2 are on one GPU of node-1"), HasSubstr("LOCAL_RANK"),
                      HasSubstr("ranks_per_gpu = 2")));
    EXPECT_EQ(refusal({placement("1", "x"), placement("1", "x")}, 2), "");
}

TEST(GpuCensus, GpusThatDifferAreRefusedAcrossHostsToo) {
    const std::vector<GpuPlacement> placements{placement("1", "x"), placement("2", "x", "H100")};
    EXPECT_THAT(refusal(placements), AllOf(HasSubstr("A100, H100"), HasSubstr("mixed_gpus")));
    EXPECT_EQ(refusal(placements, 1, true), "");
}

TEST(GpuCensus, EveryRankLearnsTheSeatsOfAllInTheirOrder) {
    for (const Backend backend : {Backend::Threads, Backend::Gloo}) {
        runRanks(backend, 3, [](Communicator& comm, Clock&) {
            const std::string own = std::to_string(comm.rank().value());
            // Bytes that are no text, and more of them than are sent.
            const auto placements = gatherPlacements(comm, {.host = "host " + own,
                                                            .boot = "",
                                                            .gpu = std::string(300, 'g'),
                                                            .uuid = std::string("\0\xff", 2) + own});
            ASSERT_EQ(placements.size(), 3U);
            for (int r = 0; r < 3; ++r) {
                const GpuPlacement& placement = placements[static_cast<std::size_t>(r)];
                EXPECT_EQ(placement.host, "host " + std::to_string(r));
                EXPECT_EQ(placement.boot, "");
                EXPECT_EQ(placement.gpu, std::string(255, 'g'));
                EXPECT_EQ(placement.uuid, std::string("\0\xff", 2) + std::to_string(r));
            }
        });
    }
}

TEST(GpuCensus, ThisHostHasANameAndABoot) {
    const GpuPlacement own = placementOnThisHost();
    EXPECT_FALSE(own.host.empty());
    EXPECT_EQ(own.boot.size(), 36U);
}

}  // namespace
}  // namespace dasgd::test
