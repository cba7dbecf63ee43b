#include "core/datasets/sampling/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace dasgd {
namespace {

using Parts = std::vector<std::vector<std::int64_t>>;

constexpr std::int64_t kTenClasses = 10;

at::Tensor targetsOf(std::int64_t count) { return torch::arange(count, torch::kInt64).remainder(kTenClasses); }

PartitionSpec spec(const std::string& text) { return PartitionSpec::parse(text).value(); }

std::set<std::int64_t> classesOf(const std::vector<std::int64_t>& part) {
    std::set<std::int64_t> classes;
    for (const std::int64_t index : part) classes.insert(index % kTenClasses);
    return classes;
}

std::vector<std::size_t> sizesOf(const Parts& parts) {
    std::vector<std::size_t> sizes;
    for (const auto& part : parts) sizes.push_back(part.size());
    return sizes;
}

struct Case {
    std::string kind;
    int workers;
    std::int64_t samples;
};

class PartitionTest : public testing::TestWithParam<Case> {};

TEST_P(PartitionTest, IsDisjointCompleteAndLeavesNobodyEmpty) {
    const auto& [kind, workers, samples] = GetParam();
    const Parts parts = partitionSamples(targetsOf(samples), spec(kind), workers, 5);
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(workers));
    std::vector<std::int64_t> all;
    for (const auto& part : parts) {
        EXPECT_FALSE(part.empty());
        all.insert(all.end(), part.begin(), part.end());
    }
    std::sort(all.begin(), all.end());
    std::vector<std::int64_t> expected(static_cast<std::size_t>(samples));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
}

TEST_P(PartitionTest, DependsOnTheSeedAlone) {
    const auto& [kind, workers, samples] = GetParam();
    const at::Tensor targets = targetsOf(samples);
    const Parts first = partitionSamples(targets, spec(kind), workers, 5);
    torch::manual_seed(99);
    EXPECT_EQ(first, partitionSamples(targets, spec(kind), workers, 5));
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const char* kind : {"iid", "by-label", "dirichlet(0.01)", "dirichlet(0.5)", "dirichlet(100)"}) {
        for (const int workers : {1, 2, 4, 7}) {
            all.push_back({kind, workers, 1000});
            all.push_back({kind, workers, workers});
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(All, PartitionTest, testing::ValuesIn(cases()));

TEST(PartitionKindsTest, IidSharesAreEqualAndMixed) {
    const Parts parts = partitionSamples(targetsOf(1000), spec("iid"), 3, 1);
    EXPECT_THAT(sizesOf(parts), testing::ElementsAre(333, 333, 334));
    for (const auto& part : parts) EXPECT_EQ(classesOf(part).size(), 10U);
    EXPECT_NE(parts, partitionSamples(targetsOf(1000), spec("iid"), 3, 2));
}

TEST(PartitionKindsTest, ByLabelGivesEachWorkerItsOwnClasses) {
    const Parts parts = partitionSamples(targetsOf(1000), spec("by-label"), 5, 1);
    for (std::int64_t w = 0; w < 5; ++w) {
        const auto& part = parts[static_cast<std::size_t>(w)];
        EXPECT_EQ(part.size(), 200U);
        EXPECT_THAT(classesOf(part), testing::ElementsAre(2 * w, 2 * w + 1));
    }
}

// The share of a worker's most frequent class: 1/10 where alpha is large, near 1 where it is small.
double concentration(double alpha) {
    const auto text = "dirichlet(" + std::to_string(alpha) + ")";
    double sum = 0;
    const Parts parts = partitionSamples(targetsOf(20'000), spec(text), 4, 3);
    for (const auto& part : parts) {
        std::vector<double> counts(kTenClasses, 0);
        for (const std::int64_t index : part) counts[static_cast<std::size_t>(index % kTenClasses)] += 1;
        sum += *std::max_element(counts.begin(), counts.end()) / static_cast<double>(part.size());
    }
    return sum / 4;
}

TEST(PartitionKindsTest, DirichletSkewGrowsAsAlphaShrinks) {
    EXPECT_LT(concentration(1000), 0.12);
    EXPECT_GT(concentration(0.05), 0.3);
    EXPECT_GT(concentration(0.5), concentration(1000));
}

TEST(PartitionKindsTest, FewerSamplesThanWorkersLeavesSomeEmpty) {
    const Parts parts = partitionSamples(targetsOf(2), spec("dirichlet(1)"), 5, 1);
    std::size_t total = 0;
    for (const auto& part : parts) total += part.size();
    EXPECT_EQ(total, 2U);
}

TEST(PartitionKindsTest, ContiguousPartsKeepTheOrderAndNeedNoClasses) {
    const Parts parts = partitionSamples(torch::rand({7, 3}), spec("contiguous"), 3, 1);
    EXPECT_EQ(parts, (Parts{{0, 1}, {2, 3}, {4, 5, 6}}));
    EXPECT_EQ(partitionSamples(torch::rand({7, 3}), spec("contiguous"), 3, 9), parts) << "whatever the seed";
}

TEST(PartitionSpecTest, ReadsTheKinds) {
    EXPECT_EQ(spec("contiguous").kind, PartitionSpec::Kind::Contiguous);
    EXPECT_FALSE(spec("contiguous").byClass());
    EXPECT_TRUE(spec("by-label").byClass());
    EXPECT_EQ(spec("iid").kind, PartitionSpec::Kind::Iid);
    EXPECT_EQ(spec("by-label").kind, PartitionSpec::Kind::ByLabel);
    EXPECT_EQ(spec("dirichlet(0.5)").kind, PartitionSpec::Kind::Dirichlet);
    EXPECT_EQ(spec("dirichlet(0.5)").alpha, 0.5);
}

TEST(PartitionSpecTest, RefusesTheRest) {
    for (const char* text :
         {"", "IID", "dirichlet", "dirichlet()", "dirichlet(0)", "dirichlet(-1)", "dirichlet(nan)", "dirichlet(inf)",
          "dirichlet(0.5", "dirichlet(0.5)x", "dirichlet(1,2)", "dirichlet(1e999)"}) {
        const auto parsed = PartitionSpec::parse(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_THAT(parsed.error().message, testing::HasSubstr("dirichlet(")) << text;
    }
}

}  // namespace
}  // namespace dasgd
