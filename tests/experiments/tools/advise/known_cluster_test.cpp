#include "experiments/tools/advise/known_cluster.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {
namespace {

// Facts that a probe of a simulation measures: a little off everywhere.
ClusterFacts measuredFacts() {
    return {.workers = 4,
            .stepSeconds = 0.00395,
            .reduceSeconds = 0.0156,
            .bytes = 246824,
            .jitter = 0.09,
            .contention = 0.081,
            .memoryBytesPerSecond = 9.9e9,
            .link = {.alpha = 90e-6, .beta = 4.1e-8}};
}

ClusterFacts known(const std::string& network, const std::string& compute) {
    ClusterFacts facts = measuredFacts();
    const std::string document = "[network]\n" + network + "[compute]\n" + compute;
    takeKnown(parseToml(document, "test.toml").value(), 0.004, facts);
    return facts;
}

const std::string kStar =
    "name = \"star\"\nbandwidth = \"200Mbps\"\nlatency = \"0.1ms\"\nefficiency = 1.0\nreduce_rate = \"0GB/s\"\n"
    "collective = \"ring\"\ngroup_size = 1\nservers = 1\nbandwidth_factors = [1.0]\n";
const std::string kCompute =
    "contention = 0.05\nmemory_bandwidth = \"10GB/s\"\njitter = \"lognormal(0.12)\"\nrank_factors = [1.0]\n";

TEST(KnownCluster, TakesWhatTheFileSays) {
    const ClusterFacts facts = known(kStar, kCompute);
    EXPECT_EQ(facts.contention, 0.05);
    EXPECT_EQ(facts.stepSeconds, 0.004);
    EXPECT_NEAR(facts.jitter, std::sqrt(std::exp(0.0144) - 1), 1e-12);
    EXPECT_EQ(facts.memoryBytesPerSecond, 10e9);
    EXPECT_NEAR(facts.link.alpha, 100e-6, 1e-12);
    EXPECT_NEAR(facts.link.beta, 8 / 200e6, 1e-15);
    EXPECT_EQ(facts.link.rho, 0);
    EXPECT_NEAR(facts.reduceSeconds, 6 * 100e-6 + 1.5 * 246824 * 8 / 200e6, 1e-9);
}

TEST(KnownCluster, AStepIsTheMeanOfTheRanks) {
    EXPECT_NEAR(known(kStar, "rank_factors = [1.0, 1.5]\n").stepSeconds, 0.005, 1e-12);
    EXPECT_NEAR(known(kStar, "rank_factors = [1.0, 1.0, 1.6]\n").stepSeconds, 0.0046, 1e-12) << "the fourth has 1.0";
}

TEST(KnownCluster, WhatStragglersMakeOfAStepIsMeasured) {
    const ClusterFacts facts = known(kStar, kCompute + "straggler = { factor = 2.0, probability = 0.1 }\n");
    EXPECT_EQ(facts.stepSeconds, measuredFacts().stepSeconds);
    EXPECT_EQ(facts.jitter, measuredFacts().jitter);
    EXPECT_EQ(facts.contention, 0.05);
}

TEST(KnownCluster, TheNarrowestLinkAndItsEfficiencyBoundAStar) {
    std::string narrow = kStar;
    narrow.replace(narrow.find("[1.0]"), 5, "[1.0, 0.5]");
    narrow.replace(narrow.find("efficiency = 1.0"), 16, "efficiency = 0.8");
    narrow.replace(narrow.find("0GB/s"), 5, "4GB/s");
    const ClusterFacts facts = known(narrow, kCompute);
    EXPECT_NEAR(facts.link.beta, 8 / 80e6, 1e-15);
    EXPECT_NEAR(facts.link.rho, 1 / 4e9, 1e-18);
}

// Routes between hosts differ there, and traffic of others takes its share of them.
TEST(KnownCluster, OtherNetworksAndTrafficOfOthersAreMeasured) {
    std::string torus = kStar;
    torus.replace(torus.find("star"), 4, "torus");
    EXPECT_EQ(known(torus, kCompute).link.alpha, measuredFacts().link.alpha);
    EXPECT_EQ(known(torus, kCompute).reduceSeconds, measuredFacts().reduceSeconds);
    EXPECT_EQ(known(torus, kCompute).contention, 0.05);
    const ClusterFacts shared = known(kStar + "background = { load = 0.3 }\n", kCompute);
    EXPECT_NEAR(shared.link.alpha, 100e-6, 1e-12);
    EXPECT_EQ(shared.reduceSeconds, measuredFacts().reduceSeconds);
}

TEST(KnownCluster, AverageTakesTheMethodOfTheFile) {
    std::string tree = kStar;
    tree.replace(tree.find("\"ring\""), 6, "\"tree\"");
    EXPECT_NEAR(known(tree, kCompute).reduceSeconds, 4 * (100e-6 + 246824 * 8 / 200e6), 1e-9);
    std::string authors = kStar;
    authors.replace(authors.find("\"ring\""), 6, "\"authors-tree\"");
    EXPECT_FALSE(known(authors, kCompute).allReduce) << "a time model of its own";
    EXPECT_EQ(known(authors, kCompute).reduceSeconds, measuredFacts().reduceSeconds);
}

}  // namespace
}  // namespace dasgd::experiments
