// The backend of GPUs over stand-ins for them and for NCCL (tests/support/nccl/standin_machine.h): ranks are threads
// that share nothing but the run's folder, and shared memory in place of NCCL's connections.
#include "core/backends/gpu_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "core/comm/clock_sync.h"
#include "core/exec/device_executor.h"
#include "tests/support/document.h"
#include "tests/support/hosted.h"
#include "tests/support/nccl/collectives_on_device.h"
#include "tests/support/nccl/standin_machine.h"

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;
using testing::SizeIs;

GpuBackend standIn(const StandInMachine& machine = {}, const GpuParams& params = {}) {
    return {params, [machine]() -> Result<GpuRuntime> { return standInRuntime(machine); }};
}

class GpuBackendOnStandIns : public testing::TestWithParam<int> {};

TEST_P(GpuBackendOnStandIns, EveryRankIsAProcessWithAGpuThatReducesWithTheOthers) {
    const int ranks = GetParam();
    const GpuBackend backend = standIn();
    EXPECT_TRUE(backend.layout(ranks).isProcessARank());
    EXPECT_TRUE(backend.layout(ranks).onGpus);
    std::atomic<int> ran = 0;
    EXPECT_THAT(onBackend(backend, {.workers = ranks},
                          [&](RankHost&, HostedRank& rank) {
                              ASSERT_NE(rank.device, nullptr);
                              NoSink sink;
                              const auto executor = rank.executor(rank.clock, sink, TraceLevel::Full, {});
                              EXPECT_NE(dynamic_cast<DeviceExecutor*>(executor.get()), nullptr);
                              at::Tensor own = torch::full({1000}, rank.comm.rank().value() + 1.0);
                              for (int i = 0; i < 20; ++i) {
                                  Pending pending = rank.comm.allReduce(own, Reduce::Mean);
                                  waitOnHost(pending);
                                  EXPECT_EQ(pending.collective(), static_cast<std::uint64_t>(i + 1));
                              }
                              EXPECT_DOUBLE_EQ(own[999].item<double>(), (ranks + 1) / 2.0);
                              expectEveryCollective(rank);
                              ++ran;
                          }),
                IsEmpty());
    EXPECT_EQ(ran, ranks);
    // '=': that interface alone, and none whose name begins so.
    EXPECT_STREQ(std::getenv("NCCL_SOCKET_IFNAME"), "=lo") << "NCCL's sockets are on the interface of the run";
}

INSTANTIATE_TEST_SUITE_P(Ranks, GpuBackendOnStandIns, testing::Values(1, 2, 4));

TEST(GpuBackend, RanksShareAGpuWhereTheyMay) {
    ::unsetenv("NCCL_MULTI_RANK_GPU_ENABLE");
    std::atomic<int> ran = 0;
    EXPECT_THAT(onBackend(standIn({.gpus = 1}, {.ranksPerGpu = 4}), {.workers = 4},
                          [&](RankHost&, HostedRank& rank) {
                              at::Tensor own = torch::ones({4});
                              Pending pending = rank.comm.allReduce(own, Reduce::Sum);
                              waitOnHost(pending);
                              ran += static_cast<int>(own[0].item<float>());
                          }),
                IsEmpty());
    EXPECT_EQ(ran, 16);
    EXPECT_STREQ(::getenv("NCCL_MULTI_RANK_GPU_ENABLE"), "1") << "NCCL is told";
}

// Clients of CUDA's multi-process service take their queues from those of the GPU: 32 of each would be too many.
TEST(GpuBackend, RanksThatShareAGpuAskForFewerQueues) {
    for (const auto& [ranksPerGpu, queues] : {std::pair{1, "32"}, std::pair{4, "16"}, std::pair{16, "8"}}) {
        ::unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
        (void)standIn({.gpus = 1}, {.ranksPerGpu = ranksPerGpu}).checkMachine({.workers = ranksPerGpu});
        EXPECT_STREQ(::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), queues);
    }
    ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "4", 1);
    (void)standIn({.gpus = 1}, {}).checkMachine({.workers = 1});
    EXPECT_STREQ(::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "4") << "what users set stays";
    ::unsetenv("CUDA_DEVICE_MAX_CONNECTIONS");
}

// The channels of each rank's communicator, and the priorities of all streams.
std::pair<std::vector<int>, std::vector<int>> askedFor(int ranks, const StandInMachine& machine,
                                                       const GpuParams& params) {
    StandInMachine own = machine;
    own.asked = std::make_shared<AskedOfStandIns>();
    EXPECT_THAT(onBackend(standIn(own, params), {.workers = ranks}, [](RankHost&, HostedRank&) {}), IsEmpty());
    return {own.asked->channels, own.asked->priorities};
}

TEST(GpuBackend, ChannelsAndPriorityAreWhatWasAskedFor) {
    const auto usual = askedFor(2, {}, {});
    EXPECT_THAT(usual.first, ElementsAre(NcclConfig::kUndefined, NcclConfig::kUndefined)) << "NCCL's own choice";
    EXPECT_THAT(askedFor(2, {}, {.ncclChannels = 2}).first, ElementsAre(2, 2));
    EXPECT_THAT(askedFor(4, {.gpus = 1}, {.ranksPerGpu = 4}).first, ElementsAre(4, 4, 4, 4))
        << "of the 16 that a GPU has room for";
    const auto low = askedFor(2, {}, {.commPriority = "low"});
    // A smaller number goes first; messages of the host have a stream that is always first.
    EXPECT_THAT(usual.second, Each(Lt(0)));
    EXPECT_THAT(low.second, Contains(0));
}

TEST(GpuBackend, MessagesAndGroupsWork) {
    EXPECT_THAT(onBackend(standIn(), {.workers = 4},
                          [&](RankHost&, HostedRank& rank) {
                              const int own = rank.comm.rank().value();
                              at::Tensor word = torch::full({2}, 10.0 * own);
                              if (own == 1) rank.comm.send(word, Rank{3}, 5).wait();
                              if (own == 3) {
                                  rank.comm.receive(word, Rank{1}, 5).wait();
                                  EXPECT_EQ(word[1].item<float>(), 10);
                              }
                              const auto half = rank.comm.split(own % 2 == 0 ? std::vector{Rank{0}, Rank{2}}
                                                                             : std::vector{Rank{1}, Rank{3}});
                              at::Tensor number = torch::full({1}, own + 0.0);
                              Pending pending = half->allReduce(number, Reduce::Sum);
                              waitOnHost(pending);
                              EXPECT_EQ(number.item<float>(), own % 2 == 0 ? 2 : 4);
                          }),
                IsEmpty());
}

// A device of another kind than the processor: NCCL sees nothing of what is not on it.
TEST(GpuBackend, WhatIsInTheHostsMemoryGoesThroughTheGroupBeside) {
    std::atomic<int> asked = 0;
    const GpuBackend backend({}, [&]() -> Result<GpuRuntime> {
        GpuRuntime runtime = standInRuntime({.tensors = at::kMeta});
        runtime.nccl.allReduce = [&asked](const void*, void*, std::size_t, int, int, NcclHandle, StreamHandle) {
            return ++asked, NcclApi::kInvalidArgument;
        };
        return runtime;
    });
    EXPECT_THAT(onBackend(backend, {.workers = 2},
                          [&](RankHost&, HostedRank& rank) {
                              at::Tensor sums = torch::ones({3}, torch::kFloat64);
                              Pending pending = rank.comm.allReduce(sums, Reduce::Sum);
                              waitOnHost(pending);
                              EXPECT_EQ(sums[2].item<double>(), 2);
                              const RankClockOffset offset = estimateClockOffset(rank.comm, rank.clock);
                              EXPECT_LE(std::abs(offset.offset), offset.error) << "one host has one clock";
                          }),
                IsEmpty());
    EXPECT_EQ(asked, 0);
}

// The largest bound last, as it can only grow.
class ClockSink final : public EventSink {
public:
    void span(const Span&) override {}
    void metric(const Metric& metric) override {
        const std::lock_guard lock(mutex);
        if (metric.name == std::string_view("clock/device_error_s")) bounds.push_back(metric.value);
    }
    void state(RankState, std::int64_t, std::string_view) override {}
    std::mutex mutex;
    std::vector<double> bounds;
};

TEST(GpuBackend, RecordsHowFarTheInstantsOfTheGpuMayBeOff) {
    std::map<int, ClockSink> sinks;
    for (int r : {0, 1}) sinks.try_emplace(r);
    EXPECT_THAT(onBackend(
                    standIn(), {.workers = 2}, [](RankHost&, HostedRank&) {}, nullptr,
                    [&](Rank rank) -> EventSink& { return sinks.at(rank.value()); }),
                IsEmpty());
    for (auto& [rank, sink] : sinks) {
        ASSERT_FALSE(sink.bounds.empty()) << rank;
        EXPECT_TRUE(std::ranges::is_sorted(sink.bounds));
        EXPECT_GT(sink.bounds.front(), 0);
        EXPECT_LT(sink.bounds.back(), 1);
    }
}

// ------------------------------------------------------------------------------------- what keeps ranks from starting

const HostedBody kNobodyRuns = [](RankHost&, HostedRank&) { FAIL() << "no rank may run"; };

TEST(GpuBackend, ARankThatIsRefusedWhenConnectedIsAnErrorOfItsHost) {
    const auto errors =
        onBackend(standIn(), {.workers = 2}, kNobodyRuns, [](Communicator&) -> Status { return fail("not you"); });
    EXPECT_THAT(errors, SizeIs(2));
    EXPECT_THAT(errors, Each("not you"));
}

TEST(GpuBackend, RanksThatFindThemselvesOnOneGpuAreRefusedTogether) {
    const auto errors = onBackend(standIn({.gpus = 1}), {.workers = 3}, kNobodyRuns);
    EXPECT_THAT(errors, SizeIs(3));
    EXPECT_THAT(errors, Each(AllOf(HasSubstr("ranks 0, 1, 2 are on one GPU"), HasSubstr("ranks_per_gpu = 3"))));
}

TEST(GpuBackend, GpusOfDifferentKindsAreRefusedTogetherUnlessTheyMay) {
    std::atomic<int> hosts = 0;
    const LoadGpuRuntime unequal = [&]() -> Result<GpuRuntime> {
        return standInRuntime({.gpuName = hosts++ == 0 ? "large GPU" : "small GPU"});
    };
    const auto errors = onBackend(GpuBackend({}, unequal), {.workers = 2}, kNobodyRuns);
    EXPECT_THAT(errors, SizeIs(2));
    EXPECT_THAT(errors, Each(AllOf(HasSubstr("large GPU"), HasSubstr("small GPU"), HasSubstr("mixed_gpus"))));
    hosts = 0;
    std::atomic<int> ran = 0;
    const auto allowed =
        onBackend(GpuBackend({.mixedGpus = true}, unequal), {.workers = 2}, [&](RankHost&, HostedRank&) { ++ran; });
    EXPECT_THAT(allowed, IsEmpty());
    EXPECT_EQ(ran, 2);
}

std::string openAlone(const GpuBackend& backend, int workers, std::optional<int> localRank) {
    const TempDir folder;
    MonotonicClock clock;
    NoSink sink;
    const ClusterParams cluster{.workers = workers, .timeoutS = 1};
    const auto host = backend.open({.ranks = {0},
                                    .clock = clock,
                                    .folder = folder.path(),
                                    .localRank = localRank,
                                    .sink = [&](Rank) -> EventSink& { return sink; },
                                    .cluster = &cluster});
    return host ? "" : host.error().message;
}

TEST(GpuBackend, ARankThatDoesNotKnowItsGpuOrHasNoneSaysSo) {
    EXPECT_THAT(openAlone(standIn(), 2, std::nullopt), AllOf(HasSubstr("4 GPUs"), HasSubstr("LOCAL_RANK")));
    EXPECT_EQ(openAlone(standIn(), 1, std::nullopt), "") << "a rank that is alone takes the first";
    EXPECT_THAT(openAlone(standIn({.gpus = 2}), 4, 2),
                AllOf(HasSubstr("would take GPU 2"), HasSubstr("2 GPUs"), HasSubstr("ranks_per_gpu")));
}

TEST(GpuBackend, WhatIsMissingEndsItBeforeTheOthersAreWaitedFor) {
    const GpuBackend without({}, []() -> Result<GpuRuntime> { return fail("this machine has no NVIDIA driver"); });
    EXPECT_THAT(openAlone(without, 2, 0), HasSubstr("no NVIDIA driver"));
    EXPECT_THAT(without.checkMachine({.workers = 2}).error().message, HasSubstr("no NVIDIA driver"));
    const GpuBackend full({}, []() -> Result<GpuRuntime> {
        GpuRuntime runtime = standInRuntime();
        runtime.open = [](int) -> Result<std::unique_ptr<TensorDevice>> { return fail("GPU 0 is out of memory"); };
        return runtime;
    });
    EXPECT_THAT(openAlone(full, 2, 0), HasSubstr("out of memory"));
    EXPECT_THAT(openAlone(standIn({.ncclVersion = 21405}), 2, 0), HasSubstr("NCCL is 2.14.5"));
}

TEST(GpuBackend, TheMachineIsAskedForAllRanksBeforeOneStarts) {
    EXPECT_THAT(standIn().checkMachine({.workers = 4}).value(), HasSubstr("4 GPUs (stand-in GPU)"));
    EXPECT_THAT(standIn({.gpus = 2}).checkMachine({.workers = 4}).error().message, HasSubstr("4 ranks need 4 GPUs"));
    EXPECT_THAT(standIn({.ncclVersion = 22809}, {.ranksPerGpu = 2}).checkMachine({.workers = 4}).error().message,
                HasSubstr("2.30.0"));
    const GpuBackend incomplete({}, []() -> Result<GpuRuntime> {
        GpuRuntime runtime = standInRuntime();
        runtime.load = [] { return Status(fail("LibTorch's CUDA libraries cannot be loaded")); };
        return runtime;
    });
    EXPECT_THAT(incomplete.checkMachine({.workers = 1}).error().message, HasSubstr("CUDA libraries"));
}

TEST(GpuBackend, AnEmulatedLinkIsRefusedWithItsPlace) {
    const Value document = table({{"cluster", table({{"link", table({})}})}});
    const Status answer = standIn().check(document, {.link = LinkParams()});
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, AllOf(HasSubstr("link"), HasSubstr("backend = \"gloo\"")));
    EXPECT_TRUE(standIn().check(document, {}));
}

// ------------------------------------------------------------------------------------- what ends ranks that run

TEST(GpuBackend, ACollectiveThatARankDoesNotJoinFailsAtItsDeadlineWithRankOperationAndNumber) {
    expectALateRankIsNamed(standIn(), {});
}

TEST(GpuBackend, ARankThatIsGoneIsAnErrorOfNcclWithRankOperationAndNumber) {
    MonotonicClock clock;
    EXPECT_THAT(onBackend(standIn(), {.workers = 2, .timeoutS = 30},
                          [&](RankHost&, HostedRank& rank) {
                              if (rank.comm.rank() == Rank{1}) return;
                              at::Tensor own = torch::ones({16});
                              const Ns start = clock.now();
                              Pending pending = rank.comm.allReduce(own, Reduce::Sum);
                              EXPECT_THAT(failureOf(pending),
                                          ContainsRegex("rank 0: all_reduce #1 .64 bytes. failed: NCCL: remote"));
                              EXPECT_LT(clock.now() - start, 10'000'000'000) << "long before the deadline";
                          }),
                IsEmpty());
}

}  // namespace
}  // namespace dasgd::test
