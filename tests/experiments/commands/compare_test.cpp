// `dasgd compare`.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "storage/read/metric_reader.h"
#include "tests/experiments/commands/finished_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CompareCommand : public FinishedRun {};

TEST_F(CompareCommand, TakesSeedsTogether) {
    const test::Ended ended = folder_.run({"compare", "-w", "w", "--experiment", "quick", "--json"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    ASSERT_EQ(json["groups"].size(), 1u);
    EXPECT_EQ(json["groups"][0]["step_ms"]["n"], 2);
    EXPECT_GT(json["groups"][0]["step_ms"]["std"], 0.0);
    EXPECT_EQ(json["groups"][0]["configuration"], "dasgd");
}

TEST_F(CompareCommand, SetsAlgorithmsAgainstABaseline) {
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q", "--set", "algorithm={name=\"sync_sgd\"}"}).exit, 0);
    const test::Ended ended = folder_.run({"compare", "-w", "w", "-e", "quick"});
    EXPECT_THAT(ended.out, HasSubstr("Per step, dasgd"));
    EXPECT_THAT(ended.out, HasSubstr("sync_sgd ("));
    EXPECT_THAT(folder_.run({"compare", "-w", "w", "-e", "quick", "--csv"}).out, HasSubstr("sync_sgd,sync_sgd,1,0,"));
    EXPECT_EQ(folder_.run({"compare", "-w", "w", "-e", "quick", "--baseline", "easgd"}).exit, 2);
}

TEST_F(CompareCommand, SaysThatTimesAreMeasuredAndWhatNoRunRecorded) {
    const auto json = nlohmann::json::parse(folder_.run({"compare", "-w", "w", "-e", "quick", "--json"}).out);
    const auto& group = json["groups"][0];
    EXPECT_EQ(group["time"], "measured");
    EXPECT_EQ(group["emulated_link"], "");
    EXPECT_EQ(group["skew_ms"]["n"], 2);
    EXPECT_GE(group["skew_ms"]["mean"], 0.0);
    EXPECT_EQ(group["best_perplexity"]["n"], 0);
    const std::string text = folder_.run({"compare", "-w", "w", "-e", "quick"}).out;
    EXPECT_THAT(text, HasSubstr("time measured; "));
    EXPECT_THAT(text, HasSubstr("skew ms"));
    EXPECT_THAT(text, Not(HasSubstr("perplexity")));
}

// The first 10 of its 40 steps wait for a slow network each, the others once in 10. The target is reached among the
// first: 5 steps of the run's mean time would be far less than they took.
TEST_F(CompareCommand, TheTimeToATargetIsWhatItsOwnStepsTook) {
    std::string text = test::quickExperiment("virtual", 40);
    const auto replaced = [&](const std::string& what, const std::string& by) {
        ASSERT_NE(text.find(what), std::string::npos);
        text.replace(text.find(what), what.size(), by);
    };
    replaced("name = \"quick\"", "name = \"dear\"");
    replaced("name = \"dasgd\"\nperiod = 4\ndelay = 2", "name = \"post_local_sgd\"\nsync_steps = 10\nperiod = 10");
    replaced("eval_every = 10", "eval_every = 5\ntarget_loss = 8.0");
    text += "[network]\nname = \"star\"\nlatency = \"2ms\"\n[compute]\nstep_time = \"1ms\"\n";
    folder_.write("dear.toml", text);
    ASSERT_EQ(folder_.run({"run", "dear.toml", "-w", "w", "-q"}).exit, 0);
    const auto json = nlohmann::json::parse(folder_.run({"compare", "-w", "w", "-e", "dear", "--json"}).out);
    const auto& group = json["groups"][0];
    EXPECT_EQ(group["time"], "simulated");
    ASSERT_EQ(group["steps_to_target"]["mean"], 5);
    auto reader = storage::MetricReader::open(folder_.workspace());
    ASSERT_TRUE(reader);
    const auto reached = reader->samples({.runId = group["runs"][0], .name = "run/target_reached"});
    ASSERT_EQ(reached->samples.size(), 1U);
    const double seconds = group["seconds_to_target"]["mean"];
    EXPECT_DOUBLE_EQ(seconds, reached->samples[0].wallS);
    EXPECT_GT(seconds, 1.5 * 5 * group["step_ms"]["mean"].get<double>() * 1e-3);
    EXPECT_GT(seconds, 5 * (1 + 2) * 1e-3) << "each of them computes for 1 ms and waits for messages of 2 ms or more";
}

TEST_F(CompareCommand, ComparesDifferentNumbersOfWorkersAtEqualSamples) {
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q", "--set", "cluster.workers=1"}).exit, 0);
    const test::Ended ended = folder_.run({"compare", "-w", "w", "-e", "quick", "--json"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto json = nlohmann::json::parse(ended.out);
    ASSERT_EQ(json["groups"].size(), 2u);
    const double one = json["groups"][0]["samples"]["mean"], other = json["groups"][1]["samples"]["mean"];
    EXPECT_EQ(std::max(one, other), 2 * std::min(one, other)) << "the same steps";
    EXPECT_EQ(json["equal_samples"], std::min(one, other));
    for (const auto& group : json["groups"]) {
        const bool shorter = group["samples"]["mean"] == json["equal_samples"];
        EXPECT_EQ(group["loss_at_equal_samples"]["mean"] == group["final_loss"]["mean"], shorter) << group;
    }
    EXPECT_THAT(folder_.run({"compare", "-w", "w", "-e", "quick"}).out, HasSubstr("different numbers of samples"));
}

TEST_F(CompareCommand, NeedsRuns) {
    EXPECT_EQ(folder_.run({"compare", "-w", "w"}).exit, 2);
    EXPECT_EQ(folder_.run({"compare", "-w", "w", "-e", "other"}).exit, 2);
    EXPECT_EQ(folder_.run({"compare", "-w", "w", "nothing"}).exit, 2);
}

}  // namespace
}  // namespace dasgd::experiments
