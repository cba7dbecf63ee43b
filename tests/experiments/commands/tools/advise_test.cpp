// `dasgd advise`.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/dasgd_program.h"
#include "tests/support/paths.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

TEST(AdviseCommand, CalibratesTheClusterAtHandAndSaysWhy) {
    const test::DasgdFolder folder;
    folder.write("real.toml", test::quickExperiment("gloo", 100));
    const test::Ended ended = folder.run({"advise", "real.toml", "-w", "w", "-q"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(HasSubstr("Advised for 2 workers"), HasSubstr("(advised)"), HasSubstr("d = "),
                                 HasSubstr("time simulated"), HasSubstr("sync_sgd bucket_mb="),
                                 HasSubstr("FILE makes 100 steps")));
    // Every row can be looked up: its run is in the workspace.
    const std::string line = ended.out.substr(ended.out.find("sync_sgd bucket_mb="));
    const std::string row = line.substr(0, line.find('\n'));
    const std::string run = row.substr(row.rfind("  ") + 2);
    const test::Ended shown = folder.run({"show", run, "-w", "w"});
    EXPECT_EQ(shown.exit, 0) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr("time simulated"));
}

TEST(AdviseCommand, TakesACalibration) {
    const test::DasgdFolder folder;
    folder.write("real.toml", test::quickExperiment("gloo", 100));
    folder.write("slow.toml",
                 "[cluster]\nbackend = \"virtual\"\n[network]\nlatency = \"40ms\"\n[compute]\nstep_time = \"10ms\"\n");
    const test::Ended ended =
        folder.run({"advise", "real.toml", "--calibration", "slow.toml", "-w", "w", "-q", "--json"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    EXPECT_EQ(json["advice"]["delay"], 9) << "two messages of 40 ms, and their bytes";
    EXPECT_FALSE(json["advice"]["why"].empty());
    int advised = 0;
    for (const auto& row : json["forecast"]) advised += row["advised"] == true ? 1 : 0;
    EXPECT_EQ(advised, 1);
    EXPECT_EQ(json["forecast"].back()["alone"], true);
    EXPECT_TRUE(json["forecast"].back()["hidden"].is_null());
}

// The runs behind an advice simulate time alone, in which nothing comes to a target.
TEST(AdviseCommand, TakesAnExperimentThatTrainsToATarget) {
    const test::DasgdFolder folder;
    folder.write("known.toml",
                 "name = \"known\"\n[algorithm]\nname = \"dasgd\"\n[model]\nname = \"mlp\"\n[train]\nsteps = 200\n"
                 "batch_size = 8\ntarget_accuracy = 0.9\nstop_at_target = true\npatience = 3\n[cluster]\n"
                 "backend = \"virtual\"\nworkers = 4\n[network]\nbandwidth = \"200Mbps\"\n[compute]\n"
                 "step_time = \"10ms\"\n");
    const test::Ended ended = folder.run({"advise", "known.toml", "-w", "w", "-q"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("(advised)"));
}

// One table is of runs in simulated time, the other of a formula.
TEST(AdviseCommand, SaysWhyTheSharesOfItsTwoTablesDiffer) {
    const test::DasgdFolder folder;
    folder.write("known.toml",
                 "name = \"known\"\n[algorithm]\nname = \"dasgd\"\n[model]\nname = \"mlp\"\n[train]\nsteps = 200\n"
                 "batch_size = 8\n[cluster]\nbackend = \"virtual\"\nworkers = 4\n[network]\nbandwidth = \"200Mbps\"\n"
                 "[compute]\nstep_time = \"10ms\"\n");
    const test::Ended ended = folder.run({"advise", "known.toml", "-w", "w", "-q"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    EXPECT_THAT(ended.out, AllOf(ContainsRegex("÷ independent +hidden +steps that count"),
                                 ContainsRegex("ms/step +hidden"), HasSubstr("each other: the two differ")));
}

// A minute of measuring would be for nothing.
TEST(AdviseCommand, RefusesBeforeItMeasures) {
    const test::DasgdFolder folder;
    folder.write(
        "table.toml",
        "[algorithm]\nname = \"dasgd\"\n[model]\nname = \"layer_table\"\ndense = [[8, 4]]\n[train]\nsteps = 50\n"
        "[cluster]\nbackend = \"virtual\"\nworkers = 2\n[compute]\nstep_time = \"1ms\"\n");
    folder.write("real.toml", test::quickExperiment());
    const auto refused = [&](const std::vector<std::string>& arguments) {
        const test::Ended ended = folder.run(arguments);
        EXPECT_EQ(ended.exit, 2) << ended.out;
        EXPECT_EQ(folder.firstRun(), "");
        return ended.err;
    };
    const std::string trained = refused({"advise", "table.toml", "-w", "w", "--target", "loss=0.1"});
    EXPECT_THAT(trained, AllOf(HasSubstr("layer_table has sizes and no mathematics"), HasSubstr("--target")));
    EXPECT_THAT(refused({"advise", "table.toml", "-w", "w", "--target", "loss=0.1", "--set",
                         "algorithm={name=\"hybrid_sgd\"}", "--set", "model={name=\"mlp\"}"}),
                HasSubstr("hybrid_sgd knows only how long training takes"));
    EXPECT_THAT(refused({"advise", "real.toml", "-w", "w", "--set", "algorithm.perod=3"}), HasSubstr("perod"));
}

// Diverging is the run's failure, and what `run` answers then.
TEST(AdviseCommand, EndsAsItsRunDoes) {
    const test::DasgdFolder folder;
    folder.write("real.toml", test::quickExperiment("threads"));
    const test::Ended ended = folder.run({"advise", "real.toml", "-w", "w", "-q", "--set",
                                          "optimizer.learning_rate=1e6", "--set", "train.precision=float32"});
    EXPECT_EQ(ended.exit, 1) << ended.out;
    EXPECT_THAT(ended.err, HasSubstr("run " + folder.firstRun() + " failed"));
}

TEST(AdviseCommand, RefusesWithAReason) {
    const test::DasgdFolder folder;
    folder.write("real.toml", test::quickExperiment());
    folder.write("wrong.toml", "[cluster]\nbackend = \"gloo\"\n");
    const auto refused = [&](const std::vector<std::string>& arguments) {
        const test::Ended ended = folder.run(arguments);
        EXPECT_EQ(ended.exit, 2) << ended.out;
        return ended.err;
    };
    EXPECT_THAT(refused({"advise", "nowhere.toml", "-w", "w"}), HasSubstr("nowhere.toml"));
    folder.write("cases.toml",
                 test::quickExperiment("virtual") + "[[case]]\nalgorithm.delay = 1\n[[case]]\nalgorithm.delay = 2\n");
    EXPECT_THAT(refused({"advise", "cases.toml", "-w", "w"}), HasSubstr("stands for 2 experiments"));
    EXPECT_THAT(refused({"advise", "real.toml", "-w", "w", "--platform", "wrong.toml"}),
                HasSubstr("a calibration is a virtual cluster"));
    EXPECT_THAT(refused({"advise", "real.toml", "-w", "w", "--overhead", "0"}), HasSubstr("--overhead"));
    EXPECT_THAT(refused({"advise", "real.toml", "-w", "w", "--target", "speed=1"}), HasSubstr("--target"));
    EXPECT_THAT(refused({"advise", "real.toml", "-w", "w", "--set", "cluster.workers=1"}), HasSubstr("2 or more"));
    EXPECT_THAT(
        refused({"advise", "real.toml", "-w", "w", "--set", "cluster.backend=virtual", "--set", "cluster.stages=2"}),
        HasSubstr("no forecast and no calibration of a model that is cut into stages"));
}

const std::string kTable =
    "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\nname = \"layer_table\"\n"
    "dense = [[1000, 3000], [3000, 1000], [1000, 100]]\n[train]\nsteps = 10\n[optimizer]\nname = \"adamw\"\n"
    "[cluster]\nbackend = \"virtual\"\nworkers = 4\n[network]\nbandwidth = \"1Gbps\"\n"
    "[compute]\nmode = \"time-only\"\nstep_time = \"10ms\"\n";

// 6,100,000 parameters in single precision, two tensors of AdamW.
TEST(AdviseCommand, TellsTheMemoryOfARank) {
    const test::DasgdFolder folder;
    folder.write("table.toml", kTable);
    const test::Ended ended = folder.run({"advise", "table.toml", "--memory", "--json"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    std::map<std::string, nlohmann::json> rows;
    for (const auto& row : json["strategies"]) rows[row["strategy"]] = row;
    const double parameters = 6'100'000;
    EXPECT_EQ(rows["data parallel"]["bytes"], 16 * parameters);
    EXPECT_EQ(rows["data parallel"]["algorithm"], "sync_sgd");
    EXPECT_EQ(rows["averages, blocking"]["copies_bytes"], 0);
    EXPECT_EQ(rows["averages, delayed"]["copies_bytes"], 4 * parameters);
    EXPECT_EQ(rows["averages, delayed"]["of_file"], true);
    EXPECT_EQ(rows["averages, delayed, corrected"]["copies_bytes"], 8 * parameters);
    EXPECT_EQ(rows["divided update"]["bytes"], (8 + 16 / 4) * parameters);
    EXPECT_EQ(rows["ZeRO-2"]["bytes"], (4 + 12.0 / 4) * parameters);
    EXPECT_EQ(rows["ZeRO-3"]["bytes"], 16.0 / 4 * parameters);
    EXPECT_EQ(json["mixed_adam"][1]["bytes"], (4 + 12.0 / 4) * parameters);
    EXPECT_TRUE(json["plan"].is_null());
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "dasgd-workspace")) << "nothing is run";
}

TEST(AdviseCommand, PlansWhatToDivideWithinALimit) {
    const test::DasgdFolder folder;
    folder.write("table.toml", kTable);
    const test::Ended ended = folder.run({"advise", "table.toml", "--memory", "--limit", "80MB", "--json"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto plan = nlohmann::json::parse(ended.out)["plan"];
    EXPECT_LE(plan["chosen"]["bytes"].get<double>(), 80e6);
    const auto& isDivided = plan["is_divided"];
    EXPECT_NE(isDivided[0], isDivided[1]) << "one of the two large ones is enough";
    EXPECT_EQ(isDivided[2], false);
    // Three quarters of the bytes twice for the whole tensors, three times for the divided one, at 1 Gbit/s.
    EXPECT_NEAR(plan["chosen"]["communication_s"].get<double>(), 0.75 * 4 * (2 * 3.1e6 + 3 * 3e6) * 8e-9, 0.01);
    const test::Ended text = folder.run({"advise", "table.toml", "--memory", "--limit", "80MB"});
    EXPECT_THAT(text.out, AllOf(HasSubstr("(FILE)"), HasSubstr("1 of 3"), HasSubstr("Activations, data")));
    const auto refused = [&](const std::vector<std::string>& arguments) {
        const test::Ended run = folder.run(arguments);
        EXPECT_EQ(run.exit, 2) << run.out;
        return run.err;
    };
    EXPECT_THAT(refused({"advise", "table.toml", "--memory", "--limit", "10MB"}),
                AllOf(HasSubstr("--limit is 10"), HasSubstr("the least that the state takes on each of 4 ranks")));
    EXPECT_THAT(refused({"advise", "table.toml", "--memory", "--limit", "much"}), HasSubstr("--limit: the size is"));
    EXPECT_THAT(refused({"advise", "table.toml", "--limit", "10MB"}), HasSubstr("give both"));
}

// Published: on 64 GPUs three dimensions take less time than two and two less than one (arXiv 2105.14450); switches of
// the sequence send at least half less than other divisions (arXiv 2403.10266).
TEST(AdviseCommand, TellsWhatTensorAndSequenceParallelRanksSend) {
    const test::DasgdFolder folder;
    const std::string suite = std::string(test::kSourceDir) + "/experiments/suites/tensor-parallel.toml";
    const test::Ended ended = folder.run({"advise", "--tensor", suite, "--json"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    const auto& products = json["products"];
    ASSERT_EQ(products.size(), 4U);
    for (const char* part : {"forward_bytes", "step_bytes", "seconds"}) {
        EXPECT_GT(products[0][part], products[1][part]) << part;
        EXPECT_GT(products[1][part], products[2][part]) << part;
    }
    const auto& sequences = json["sequences"];
    ASSERT_EQ(sequences.size(), 3U);
    EXPECT_LE(sequences[0]["forward_bytes"], 0.5 * sequences[1]["forward_bytes"].get<double>());
    EXPECT_LT(sequences[1]["forward_bytes"], sequences[2]["forward_bytes"]);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "w")) << "nothing was run";
    const test::Ended text = folder.run({"advise", "--tensor", suite, "--set", "cluster.workers=16"});
    EXPECT_THAT(text.out, AllOf(HasSubstr("2-D: 4 × 4 ranks"), HasSubstr("16 ranks are no cube"),
                                HasSubstr("nothing was run, and the engine trains in neither way")));
    folder.write("mlp.toml", test::quickExperiment("gloo", 100));
    const test::Ended refused = folder.run({"advise", "--tensor", "mlp.toml"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("set name = \"layer_table\" in [model]"));
    EXPECT_EQ(folder.run({"advise", "--tensor", "--memory", suite}).exit, 2);
}

}  // namespace
}  // namespace dasgd::experiments
