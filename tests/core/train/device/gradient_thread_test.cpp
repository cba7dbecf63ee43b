// Gradients that become ready on autograd's own thread for a device, and on any other: buckets leave from there.
#include <gmock/gmock.h>
#include <torch/types.h>

#include <thread>

#include "core/algorithms/gradient_buckets.h"
#include "core/exec/cpu_executor.h"
#include "tests/support/gpu/host_device.h"
#include "tests/support/sim/networks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

const InputSpec kInput{.shape = {6}, .classes = 4};

TEST(GradientThread, TheListenerIsCalledOnAutogradsThreadWhichHasEntered) {
    HostDevice device;
    const auto model = buildModel("mlp", kInput);
    FlatParams params(model->module(), at::kFloat, layoutOn(kAccelerator));
    GradientFeed feed(params, nullptr, &device);
    std::vector<std::thread::id> threads;
    std::vector<std::size_t> order;
    feed.listen([&](std::size_t slot) {
        threads.push_back(std::this_thread::get_id());
        order.push_back(slot);
    });
    at::manual_seed(1);
    const Batch batch = randomBatch(kInput, 3);
    model->loss({batch.inputs.to(kAccelerator), batch.targets.to(kAccelerator)}).backward();
    ASSERT_EQ(order.size(), params.slots().size());
    EXPECT_GE(order.front(), order.size() - 2) << "the last layer's are ready first";
    for (const std::thread::id thread : threads) {
        EXPECT_NE(thread, std::this_thread::get_id());
        EXPECT_THAT(device.entered(), ::testing::Contains(thread));
    }
}

TEST(GradientThread, CallsFromSeveralThreadsComeOneAtATime) {
    const auto model = buildModel("mlp", kInput);
    FlatParams params(model->module(), at::kFloat);
    GradientFeed feed(params, nullptr);
    int inside = 0, most = 0;
    std::int64_t calls = 0;
    feed.listen([&](std::size_t) {
        most = std::max(most, ++inside);
        ++calls;
        --inside;
    });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < 5000; ++k) feed.ready(0);
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(most, 1);
    EXPECT_EQ(calls, 20'000);
}

// Two ranks, each with a device whose gradients are made on autograd's thread: what comes out is the mean.
TEST(GradientThread, BucketsThatLeaveFromItHoldTheMean) {
    std::vector<at::Tensor> own(2), mean(2);
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) {
        MemorySink sink;
        HostDevice device;
        const auto rank = static_cast<std::size_t>(comm.rank().value());
        const auto executor = onProcessor()(clock, sink, TraceLevel::Full, {});
        const auto model = buildModel("mlp", kInput);
        FlatParams params(model->module(), at::kFloat, layoutOn(kAccelerator));
        StepContext context(comm, clock, params, *executor, 1, {.metric = {}, .device = &device});
        GradientBuckets buckets({.bucketMb = 1e-4, .firstBucketMb = 1e-5});
        buckets.start(context);
        const at::Tensor inputs = torch::arange(18, torch::kFloat).view({3, 6}) * (rank == 0 ? 0.1 : -0.07);
        const at::Tensor targets = torch::tensor({0, 2, 3}, torch::kInt64);
        const Batch batch{inputs.to(kAccelerator), targets.to(kAccelerator)};
        for (int step = 1; step <= 3; ++step) {
            context.moveTo(step, 0.1);
            params.gradients().zero_();
            model->loss(batch).backward();
            buckets.finish(context);
        }
        mean[rank] = asHost(params.withoutPadding(params.gradients())).clone();
        const auto alone = buildModel("mlp", kInput);
        FlatParams plain(alone->module(), at::kFloat);
        alone->loss({inputs, targets}).backward();
        own[rank] = plain.gradients().clone();
    });
    EXPECT_TRUE(torch::allclose(mean[0], (own[0] + own[1]) / 2));
    EXPECT_TRUE(mean[0].equal(mean[1]));
}

}  // namespace
}  // namespace dasgd::test
