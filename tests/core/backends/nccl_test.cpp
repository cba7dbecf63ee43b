// The backend as it is registered, on this machine, which may have GPUs or none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "tests/support/document.h"
#include "tests/support/hosted.h"
#include "tests/support/nccl/collectives_on_device.h"
#include "tests/support/nccl/on_this_machine.h"

namespace dasgd::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(NcclBackend, HasItsOwnFields) {
    EXPECT_THAT(ownFieldsOf("nccl"),
                UnorderedElementsAre("ranks_per_gpu", "comm_priority", "nccl_channels", "mixed_gpus"));
    const auto create = [](Fields fields) { return BackendRegistry::find("nccl")->create(table(fields), {}); };
    EXPECT_TRUE(create({{"ranks_per_gpu", integer(4)}, {"comm_priority", text("low")}, {"nccl_channels", integer(2)}}));
    EXPECT_THAT(create({{"ranks_per_gpu", integer(0)}}).error().message, HasSubstr("ranks_per_gpu"));
    EXPECT_THAT(create({{"comm_priority", text("middling")}}).error().message, HasSubstr("high"));
    EXPECT_THAT(create({{"nccl_chanels", integer(2)}}).error().message, HasSubstr("nccl_channels"));
}

// No machine has as many GPUs as there are ranks here.
TEST(NcclBackend, MoreRanksThanGpusAreRefusedByWhateverMachine) {
    const auto backend = BackendRegistry::find("nccl")->create(Value(), {}).value();
    const auto answer = backend->checkMachine({.backend = "nccl", .workers = 4096});
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message,
                AnyOf(HasSubstr("4096 ranks need 4096 GPUs"), HasSubstr("NVIDIA driver"), HasSubstr("install")));
}

// 1, 2 and 4 ranks on the GPUs of this machine, as many on each as it takes; skipped where there is none.
class NcclOnGpus : public testing::TestWithParam<int> {};

TEST_P(NcclOnGpus, RanksReduceWithOneAnother) {
    const int ranks = GetParam();
    const OnThisMachine here = onThisMachine(ranks);
    if (!here.lacks.empty()) GTEST_SKIP() << here.lacks;
    EXPECT_THAT(
        onBackend(
            *here.backend, here.cluster,
            [&](RankHost&, HostedRank& rank) {
                at::Tensor own =
                    torch::full({1 << 20}, rank.comm.rank().value() + 1.0, torch::kFloat).to(rank.device->device());
                for (int i = 0; i < 10; ++i) {
                    Pending pending = rank.comm.allReduce(own, Reduce::Mean);
                    pending.wait();
                }
                EXPECT_FLOAT_EQ(own[12345].item<float>(), static_cast<float>(ranks + 1) / 2);
                expectEveryCollective(rank);
            }),
        IsEmpty());
}

TEST(NcclOnGpu, ALateRankIsNamedAtTheDeadline) {
    const OnThisMachine here = onThisMachine(2, loadGpuRuntime);
    if (!here.lacks.empty()) GTEST_SKIP() << here.lacks;
    expectALateRankIsNamed(*here.backend, here.cluster, 8);  // which NCCL takes a second or more of to connect
}

INSTANTIATE_TEST_SUITE_P(Ranks, NcclOnGpus, testing::Values(1, 2, 4));

}  // namespace
}  // namespace dasgd::test
