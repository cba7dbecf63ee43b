#include "experiments/tools/calibrate/calibration_file.h"

#include "experiments/config/calibrated_cluster.h"

#include <gmock/gmock.h>

#include "core/base/schema/toml_reader.h"
#include "core/cost/step_time.h"
#include "experiments/config/checked_experiment.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Calibration calibrated() {
    return {.runId = "run-a",
            .gitCommit = "0123456789abcdef",
            .model = "lenet",
            .workers = 4,
            .batchSize = 16,
            .compute = {.stepSeconds = 0.0123456,
                        .backwardShare = 0.6,
                        .rankFactors = {1, 1.1, 0.9, 1},
                        .jitter = {0.9, 1, 1.2},
                        .contention = 0.07},
            .memoryBytesPerSecond = 7.5e9,
            .link = LinkFit{.cost = {.alpha = 90e-6, .beta = 8e-9, .rho = 0.5e-9}}};
}

Value parsed(const std::string& text) { return test::orDie(parseToml(text, "test.toml")); }

TEST(CalibrationFile, IsAFileThatAnExperimentRunsOn) {
    const std::string text = calibrationDocument(calibrated());
    EXPECT_THAT(text, AllOf(HasSubstr("run-a"), HasSubstr("commit 0123456789abcdef"), HasSubstr("1000Mbps"),
                            HasSubstr("90us"), HasSubstr("2GB/s"), HasSubstr("12.3456ms"), HasSubstr("7.5GB/s")));
    EXPECT_THAT(text, Not(HasSubstr("ontention is"))) << "nothing to remark";
    Value document = parsed("[algorithm]\nname = \"dasgd\"\n[model]\nname = \"lenet\"\n[train]\nsteps = 9\n");
    ASSERT_TRUE(applyCalibration(document, parsed(text)));
    const auto checked = checkExperiments(document, {});
    ASSERT_TRUE(checked) << checked.error().message;
    EXPECT_EQ(checked->front().backend, "virtual");
    EXPECT_EQ(checked->front().workers, 4) << "the calibration's, where the experiment says nothing";
}

TEST(CalibrationFile, SaysHowWellItKnowsItsConstants) {
    Calibration calibration = calibrated();
    EXPECT_THAT(calibrationDocument(calibration), Not(HasSubstr("step_time = 0."))) << "too few steps to tell";
    calibration.compute.stepSpread = 0.031;
    calibration.compute.contentionInterval = {0.02, 0.12};
    calibration.link->longest = 0.04;
    Value document = parsed("[algorithm]\nname = \"dasgd\"\n[model]\nname = \"lenet\"\n[train]\nsteps = 9\n");
    ASSERT_TRUE(applyCalibration(document, parsed(calibrationDocument(calibration))));
    const auto checked = checkExperiments(document, {});
    ASSERT_TRUE(checked) << checked.error().message;
    EXPECT_EQ(checked->front().resolved.find("compute")->find("uncertainty")->toToml(),
              "{ step_time = 0.031, exchange = 0.04, contention = [0.02, 0.12] }");
}

TEST(CalibrationFile, RemarksWhatIsNotKnownOfContention) {
    Calibration calibration = calibrated();
    calibration.compute.contention = std::nullopt;
    EXPECT_THAT(calibrationDocument(calibration), AllOf(HasSubstr("was not seen"), HasSubstr("contention = 0.0")));
    calibration.compute.contention = kMostContention;
    EXPECT_THAT(calibrationDocument(calibration),
                AllOf(HasSubstr("Contention is the most there is"), HasSubstr("contention = 100.0")));
}

TEST(CalibrationFile, ReplacesTheClusterAndKeepsTheExperimentsWorkers) {
    Value document = parsed(
        "[cluster]\nbackend = \"gloo\"\nworkers = 8\nlink = { bandwidth = \"1Mbps\" }\ntimeout_s = 5.0\n"
        "[network]\nname = \"ring\"\n[compute]\nstep_time = \"1ms\"\nmode = \"time-only\"\n");
    ASSERT_TRUE(applyCalibration(document, calibratedCluster(calibrated())));
    EXPECT_EQ(document.find("cluster")->toToml(), "{ backend = \"virtual\", workers = 8, timeout_s = 5.0 }");
    EXPECT_EQ(*document.find("network")->find("name")->as<std::string>(), "star");
    EXPECT_FALSE(document.find("compute")->find("mode"));
}

TEST(CalibrationFile, SaysNothingOfANetworkThatNobodyMeasured) {
    Calibration alone = calibrated();
    alone.link.reset();
    EXPECT_THAT(calibrationDocument(alone), Not(HasSubstr("[network]")));
    Value document = parsed("name = \"e\"\n[cluster]\nworkers = 2\n");
    const Status applied = applyCalibration(document, parsed(calibrationDocument(alone)));
    ASSERT_FALSE(applied) << "it would run on the schema's default network";
    EXPECT_THAT(applied.error().message, HasSubstr("test.toml:1:1: a calibration needs a [network]"));
}

// All transfers of the calibration were so short that only their latency shows.
TEST(CalibrationFile, KeepsALinkWhoseBandwidthDoesNotShow) {
    Calibration quick = calibrated();
    quick.link->cost.beta = 0;
    Value document = parsed("[algorithm]\nname = \"dasgd\"\n[model]\nname = \"lenet\"\n[train]\nsteps = 9\n");
    ASSERT_TRUE(applyCalibration(document, parsed(calibrationDocument(quick))));
    EXPECT_EQ(*document.find("network")->find("latency")->as<std::string>(), "90us");
    const auto checked = checkExperiments(document, {});
    EXPECT_TRUE(checked) << checked.error().message;
}

TEST(CalibrationFile, IsNotHiddenByACase) {
    const auto applied = [](const std::string& cases) {
        Value document = parsed("name = \"e\"\n[cluster]\nworkers = 2\n" + cases);
        const Status status = applyCalibration(document, calibratedCluster(calibrated()));
        return status ? std::string() : status.error().message;
    };
    EXPECT_THAT(applied("[[case]]\ncluster.workers = 4\n[[case]]\nnetwork.name = \"ring\"\n"),
                AllOf(HasSubstr("test.toml:7:1"), HasSubstr("this case has a network of its own")));
    EXPECT_THAT(applied("[[case]]\n[[case.case]]\ncompute.step_time = \"1ms\"\n"), HasSubstr("has a compute"));
    EXPECT_THAT(applied("[[case]]\ncluster.backend = \"gloo\"\n"), HasSubstr("has a cluster"));
    EXPECT_EQ(applied("[[case]]\ncluster.workers = 4\ntrain.batch_size = 8\n"), "");
}

TEST(CalibrationFile, RefusesWhatIsNone) {
    const auto refused = [](const std::string& calibration) {
        Value document = parsed("name = \"e\"\n");
        const Status applied = applyCalibration(document, parsed(calibration));
        return applied ? std::string() : applied.error().message;
    };
    EXPECT_THAT(refused("[cluster]\nbackend = \"virtual\"\n[train]\nsteps = 1\n"),
                AllOf(HasSubstr("test.toml:3"), HasSubstr("'train' has no place in a calibration")));
    EXPECT_THAT(refused("[cluster]\nbackend = \"gloo\"\n"), HasSubstr("its backend is \"gloo\""));
    EXPECT_THAT(refused("network = 3\n"), HasSubstr("'network' has no place"));
}

}  // namespace
}  // namespace dasgd::experiments
