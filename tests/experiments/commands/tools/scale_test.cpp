// `dasgd scale` with real processes, threads and actors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/commands/command.h"
#include "storage/read/metric_reader.h"
#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A network on which a synchronous step of 4 MB takes far longer than its 5 ms of computing.
std::string timeOnly(const std::string& more = "") {
    return "name = \"timing\"\n[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"mlp\"\nhidden = [1000]\n"
           "[train]\nsteps = 8\nbatch_size = 32\n[cluster]\nbackend = \"virtual\"\nworkers = 5\n"
           "[network]\nname = \"star\"\nbandwidth = \"1Gbps\"\nlatency = \"50us\"\n"
           "[compute]\nmode = \"time-only\"\nstep_time = \"5ms\"\n" +
           more;
}

// The quadratic model has no batch; its runs take a moment each.
std::string training(const std::string& backend) {
    std::string text = test::quickExperiment(backend);
    if (backend == "virtual") text += "[compute]\nstep_time = \"1ms\"\n";
    return text;
}

class ScaleCommand : public ::testing::Test {
protected:
    test::Ended scale(std::vector<std::string> more) {
        std::vector<std::string> arguments{"scale", "e.toml", "-w", "w", "-q"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return folder_.run(arguments);
    }
    nlohmann::json jsonOf(const test::Ended& ended) {
        EXPECT_EQ(ended.exit, kFinished) << ended.err;
        return nlohmann::json::parse(ended.out);
    }
    std::vector<storage::RunRow> rows() { return *storage::RunReader::open(folder_.workspace())->list(); }
    // Rows of the workspace; none as long as there is no workspace to read.
    std::vector<storage::RunRow> recorded() {
        auto reader = storage::RunReader::open(folder_.workspace());
        return reader ? reader->list().value_or(std::vector<storage::RunRow>()) : std::vector<storage::RunRow>();
    }
    test::DasgdFolder folder_;
};

TEST_F(ScaleCommand, WeakScalingPaysForTheNetwork) {
    folder_.write("e.toml", timeOnly());
    const auto json = jsonOf(
        scale({"--workers", "1,2,...,8", "--json", "--sweep", "algorithm={name=\"sync_sgd\"},{name=\"independent\"}"}));
    EXPECT_EQ(json["scaling"], "weak");
    ASSERT_EQ(json["configurations"].size(), 2U);
    const auto& sync = json["configurations"][0]["points"];
    ASSERT_EQ(sync.size(), 4U);
    EXPECT_EQ(sync[3]["workers"], 8);
    EXPECT_EQ(sync[3]["batch_size"], 32);
    EXPECT_NEAR(sync[0]["step_ms"]["mean"], 5, 0.5);
    EXPECT_LT(sync[3]["efficiency"]["mean"], 0.5) << "every step waits for the ring";
    EXPECT_NEAR(sync[3]["speed_up"]["mean"].get<double>(), 8 * sync[3]["efficiency"]["mean"].get<double>(), 1e-9);
    const auto& alone = json["configurations"][1]["points"];
    EXPECT_NEAR(alone[3]["efficiency"]["mean"], 1, 1e-6) << "who does not communicate scales";
    EXPECT_EQ(json["configurations"][1]["time"], "simulated");
    EXPECT_EQ(rows().size(), 8U);
}

TEST_F(ScaleCommand, StrongScalingSharesTheWork) {
    folder_.write("e.toml", timeOnly());
    const std::vector<std::string> arguments{"--workers", "1,2,4", "--strong", "--set",
                                             "algorithm={name=\"independent\"}"};
    const test::Ended text = scale(arguments);
    ASSERT_EQ(text.exit, kFinished) << text.err;
    EXPECT_THAT(text.out, HasSubstr("Strong scaling: the batch of all workers together stays the same."));
    EXPECT_THAT(text.out, HasSubstr("divided as the batch was"));
    std::vector<std::string> again = arguments;
    again.push_back("--json");
    const auto points = jsonOf(scale(again))["configurations"][0]["points"];
    EXPECT_EQ(points[2]["batch_size"], 8);
    EXPECT_NEAR(points[2]["step_ms"]["mean"].get<double>(), points[0]["step_ms"]["mean"].get<double>() / 4, 0.01);
    EXPECT_NEAR(points[2]["speed_up"]["mean"], 4, 1e-6);
    EXPECT_NEAR(points[2]["samples_per_s"]["mean"].get<double>(), 4 * points[0]["samples_per_s"]["mean"].get<double>(),
                1);
}

TEST_F(ScaleCommand, TakesFinishedRunsInsteadOfRepeatingThem) {
    folder_.write("e.toml", timeOnly());
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q", "--set", "cluster.workers=2"}).exit, 0);
    const std::string byRun = folder_.firstRun();
    const auto first = jsonOf(scale({"--workers", "1,2", "--json"}));
    EXPECT_EQ(rows().size(), 2U) << "what `run` had finished is taken";
    EXPECT_EQ(first["configurations"][0]["points"][1]["runs"][0], byRun);
    EXPECT_EQ(jsonOf(scale({"--workers", "1,2", "--json"})), first);
    EXPECT_EQ(rows().size(), 2U);
    static_cast<void>(jsonOf(scale({"--workers", "1,2", "--json", "--set", "train.seed=2"})));
    EXPECT_EQ(rows().size(), 4U) << "another seed is another run";
    static_cast<void>(jsonOf(scale({"--workers", "1,2", "--json", "--again"})));
    EXPECT_EQ(rows().size(), 6U);
}

TEST_F(ScaleCommand, MeasuresRealRunsAndTimesTheTarget) {
    folder_.write("e.toml", training("threads"));
    const test::Ended ended = scale({"--workers", "2", "--target", "loss=1.0", "--sweep", "train.seed=1,2"});
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("dasgd (measured, threads)"));
    EXPECT_THAT(ended.out, HasSubstr("s to loss ≤ 1"));
    EXPECT_THAT(ended.out, HasSubstr(" ± "));
    EXPECT_THAT(ended.out, Not(HasSubstr("not reached")));
}

TEST_F(ScaleCommand, TimeToTargetIsTheFirstEvaluationThatReachesIt) {
    folder_.write("e.toml", training("virtual"));
    const auto json = jsonOf(scale({"--workers", "2", "--target", "loss=1.0", "--json"}));
    const auto point = json["configurations"][0]["points"][0];
    auto reader = storage::MetricReader::open(folder_.workspace());
    const auto losses = reader->samples({.runId = point["runs"][0], .name = "eval/loss"});
    const auto reached = std::find_if(losses->samples.begin(), losses->samples.end(),
                                      [](const auto& sample) { return sample.value <= 1.0; });
    ASSERT_NE(reached, losses->samples.end());
    const double seconds = point["s_to_target"]["mean"];
    EXPECT_DOUBLE_EQ(seconds, reached->wallS) << "simulated seconds";
    EXPECT_NEAR(seconds, static_cast<double>(reached->step) * point["step_ms"]["mean"].get<double>() * 1e-3, 1e-3)
        << "every step of this run costs the same";
}

TEST_F(ScaleCommand, DryRunStartsNothing) {
    folder_.write("e.toml", timeOnly());
    const test::Ended ended = scale({"--workers", "1,2,4", "--dry-run", "--json"});
    EXPECT_EQ(ended.exit, kFinished);
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 3);
    EXPECT_THAT(ended.out, HasSubstr("cluster.workers=4"));
    EXPECT_FALSE(std::filesystem::exists(folder_.workspace()));
}

TEST_F(ScaleCommand, RefusesBeforeAnythingStarts) {
    folder_.write("e.toml", timeOnly());
    const auto refusal = [&](const std::vector<std::string>& more) {
        const test::Ended ended = scale(more);
        EXPECT_EQ(ended.exit, kWrongInput) << ended.out;
        EXPECT_FALSE(std::filesystem::exists(folder_.workspace()));
        return ended.err;
    };
    EXPECT_THAT(refusal({}), HasSubstr("--workers"));
    EXPECT_THAT(refusal({"--workers", "1,x"}), StartsWith("dasgd: --workers 1,x: \"x\" is no whole number"));
    EXPECT_THAT(refusal({"--workers", "1,3", "--strong"}), HasSubstr("e.toml:9:14: strong scaling shares"));
    EXPECT_THAT(refusal({"--workers", "1,2", "--strong", "--weak"}), HasSubstr("excludes"));
    EXPECT_THAT(refusal({"--workers", "1", "--target", "accuracy=97"}), StartsWith("dasgd: --target: "));
    EXPECT_THAT(refusal({"--workers", "1", "--set", "train.step=3"}), HasSubstr("did you mean 'steps'?"));
}

TEST_F(ScaleCommand, ARunThatFailsIsSaidAndLeftOut) {
    folder_.write("e.toml", training("virtual"));
    const test::Ended ended = scale({"--workers", "2", "--sweep", "optimizer.learning_rate=0.1,1e6"});
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.err, HasSubstr("failed after"));
    EXPECT_THAT(ended.out, HasSubstr("1 run that failed, was stopped or never began is left out"));
    EXPECT_EQ(rows().size(), 2U);
}

TEST_F(ScaleCommand, ABatchThatManyWorkersCannotTakeLeavesTheOthers) {
    folder_.write("e.toml",
                  "name = \"x\"\n[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"logistic\"\n[data]\n"
                  "name = \"synthetic\"\ntrain_samples = 64\n[train]\nsteps = 3\nbatch_size = 24\n[cluster]\n"
                  "backend = \"threads\"\nworkers = 2\n");
    const test::Ended ended = scale({"--workers", "1,4"});
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    const std::string why = "4 workers cannot be run: e.toml:11:14: batch_size is 24 and each of 4 workers has 16 of";
    EXPECT_THAT(ended.out, HasSubstr(why));
    EXPECT_THAT(ended.err, HasSubstr(why)) << "before the others are run";
    EXPECT_EQ(rows().size(), 1U);
}

TEST_F(ScaleCommand, CtrlCEndsItWithTheTablesSoFar) {
    folder_.write("e.toml", training("threads"));
    test::StartedProgram program =
        folder_.start({"scale", "e.toml", "-w", "w", "-q", "--workers", "2", "--sweep", "train.steps=30,100000000"});
    const auto running = [&] {
        const auto all = recorded();
        return std::ranges::count(all, "finished", &storage::RunRow::status) == 1 &&
               std::ranges::count(all, "running", &storage::RunRow::status) == 1;
    };
    ASSERT_TRUE(test::eventually(running, std::chrono::seconds(30)));
    program.signal(SIGINT);
    const test::Ended ended = program.wait();
    EXPECT_EQ(ended.exit, kStopped) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("dasgd train.steps=30 (measured, threads)"));
    EXPECT_THAT(ended.out, HasSubstr("1 run that failed, was stopped or never began is left out"));
}

TEST_F(ScaleCommand, RunsThatNeverBeganAreCountedAsLeftOut) {
    folder_.write("e.toml", training("threads"));
    test::StartedProgram program =
        folder_.start({"scale", "e.toml", "-w", "w", "-q", "--workers", "2", "--sweep", "train.steps=100000000,30,40"});
    const auto running = [&] { return std::ranges::count(recorded(), "running", &storage::RunRow::status) == 1; };
    ASSERT_TRUE(test::eventually(running, std::chrono::seconds(30)));
    program.signal(SIGINT);
    const test::Ended ended = program.wait();
    EXPECT_EQ(ended.exit, kStopped) << ended.err;
    std::size_t said = 0;
    for (std::size_t at = 0;
         (at = ended.out.find("1 run that failed, was stopped or never began is left out", at)) != std::string::npos;
         ++at) {
        ++said;
    }
    EXPECT_EQ(said, 3U) << ended.out;
}

}  // namespace
}  // namespace dasgd::experiments
