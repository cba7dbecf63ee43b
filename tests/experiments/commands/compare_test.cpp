// `dasgd compare`.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/experiments/commands/finished_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

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
