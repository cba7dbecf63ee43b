#include "core/cost/bucket_plan.h"

#include <gmock/gmock.h>

namespace dasgd {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<double> sizes(const std::vector<PlannedBucket>& buckets) {
    std::vector<double> bytes;
    for (const PlannedBucket& bucket : buckets) bytes.push_back(bucket.bytes);
    return bytes;
}

// The rule of PyTorch's compute_bucket_assignment_by_size, whose limits are reached by the last gradient of a bucket.
TEST(BucketPlan, ClosesABucketWithTheGradientThatBringsItToItsLimit) {
    const std::vector<PlannedBucket> buckets = planBuckets({10, 20, 30, 40, 50}, 50, 70);
    EXPECT_THAT(sizes(buckets), ElementsAre(50, 70, 30));
    EXPECT_EQ(buckets[0].first, 4U);
    EXPECT_EQ(buckets[0].last, 5U);
    EXPECT_EQ(buckets[1].first, 2U);
    EXPECT_EQ(buckets[2].first, 0U);
    EXPECT_EQ(buckets[2].last, 2U);
}

TEST(BucketPlan, IsOneBucketBelowTheFirstLimit) {
    EXPECT_THAT(sizes(planBuckets({10, 20, 30}, 61, 1)), ElementsAre(DoubleEq(60)));
    EXPECT_THAT(sizes(planBuckets({10, 20, 30}, 50, 1)), ElementsAre(50, 10));
    EXPECT_THAT(planBuckets({}, 1, 1), IsEmpty());
}

}  // namespace
}  // namespace dasgd
