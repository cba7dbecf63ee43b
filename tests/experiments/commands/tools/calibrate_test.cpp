// `dasgd calibrate`, on clusters whose every number is known: virtual ones.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "experiments/base/errors.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/nccl_tests_output.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kCluster =
    "name = \"known\"\n[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\nname = \"mlp\"\n"
    "[train]\nsteps = 40\nbatch_size = 8\n[cluster]\nbackend = \"virtual\"\nworkers = 3\n"
    "[network]\nbandwidth = \"1Gbps\"\nlatency = \"90us\"\nreduce_rate = \"3GB/s\"\n"
    "[compute]\nstep_time = \"5ms\"\nforward_share = 0.3\ncontention = 0.1\nrank_factors = [1.0, 1.2, 0.8]\n"
    "memory_bandwidth = \"7GB/s\"\n";

TEST(CalibrateCommand, FindsEveryNumberOfAClusterThatIsKnown) {
    const test::DasgdFolder folder;
    folder.write("known.toml", kCluster);
    const test::Ended ended =
        folder.run({"calibrate", "known.toml", "-w", "w", "-q", "--json", "-o", "calibration.toml"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    const auto ratio = [&](const char* key, double known) { return json[key].get<double>() / known; };
    EXPECT_NEAR(ratio("step_s", 0.005), 1, 1e-6);
    EXPECT_NEAR(ratio("backward_share", 0.7), 1, 1e-6);
    EXPECT_NEAR(ratio("contention", 0.1), 1, 0.01);
    EXPECT_NEAR(ratio("memory_bytes_per_s", 7e9), 1, 0.001);
    EXPECT_NEAR(ratio("latency_s", 90e-6), 1, 0.01);
    EXPECT_NEAR(ratio("seconds_per_byte", 8e-9), 1, 0.01);
    EXPECT_NEAR(ratio("reduce_seconds_per_byte", 1 / 3e9), 1, 0.02);
    EXPECT_NEAR(json["rank_factors"][1].get<double>(), 1.2, 1e-5);
    ASSERT_GE(json["timed"].size(), 4U) << "what the link was fitted to";
    EXPECT_EQ(json["timed"].back()["bytes"].get<double>() > 0, true);

    // A run on the calibration that was written takes as long as on the cluster itself.
    const auto stepMs = [&](const std::vector<std::string>& arguments) {
        const test::Ended run = folder.run(arguments);
        EXPECT_EQ(run.exit, 0) << run.err;
        return nlohmann::json::parse(run.out)["step_ms"].get<double>();
    };
    const double original = stepMs({"run", "known.toml", "-w", "w", "--json", "-q"});
    const double predicted =
        stepMs({"run", "known.toml", "-w", "w", "--json", "-q", "--calibration", "calibration.toml"});
    EXPECT_NEAR(predicted / original, 1, 0.005);
}

// With a correction a snapshot is kept beside what leaves: three passes over memory, and not two as of the probe.
TEST(CalibrateCommand, FindsTheRateOfTheMemoryInARunOfEitherMerge) {
    const test::DasgdFolder folder;
    folder.write("known.toml", kCluster);
    for (const char* correction : {"0.0", "1.0"}) {
        const std::string merge = std::string("algorithm.correction=") + correction;
        const test::Ended run = folder.run({"run", "known.toml", "-w", correction, "-q", "--json", "--set", merge});
        ASSERT_EQ(run.exit, 0) << run.err;
        const std::string id = nlohmann::json::parse(run.out)["run_id"];
        const test::Ended found = folder.run({"calibrate", "--run", id, "-w", correction, "--json"});
        ASSERT_EQ(found.exit, 0) << found.err;
        EXPECT_NEAR(nlohmann::json::parse(found.out)["memory_bytes_per_s"].get<double>() / 7e9, 1, 0.001) << merge;
    }
}

TEST(CalibrateCommand, MeasuresRealRanksAndTakesRecordedRuns) {
    const test::DasgdFolder folder;
    folder.write("real.toml", test::quickExperiment("gloo"));
    const test::Ended ended = folder.run({"calibrate", "real.toml", "-w", "w", "-q"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("T_c, one local step"), HasSubstr("1/β, bandwidth"),
                                 HasSubstr("backend = \"virtual\""), HasSubstr("jitter = \"samples\"")));
    const test::Ended again = folder.run({"calibrate", "--run", folder.firstRun(), "-w", "w", "--json"});
    ASSERT_EQ(again.exit, 0) << again.err;
    EXPECT_GT(nlohmann::json::parse(again.out)["step_s"].get<double>(), 0);
}

TEST(CalibrateCommand, GivesTheSameTextAsMarkdown) {
    const test::DasgdFolder folder;
    folder.write("known.toml", kCluster);
    const test::Ended plain = folder.run({"calibrate", "known.toml", "-w", "w", "-q"});
    ASSERT_EQ(plain.exit, 0) << plain.err;
    EXPECT_THAT(plain.out, HasSubstr("; time simulated"));
    const test::Ended marked = folder.run({"calibrate", "--run", folder.firstRun(), "-w", "w", "--markdown"});
    ASSERT_EQ(marked.exit, 0) << marked.err;
    EXPECT_THAT(marked.out, AllOf(HasSubstr("\n| what "), HasSubstr("| T_c, one local step "), HasSubstr(" 5.000 ms |"),
                                  HasSubstr("```toml\n"), HasSubstr("; time simulated")));
    EXPECT_EQ(folder.run({"calibrate", "known.toml", "-w", "w", "--json", "--markdown"}).exit, kWrongInput);
}

TEST(CalibrateCommand, PrintsTheExperimentForWorkersOfALauncher) {
    const test::DasgdFolder folder;
    folder.write("known.toml", kCluster);
    const test::Ended ended = folder.run({"calibrate", "known.toml", "--experiment"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    folder.write("probe.toml", ended.out);
    const test::Ended run = folder.run({"run", "probe.toml", "-w", "w", "-q", "--json"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(nlohmann::json::parse(run.out)["algorithm"], "probe");
}

TEST(CalibrateCommand, WritesNoCalibrationOfARunThatNeverCommunicated) {
    const test::DasgdFolder folder;
    folder.write("known.toml", kCluster);
    const test::Ended run = folder.run({"run", "known.toml", "-w", "w", "-q", "--set",
                                        "algorithm={name=\"independent\"}", "--set", "train.eval_every=1000"});
    ASSERT_EQ(run.exit, 0) << run.err;
    const test::Ended written = folder.run({"calibrate", "--run", folder.firstRun(), "-w", "w", "-o", "p.toml"});
    EXPECT_EQ(written.exit, 2);
    EXPECT_THAT(written.err, HasSubstr("says nothing about a network"));
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "p.toml"));
    const test::Ended printed = folder.run({"calibrate", "--run", folder.firstRun(), "-w", "w"});
    EXPECT_EQ(printed.exit, 0) << printed.err;
    EXPECT_THAT(printed.out, AllOf(HasSubstr("T_c, one local step"), HasSubstr("No calibration: "),
                                   HasSubstr("0 steps beside a collective, "), HasSubstr(" alone: too few")));
}

TEST(CalibrateCommand, TellsWhatItMeasuredWhereItCannotWriteIt) {
    const test::DasgdFolder folder;
    folder.write("known.toml", kCluster);
    const test::Ended ended =
        folder.run({"calibrate", "known.toml", "-w", "w", "-q", "-o", "no/such/calibration.toml"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.out, HasSubstr("T_c, one local step"));
    EXPECT_THAT(ended.err, AllOf(HasSubstr("no/such/calibration.toml: cannot be written"),
                                 HasSubstr("dasgd calibrate --run " + folder.firstRun() + " -o FILE")));
}

TEST(CalibrateCommand, RefusesAProbeThatIsTooShort) {
    const test::DasgdFolder folder;
    folder.write("known.toml", kCluster);
    const test::Ended run = folder.run(
        {"run", "known.toml", "-w", "w", "-q", "--set", "algorithm={name=\"probe\"}", "--set", "train.steps=12"});
    EXPECT_EQ(run.exit, 2) << run.out;
    EXPECT_THAT(run.err, HasSubstr("the run has 12 steps and the probe needs 43"));
}

// A virtual cluster made of the output of nccl-tests has the α and β that the output was made with.
TEST(CalibrateCommand, TakesTheOutputOfNcclTestsToAClusterThatBehavesSo) {
    const test::DasgdFolder folder;
    const test::NcclOutput output{.ranks = 4, .alpha = 50e-6, .beta = 4e-9};
    folder.write("nccl.txt", output.text());
    const test::Ended text = folder.run({"calibrate", "--nccl-tests", "nccl.txt", "-o", "calibration.toml"});
    ASSERT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("among 4 ranks"), HasSubstr("α, latency"), HasSubstr("weighted by 1/time²"),
                                HasSubstr("residual"), HasSubstr("--calibration calibration.toml")));
    const test::Ended ended = folder.run({"calibrate", "--nccl-tests", "nccl.txt", "--json"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    EXPECT_NEAR(json["latency_s"].get<double>() / output.alpha, 1, 1e-3);
    EXPECT_EQ(json["collectives"][0]["rows"].size(), 11U);

    folder.write("known.toml", kCluster);
    const test::Ended run =
        folder.run({"run", "known.toml", "-w", "w", "-q", "--json", "--calibration", "calibration.toml", "--set",
                    "algorithm={name=\"probe\"}", "--set", "train.steps=60"});
    ASSERT_EQ(run.exit, 0) << run.err;
    const test::Ended again =
        folder.run({"calibrate", "--run", nlohmann::json::parse(run.out)["run_id"], "-w", "w", "--json"});
    ASSERT_EQ(again.exit, 0) << again.err;
    const auto found = nlohmann::json::parse(again.out);
    EXPECT_NEAR(found["latency_s"].get<double>() / output.alpha, 1, 0.01);
    EXPECT_NEAR(found["seconds_per_byte"].get<double>() / output.beta, 1, 0.01);
    EXPECT_NEAR(found["step_s"].get<double>(), 0.005, 5e-6) << "the experiment's own [compute]";
}

TEST(CalibrateCommand, RefusesWithAReason) {
    const test::DasgdFolder folder;
    folder.write("known.toml", kCluster);
    const auto refused = [&](const std::vector<std::string>& arguments) {
        const test::Ended ended = folder.run(arguments);
        EXPECT_EQ(ended.exit, 2) << ended.out;
        return ended.err;
    };
    EXPECT_THAT(refused({"calibrate"}), HasSubstr("give an experiment to measure, or --run"));
    EXPECT_THAT(refused({"calibrate", "known.toml", "--nccl-tests", "nccl.txt"}), HasSubstr("or --nccl-tests"));
    EXPECT_THAT(refused({"calibrate", "--nccl-tests", "known.toml"}), HasSubstr("known.toml: no row of a table"));
    EXPECT_THAT(refused({"calibrate", "known.toml", "--set", "cluster.workers=1"}), HasSubstr("2 or more"));
    EXPECT_THAT(refused({"calibrate", "nowhere.toml"}), HasSubstr("nowhere.toml"));
    EXPECT_THAT(refused({"calibrate", "--run", "x", "-w", "nowhere"}), HasSubstr("nowhere"));
}

}  // namespace
}  // namespace dasgd::experiments
