// `dasgd run` on wrong input: exit 2 with the place, nothing started, nothing left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/schema/toml_reader.h"
#include "experiments/commands/command.h"
#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kBase = "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 3\n[model]\nname = \"mlp\"\n";

struct Wrong {
    std::string name, text, place, says;
};
std::ostream& operator<<(std::ostream& out, const Wrong& wrong) { return out << wrong.name; }

class WrongExperiment : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongExperiment, IsRefusedAtItsPlace) {
    const test::DasgdFolder folder;
    folder.write("e.toml", GetParam().text);
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w"});
    EXPECT_EQ(ended.exit, kWrongInput);
    EXPECT_THAT(ended.err, StartsWith("dasgd: " + GetParam().place));
    EXPECT_THAT(ended.err, HasSubstr(GetParam().says));
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
}

INSTANTIATE_TEST_SUITE_P(
    Table, WrongExperiment,
    ::testing::Values(
        Wrong{"syntax", "[algorithm\n", "e.toml:1:11: ", "expected ']'"},
        Wrong{"duplicateKey", kBase + "[train]\nsteps = 1\nsteps = 2\n", "e.toml:9:", ""},
        Wrong{"unknownKey", kBase + "[train]\nstep = 1\n", "e.toml:8:1: ", "unknown key 'step'; did you mean 'steps'?"},
        Wrong{"unknownSection", kBase + "[trian]\nsteps = 1\n", "e.toml:7:", "did you mean 'train'?"},
        Wrong{"unknownAlgorithm", "[algorithm]\nname = \"dasgdd\"\n[model]\nname = \"mlp\"\n",
              "e.toml:2:8: ", "did you mean 'dasgd'?"},
        Wrong{"wrongType", kBase + "[train]\nsteps = \"many\"\n", "e.toml:8:9: ", "steps must be an integer"},
        Wrong{"noWorkers", kBase + "[cluster]\nworkers = 0\n", "e.toml:8:11: ", "workers is 0"},
        Wrong{"delayOverPeriod", "[algorithm]\nname = \"dasgd\"\nperiod = 2\ndelay = 3\n[model]\nname = \"mlp\"\n",
              "e.toml:4:9: ", "delay"},
        Wrong{"partition", kBase + "[data]\npartition = \"dirichlet(-1)\"\n", "e.toml:8:13: ", "dirichlet"},
        Wrong{"bandwidth", kBase + "[cluster]\nlink = { bandwidth = \"fast\" }\n", "e.toml:8:22: ", "bandwidth"},
        Wrong{"sweptValue", kBase + "[sweep]\n\"train.batch_size\" = [1,\n 0]\n", "e.toml:9:2: ", "batch_size is 0"},
        Wrong{"faultsOfARealCluster", kBase + "[faults]\nseed = 2\n",
              "e.toml:7:2: ", "[faults] describes a virtual cluster, but the backend is 'gloo'"},
        Wrong{"faultOfNobody", kBase + "[cluster]\nbackend = \"virtual\"\n[faults]\nlinks = [[2, 1.0]]\n",
              "e.toml:10:9: ", "[2.0, 1.0]: there is no such rank; they are 0 to 1"},
        Wrong{"backgroundByFormula",
              kBase + "[cluster]\nbackend = \"virtual\"\n[network]\nfidelity = \"formula\"\nbackground = {}\n",
              "e.toml:11:14: ", "set fidelity = \"message\""},
        Wrong{"missingData", kBase + "[data]\npath = \"nowhere\"\n", "", "nowhere"},
        Wrong{"noAlgorithm", "[model]\nname = \"mlp\"\n", "e.toml:", "algorithm"},
        Wrong{"deep", "a = " + std::string(100'000, '[') + "\n", "e.toml:1:", "nested deeper"}),
    [](const auto& info) { return info.param.name; });

TEST(RunCommand, RefusesATruncatedDataFileBeforeAnyRankStarts) {
    const test::DasgdFolder folder;
    folder.write("e.toml", kBase + "[data]\npath = \"digits\"\n");
    for (const char* name :
         {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
        folder.write(std::string("digits/") + name, std::string("\0\0\x08\x03\0\0\0\x09", 8));
    }
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w"});
    EXPECT_EQ(ended.exit, kWrongInput);
    EXPECT_THAT(ended.err, HasSubstr("train-images-idx3-ubyte"));
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
}

TEST(RunCommand, RefusesAWorkspaceThatCannotBe) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    folder.write("file", "not a folder");
    for (const char* workspace : {"file", "file/w", "/proc/w"}) {
        const test::Ended ended = folder.run({"run", "e.toml", "-w", workspace});
        EXPECT_EQ(ended.exit, kWrongInput) << workspace;
        EXPECT_THAT(ended.err, HasSubstr(workspace));
    }
}

TEST(RunCommand, RefusesAWorkspaceThatEverybodyMayWriteTo) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    std::filesystem::create_directory(folder.workspace());
    std::filesystem::permissions(folder.workspace(), std::filesystem::perms::all);
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w"});
    EXPECT_EQ(ended.exit, kWrongInput);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("everybody may write to"), HasSubstr("chmod o-w")));
    EXPECT_FALSE(folder.hasRuns());
}

TEST(RunCommand, RefusesWrongCommandLines) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    EXPECT_EQ(folder.run({"run"}).exit, kWrongInput);
    EXPECT_EQ(folder.run({"run", "none.toml"}).exit, kWrongInput);
    EXPECT_EQ(folder.run({"run", "e.toml", "--frobnicate"}).exit, kWrongInput);
    EXPECT_EQ(folder.run({}).exit, kWrongInput);
    EXPECT_EQ(folder.run({"run", "--help"}).exit, kFinished);
    const test::Ended set = folder.run({"run", "--set", "algorithm.perod=8", "e.toml"});
    EXPECT_EQ(set.exit, kWrongInput);
    EXPECT_THAT(set.err, StartsWith("dasgd: --set algorithm.perod=8: unknown key 'perod'"));
}

std::vector<nlohmann::json> linesOf(const std::string& text) {
    std::vector<nlohmann::json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
}

TEST(RunCommand, ShowsWithoutStarting) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    const test::Ended ended =
        folder.run({"run", "e.toml", "-w", "w", "--dry-run", "--json", "--sweep", "train.seed=1..3"});
    EXPECT_EQ(ended.exit, kFinished);
    const auto lines = linesOf(ended.out);
    ASSERT_EQ(lines.size(), 4U) << "three runs and their forecast";
    EXPECT_EQ(lines[2]["seed"], 3);
    EXPECT_EQ(lines[2]["steps"], 30);
    EXPECT_EQ(lines[3]["forecast"]["cases"].size(), 1U) << "seeds are no cases";
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
}

// Two numbers of the three weights, with their places, go to the other worker.
TEST(RunCommand, ShowsWhatCompressionSends) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    const auto planned = [&](const std::string& set) {
        std::vector<std::string> arguments{"run", "e.toml", "-w", "w", "--dry-run", "--json"};
        if (!set.empty()) arguments.insert(arguments.end(), {"--set", "compression={" + set + "}"});
        const test::Ended ended = folder.run(arguments);
        EXPECT_EQ(ended.exit, kFinished) << ended.err;
        return linesOf(ended.out).at(0);
    };
    EXPECT_FALSE(planned("").contains("compressed"));
    const auto topk = planned("name = \"topk\", ratio = 0.5, start = 4")["compressed"];
    EXPECT_EQ(topk["whole_steps"], 4);
    EXPECT_EQ(topk["passes"].size(), 3U);
    ASSERT_EQ(topk["stages"].size(), 1U);
    EXPECT_EQ(topk["stages"][0]["collective"], "all-gather");
    const auto sign = planned("name = \"sign\"")["compressed"];
    ASSERT_EQ(sign["stages"].size(), 2U);
    EXPECT_EQ(sign["stages"][0]["collective"], "all-to-all");
    EXPECT_EQ(sign["stages"][1]["collective"], "all-gather");
    EXPECT_FALSE(sign.contains("why_not"));
}

// T_c 5 ms, T_m 22 ms: 2 · 1 ms + 2 · 125 kB · 80 ns.
constexpr const char* kSimulated =
    "name = \"known\"\n[algorithm]\nname = \"dasgd\"\nperiod = 8\ndelay = 3\n[model]\nname = \"quadratic\"\n"
    "matrix = [[1.0]]\ntargets = [[1.0], [2.0]]\n[train]\nsteps = 30\n[cluster]\nbackend = \"virtual\"\nworkers = 2\n"
    "[network]\nbandwidth = \"100Mbps\"\nlatency = \"1ms\"\n[compute]\nstep_time = \"0.5ms\"\n";

TEST(RunCommand, ForecastsWhatItPlansByFormula) {
    const test::DasgdFolder folder;
    folder.write("e.toml", kSimulated);
    const test::Ended ended =
        folder.run({"run", "e.toml", "-w", "w", "--dry-run", "--json", "--sweep", "algorithm.delay=3,5"});
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    const auto forecast = linesOf(ended.out).at(2)["forecast"];
    ASSERT_EQ(forecast["cases"].size(), 2U);
    const auto one = forecast["cases"][0];
    EXPECT_EQ(one["label"], "d = 3");
    EXPECT_EQ(one["runs"], nlohmann::json({0}));
    const auto round = one["round"];
    EXPECT_NEAR(round["input"]["compute_s"].get<double>(), 0.0005, 1e-12);
    EXPECT_NEAR(round["blocked_s"].get<double>(), 0.002 + 4 * 8e-8 - 0.0015, 1e-9) << "one weight among two";
    EXPECT_EQ(round["spans"][0]["kind"], "transfer");
    EXPECT_EQ(round["spans"][0]["lane"], "comm");
    EXPECT_THAT(one["warning"].get<std::string>(), HasSubstr("d ≥ 5 would"));
    EXPECT_EQ(one["remedy_settings"][0]["toml"], "5");
    EXPECT_TRUE(one["remedy"].is_object());
    EXPECT_TRUE(forecast["cases"][1]["remedy"].is_null());
    EXPECT_EQ(forecast["first"], 0);
    EXPECT_EQ(forecast["takes"], "not known");
    const test::Ended text = folder.run({"run", "e.toml", "-w", "w", "--dry-run"});
    EXPECT_THAT(text.out, AllOf(HasSubstr("# Forecast of one round"), HasSubstr("d ≥ 5 would"),
                                HasSubstr("# All runs one after the other: not known")));
    EXPECT_TRUE(parseToml(text.out, "the plan of one run")) << "it can be run";
}

TEST(RunCommand, ForecastsFromWhatItsWorkspaceHasMeasured) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("gloo"));
    const auto forecast = [&](const std::string& preferred = {}) {
        std::vector<std::string> arguments{"run", "e.toml", "-w", "w", "--dry-run", "--json"};
        if (!preferred.empty()) arguments.insert(arguments.end(), {"--forecast-from", preferred});
        return linesOf(folder.run(arguments).out).at(1)["forecast"]["cases"][0];
    };
    EXPECT_THAT(forecast()["why_not"].get<std::string>(), HasSubstr("No run has timed this step yet"));
    EXPECT_TRUE(forecast()["round"].is_null());
    std::vector<std::string> probes;
    for (int i = 0; i < 2; ++i) {
        const test::Ended probe = folder.run({"calibrate", "e.toml", "-w", "w", "-q", "--json"});
        ASSERT_EQ(probe.exit, kFinished) << probe.err;
        probes.push_back(nlohmann::json::parse(probe.out)["run_id"]);
    }
    const auto known = forecast();
    ASSERT_TRUE(known["round"].is_object()) << known["why_not"];
    EXPECT_THAT(known["compute_from"].get<std::string>(), HasSubstr("calibration "));
    EXPECT_THAT(known["exchange_from"].get<std::string>(), HasSubstr("with α, β, ρ of calibration"));
    const double newest = known["round"]["input"]["compute_s"];
    EXPECT_NE(forecast(probes[0])["round"]["input"]["compute_s"].get<double>(), newest);
}

TEST(RunCommand, DrawsTheSameDropoutAndTheSameSamplesOnEveryBackend) {
    const test::DasgdFolder folder;
    folder.write(
        "e.toml",
        "[algorithm]\nname = \"local_sgd\"\nperiod = 2\n[model]\nname = \"mlp\"\nhidden = [16]\ndropout = 0.5\n"
        "[data]\nname = \"synthetic\"\nshape = [8]\ntrain_samples = 50\ntest_samples = 10\n"
        "[train]\nepochs = 3\nbatch_size = 8\n[cluster]\nworkers = 2\n");
    const auto lossOn = [&](const std::string& backend) {
        const test::Ended ended =
            folder.run({"run", "e.toml", "-w", "w", "-q", "--json", "--set", "cluster.backend=\"" + backend + "\""});
        EXPECT_EQ(ended.exit, kFinished) << ended.err;
        const auto line = nlohmann::json::parse(ended.out);
        EXPECT_EQ(line["samples"], 150) << "three epochs of all samples";
        return line["final_loss"];
    };
    const auto processes = lossOn("gloo");
    EXPECT_EQ(processes, lossOn("threads"));
    EXPECT_EQ(processes, lossOn("virtual"));
}

TEST(RunCommand, CountsShortBatchesInTheThroughput) {
    // 25 samples a rank in batches of 16 and 9: 25 samples of both ranks in a mean step, not 32.
    const test::DasgdFolder folder;
    folder.write("e.toml",
                 "[algorithm]\nname = \"independent\"\n[model]\nname = \"logistic\"\n"
                 "[data]\nname = \"synthetic\"\nshape = [8]\ntrain_samples = 50\ntest_samples = 10\n"
                 "[train]\nepochs = 40\nbatch_size = 16\neval_every = 1000\n"
                 "[cluster]\nbackend = \"virtual\"\nworkers = 2\n[compute]\nstep_time = \"3ms\"\n");
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w", "-q", "--json"});
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    const auto line = nlohmann::json::parse(ended.out);
    EXPECT_EQ(line["steps"], 80);
    EXPECT_EQ(line["samples"], 2000);
    EXPECT_NEAR(line["samples_per_s"].get<double>() * line["step_ms"].get<double>() * 1e-3, 25, 1e-6);
}

TEST(RunCommand, TellsEachRunInOneLineOfJson) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w", "--json"});
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    const auto line = nlohmann::json::parse(ended.out);
    EXPECT_EQ(line["run_id"], folder.firstRun());
    EXPECT_EQ(line["status"], "finished");
    EXPECT_EQ(line["algorithm"], "dasgd");
    EXPECT_GT(line["step_ms"], 0.0);
    EXPECT_GT(line["bytes_sent"], 0);
    EXPECT_GT(line["samples_per_s"], 0.0);
    EXPECT_GE(line["blocked_s"], 0.0);
    for (const char* key : {"seed", "final_loss", "best_accuracy", "hidden", "error"}) EXPECT_TRUE(line.contains(key));
}

// A profile of this host: where runs are kept, and how many threads a rank has.
TEST(RunCommand, OnAClusterOfThisHostKeepsToItsProfile) {
    const test::DasgdFolder folder;
    folder.write("desk.toml",
                 "kind = \"local\"\nthreads = 2\nworkspace = \"" + (folder.path() / "kept").string() + "\"\n");
    folder.write("e.toml", test::quickExperiment("gloo", 4));
    const test::Ended ended = folder.run({"run", "e.toml", "--on", "desk", "-q", "--json"});
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    auto reader = storage::RunReader::open(folder.path() / "kept");
    ASSERT_TRUE(reader) << reader.error().message;
    const auto rows = reader->list().value();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_THAT(rows[0].config, HasSubstr("threads_per_worker = 2"));
    const test::Ended unknown = folder.run({"run", "e.toml", "--on", "dekk", "-q"});
    EXPECT_EQ(unknown.exit, kWrongInput);
    EXPECT_THAT(unknown.err, HasSubstr("there are desk"));
}

}  // namespace
}  // namespace dasgd::experiments
