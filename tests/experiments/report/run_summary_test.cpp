// Time per step from the records, and JSON of a run.
#include "experiments/report/run_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

// Steps of 10 ms on each rank after three of 100 ms.
std::vector<storage::MetricSample> losses(int ranks, int steps) {
    std::vector<storage::MetricSample> all;
    for (int rank = 0; rank < ranks; ++rank) {
        double wall = 5;
        for (int step = 1; step <= steps; ++step) {
            wall += step <= 3 ? 0.1 : 0.01;
            all.push_back({.rank = rank, .step = step, .wallS = wall});
        }
    }
    return all;
}

TEST(RunSummary, LeavesWarmUpOut) {
    const auto timings = rankTimings(losses(2, 20), {});
    ASSERT_EQ(timings.size(), 2u);
    EXPECT_NEAR(timings[1].stepMs, 10, 1e-9);
    EXPECT_EQ(timings[1].steps, 17);
}

TEST(RunSummary, LeavesEvaluationsOut) {
    auto samples = losses(1, 20);
    for (auto& sample : samples) {
        if (sample.step > 10) sample.wallS += 3;
    }
    EXPECT_NEAR(rankTimings(samples, {}).front().stepMs, (17 * 10 + 3000) / 17.0, 1e-9);
    EXPECT_NEAR(rankTimings(samples, {{.rank = -1, .step = 10, .wallS = samples[9].wallS + 1}}).front().stepMs, 10,
                1e-9);
}

TEST(RunSummary, HasNoTimeOfTooFewSteps) { EXPECT_TRUE(rankTimings(losses(1, 3), {}).empty()); }

TEST(RunSummary, WritesNullForWhatJsonCannotSay) {
    storage::RunRow row;
    row.runId = "r";
    row.finalLoss = std::nan("");
    row.error = "broken \xff byte";
    const std::string line = dumpLine(toJson(RunSummary{row, INFINITY}));
    const auto json = nlohmann::json::parse(line);
    EXPECT_TRUE(json["final_loss"].is_null());
    EXPECT_TRUE(json["step_ms"].is_null());
    EXPECT_TRUE(json["hidden"].is_null());
    EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(RunSummary, SaysInOneLineHowARunWent) {
    storage::RunRow row{.status = "failed", .steps = 12, .finalLoss = 0.5, .error = "rank 1: broken"};
    EXPECT_THAT(summaryLine({row, 8.25}), HasSubstr("failed after 12 steps"));
    EXPECT_THAT(summaryLine({row, 8.25}), HasSubstr("8.2500 ms/step"));
    EXPECT_THAT(summaryLine({row, 8.25}), HasSubstr("rank 1: broken"));
}

}  // namespace
}  // namespace dasgd::experiments
