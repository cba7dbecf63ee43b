// Gradients that leave together in a bucket, and that none leave once they are stopped. sync_sgd_test checks the
// averages.
#include "core/algorithms/gradient_buckets.h"

#include <gmock/gmock.h>

#include "core/exec/cpu_executor.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

constexpr double kKilobyte = 1024.0 / 1048576;

// Bytes of each all-reduce of one backward pass over parameters of 64, 128, 256 and 64 floats.
std::vector<std::int64_t> bucketsOf(const GradientBucketsParams& values, bool stopped = false) {
    std::vector<std::int64_t> sent;
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        FlatParams params = FlatParams::shapesOf({{64}, {128}, {256}, {64}}, {}, at::kFloat);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Full);
        StepContext context(comm, clock, params, executor);
        GradientBuckets buckets(values);
        buckets.start(context);
        if (stopped) buckets.stop();
        context.moveTo(1, 0.1);
        for (std::size_t slot = 4; slot-- > 0;) context.gradientFeed().ready(slot);
        if (!stopped) buckets.finish(context);
        executor.flush();
        for (const Span& span : sink.spans) {
            if (span.kind == SpanKind::Reduce) sent.push_back(span.bytes);
        }
    });
    return sent;
}

TEST(GradientBuckets, FillFromTheLastParameterOn) {
    EXPECT_THAT(bucketsOf({.bucketMb = kKilobyte, .firstBucketMb = kKilobyte / 4}),
                testing::ElementsAre(256, 1024, 768))
        << "64 floats are a first bucket, 256 one of the rest, and what is left the last";
    EXPECT_THAT(bucketsOf({.bucketMb = kKilobyte, .firstBucketMb = 2 * kKilobyte}), testing::ElementsAre(2048));
    EXPECT_THAT(bucketsOf({}), testing::ElementsAre(2048));
}

TEST(GradientBuckets, SendNothingOnceStopped) { EXPECT_THAT(bucketsOf({}, true), testing::IsEmpty()); }

}  // namespace
}  // namespace dasgd::test
