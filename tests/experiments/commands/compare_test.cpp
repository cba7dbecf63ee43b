// `dasgd compare`.
#include <gmock/gmock.h>

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

TEST_F(CompareCommand, NeedsRuns) {
    EXPECT_EQ(folder_.run({"compare", "-w", "w"}).exit, 2);
    EXPECT_EQ(folder_.run({"compare", "-w", "w", "-e", "other"}).exit, 2);
    EXPECT_EQ(folder_.run({"compare", "-w", "w", "nothing"}).exit, 2);
}

}  // namespace
}  // namespace dasgd::experiments
