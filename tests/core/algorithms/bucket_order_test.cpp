// Which gradients leave together, and when. gradient_buckets_test has the sizes of buckets.
#include "core/algorithms/bucket_order.h"

#include <gmock/gmock.h>

#include "core/exec/cpu_executor.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

constexpr double kOneFloat = 4.0 / 1048576;  // MiB

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

FlatParams paramsOf(const std::vector<std::int64_t>& sizes) {
    FlatParams::Shapes all;
    for (const std::int64_t size : sizes) all.push_back({size});
    return FlatParams::shapesOf(all, {}, at::kFloat);
}

Ranges rangesOf(const std::vector<std::int64_t>& sizes, const BucketOrder::Limits& limits, std::int64_t multiple) {
    BucketOrder order;
    order.plan(paramsOf(sizes), limits, multiple);
    Ranges ranges;
    for (const BucketOrder::Range& range : order.ranges()) ranges.emplace_back(range.begin, range.end);
    return ranges;
}

TEST(BucketOrder, BeginsEachBucketAtAMultiple) {
    const BucketOrder::Limits each{.firstMb = kOneFloat, .mb = kOneFloat};
    EXPECT_EQ(rangesOf({5, 6, 7}, each, 1), (Ranges{{11, 18}, {5, 11}, {0, 5}}));
    EXPECT_EQ(rangesOf({5, 6, 7}, each, 4), (Ranges{{12, 18}, {8, 12}, {0, 8}}));
    EXPECT_EQ(rangesOf({5, 6, 7}, each, 8), (Ranges{{16, 18}, {8, 16}, {0, 8}}));
}

// A bucket without a multiple in it leaves with the next one.
TEST(BucketOrder, HasNoEmptyBucket) {
    const BucketOrder::Limits each{.firstMb = kOneFloat, .mb = kOneFloat};
    EXPECT_EQ(rangesOf({9, 1, 2, 9}, each, 7), (Ranges{{14, 21}, {0, 14}}));
    EXPECT_EQ(rangesOf({2, 1}, each, 7), (Ranges{{0, 3}}));
}

// Buckets that left when the gradients of these parameters had come, one after the other; -1: the end of the pass.
std::vector<std::vector<std::size_t>> leavingAfter(const std::vector<std::size_t>& slots, std::int64_t multiple) {
    std::vector<std::vector<std::size_t>> all;
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        FlatParams params = paramsOf({9, 1, 2, 9});
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        BucketOrder order;
        order.plan(params, {.firstMb = kOneFloat, .mb = kOneFloat}, multiple);
        order.start(context, [&](std::size_t bucket, bool inPass) {
            EXPECT_EQ(inPass, all.size() <= slots.size());
            all.back().push_back(bucket);
        });
        for (const std::size_t slot : slots) {
            all.emplace_back();
            context.gradientFeed().ready(slot);
        }
        all.emplace_back();
        order.finish();
    });
    return all;
}

TEST(BucketOrder, EachLeavesWithItsLastGradientAndNoneBeforeAnother) {
    using Steps = std::vector<std::vector<std::size_t>>;
    EXPECT_EQ(leavingAfter({3, 2, 1, 0}, 1), (Steps{{0}, {1}, {2}, {3}, {}}));
    EXPECT_EQ(leavingAfter({2, 1, 3, 0}, 1), (Steps{{}, {}, {0, 1, 2}, {3}, {}}));
    EXPECT_EQ(leavingAfter({3, 0}, 1), (Steps{{0}, {}, {1, 2, 3}})) << "the others' parameters took no part";
    EXPECT_EQ(leavingAfter({3, 2, 1, 0}, 7), (Steps{{0}, {}, {}, {1}, {}}));
}

TEST(BucketOrder, BeginsEachPassAnew) {
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        FlatParams params = paramsOf({9, 1});
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        BucketOrder order;
        order.plan(params, {.firstMb = kOneFloat, .mb = kOneFloat});
        int left = 0;
        order.start(context, [&](std::size_t, bool) { ++left; });
        for (int pass = 1; pass <= 3; ++pass) {
            context.gradientFeed().ready(1);
            order.finish();
            EXPECT_EQ(left, 2 * pass);
        }
        order.stop();
        context.gradientFeed().ready(1);
        EXPECT_EQ(left, 6);
    });
}

}  // namespace
}  // namespace dasgd::test
