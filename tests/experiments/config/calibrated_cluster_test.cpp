#include "experiments/config/calibrated_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPlatform =
    "[cluster]\nbackend = \"virtual\"\nworkers = 8\n[network]\ntopology = \"star\"\n[compute]\nstep_time = 0.01\n";

Value parsed(const std::string& toml) {
    auto value = parseToml(toml, "e.toml");
    EXPECT_TRUE(value) << value.error().message;
    return std::move(*value);
}

std::string refusal(const std::string& document, const std::string& platform) {
    Value experiment = parsed(document);
    const Status applied = applyCalibration(experiment, parsed(platform));
    return applied ? "" : applied.error().message;
}

TEST(CalibratedCluster, TakesThePlaceOfTheExperimentsOwn) {
    Value experiment = parsed(
        "[cluster]\nbackend = \"gloo\"\nlink = { bandwidth = \"1Gbps\" }\n[compute]\nstep_time = 5.0\nseed = 3\n");
    ASSERT_TRUE(applyCalibration(experiment, parsed(kPlatform)));
    const Value* cluster = experiment.find("cluster");
    EXPECT_EQ(*cluster->find("backend")->as<std::string>(), "virtual");
    EXPECT_EQ(*cluster->find("workers")->as<std::int64_t>(), 8);
    EXPECT_EQ(cluster->find("link"), nullptr);
    EXPECT_EQ(*experiment.find("compute")->find("step_time")->as<double>(), 0.01);
    EXPECT_EQ(experiment.find("compute")->find("seed"), nullptr) << "of the other cluster";
    EXPECT_NE(experiment.find("network"), nullptr);
}

// A virtual cluster would not know these fields.
TEST(CalibratedCluster, DropsTheFieldsThatAreTheReplacedBackendsOwn) {
    Value experiment = parsed("[cluster]\nbackend = \"nccl\"\nranks_per_gpu = 2\ntimeout_s = 5.0\nranks_per_cpu = 3\n");
    ASSERT_TRUE(applyCalibration(experiment, parsed(kPlatform)));
    const Value* cluster = experiment.find("cluster");
    EXPECT_EQ(cluster->find("ranks_per_gpu"), nullptr);
    EXPECT_NE(cluster->find("timeout_s"), nullptr) << "common to all";
    EXPECT_NE(cluster->find("ranks_per_cpu"), nullptr) << "nobody's, and refused as such later";
}

TEST(CalibratedCluster, LeavesTheNumberOfWorkersThatTheExperimentGives) {
    Value experiment = parsed("[cluster]\nworkers = 2\n");
    ASSERT_TRUE(applyCalibration(experiment, parsed(kPlatform)));
    EXPECT_EQ(*experiment.find("cluster")->find("workers")->as<std::int64_t>(), 2);
}

// A calibration of a network alone, as of nccl-tests.
TEST(CalibratedCluster, LeavesTheComputingWhereTheCalibrationHasNone) {
    Value experiment = parsed("[network]\ntopology = \"ring\"\n[compute]\nstep_time = 5.0\n");
    ASSERT_TRUE(applyCalibration(experiment, parsed("[network]\ntopology = \"star\"\n")));
    EXPECT_EQ(*experiment.find("compute")->find("step_time")->as<double>(), 5.0);
    EXPECT_EQ(*experiment.find("network")->find("topology")->as<std::string>(), "star");
}

TEST(CalibratedCluster, RefusesWhatIsNoPlatformAndCasesWithAClusterOfTheirOwn) {
    EXPECT_THAT(refusal("", "[network]\n[train]\nsteps = 1\n"), HasSubstr("'train' has no place in a calibration"));
    EXPECT_THAT(refusal("", "[compute]\nstep_time = 1.0\n"), HasSubstr("needs a [network]"));
    EXPECT_THAT(refusal("", "[cluster]\nbackend = \"gloo\"\n[network]\n"), HasSubstr("its backend is \"gloo\""));
    EXPECT_THAT(refusal("[[case]]\n[case.network]\ntopology = \"star\"\n", kPlatform),
                HasSubstr("this case has a network of its own"));
}

}  // namespace
}  // namespace dasgd::experiments
