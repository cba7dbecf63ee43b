// Division of layers among stages.
#include "core/train/data/stage_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "tests/support/staged_runs.h"

namespace dasgd::test {
namespace {

using Ends = std::vector<std::size_t>;

double mostOf(const std::vector<double>& work, const Ends& ends) {
    double most = 0;
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        most = std::max(most, std::accumulate(work.begin() + static_cast<std::ptrdiff_t>(begin),
                                              work.begin() + static_cast<std::ptrdiff_t>(end), 0.0));
        begin = end;
    }
    return most;
}

// Every way to cut, one after the other.
double leastOfAll(const std::vector<double>& work, std::size_t parts, Ends ends = {}) {
    const std::size_t begin = ends.empty() ? 0 : ends.back();
    if (ends.size() + 1 == parts) {
        ends.push_back(work.size());
        return mostOf(work, ends);
    }
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t end = begin + 1; work.size() - end >= parts - ends.size() - 1; ++end) {
        Ends with = ends;
        with.push_back(end);
        least = std::min(least, leastOfAll(work, parts, with));
    }
    return least;
}

TEST(EvenGroups, HaveTheLeastLargestSum) {
    EXPECT_EQ(evenGroups({1, 1, 1, 1}, 2), (Ends{2, 4}));
    EXPECT_EQ(evenGroups({5, 1, 1, 1}, 2), (Ends{1, 4}));
    EXPECT_EQ(evenGroups({1, 1, 1, 5}, 2), (Ends{3, 4}));
    EXPECT_EQ(evenGroups({1, 2, 3}, 3), (Ends{1, 2, 3}));
    EXPECT_EQ(evenGroups({1, 2, 3}, 1), (Ends{3}));
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<double> work(1 + random() % 9);
        for (double& one : work) one = static_cast<double>(random() % 10);
        const std::size_t parts = 1 + random() % work.size();
        const Ends ends = evenGroups(work, parts);
        ASSERT_EQ(ends.size(), parts);
        for (std::size_t p = 0; p < parts; ++p) EXPECT_GT(ends[p], p == 0 ? 0 : ends[p - 1]) << "none is empty";
        EXPECT_EQ(ends.back(), work.size());
        EXPECT_EQ(mostOf(work, ends), leastOfAll(work, parts));
    }
}

// FLOP of LeNet's layers forward: 235,200, 480,000, 96,000, 20,160 and 1,680; twice as many backward, but for the
// input of the first.
TEST(StagePlan, DividesLenetByItsWork) {
    Value document = StagedRun{.workers = 3, .stages = 3}.document();
    document.set("model", table({{"name", text("lenet")}}));
    document.set("data", table({{"name", text("mnist")}}));
    const TrainingData data = loadTrainingData(readExperiment(document).value()).value();
    ASSERT_TRUE(data.stages);
    const auto& parts = data.stages->parts;
    ASSERT_EQ(parts.size(), 3U);
    const std::vector<std::size_t> ends{1, 2, 5};
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(parts[k].firstLayer, k == 0 ? 0 : ends[k - 1]);
        EXPECT_EQ(parts[k].endLayer, ends[k]);
        EXPECT_EQ(parts[k].firstSlot, 2 * parts[k].firstLayer) << "a weight and a bias each";
        EXPECT_EQ(parts[k].endSlot, 2 * parts[k].endLayer);
    }
    EXPECT_EQ(parts[0].input, (std::vector<std::int64_t>{1, 28, 28}));
    EXPECT_EQ(parts[0].output, (std::vector<std::int64_t>{6, 14, 14}));
    EXPECT_EQ(parts[1].output, (std::vector<std::int64_t>{400}));
    EXPECT_EQ(parts[2].output, (std::vector<std::int64_t>{10}));
    constexpr double kForward = 235'200 + 480'000 + 96'000 + 20'160 + 1'680;
    EXPECT_NEAR(parts[0].forward, 235'200 / kForward, 1e-12);
    EXPECT_NEAR(parts[1].forward, 480'000 / kForward, 1e-12);
    EXPECT_NEAR(parts[0].backward, 235'200 / (2 * kForward - 235'200), 1e-12);
    double forward = 0, backward = 0;
    for (const auto& part : parts) forward += part.forward, backward += part.backward;
    EXPECT_NEAR(forward, 1, 1e-12);
    EXPECT_NEAR(backward, 1, 1e-12);
}

TEST(StagePlan, IsOfRunsWithStagesAlone) {
    EXPECT_FALSE(loadTrainingData(readExperiment(StagedRun{.workers = 1, .stages = 1}.document()).value())->stages);
}

}  // namespace
}  // namespace dasgd::test
