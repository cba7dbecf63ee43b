// JSON and text of a run.
#include "experiments/tools/report/run_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(RunSummary, WritesNullForWhatJsonCannotSay) {
    storage::RunRow row;
    row.runId = "r";
    row.finalLoss = std::nan("");
    row.error = "broken \xff byte";
    row.stepMs = INFINITY;
    const std::string line = dumpLine(toJson(row));
    const auto json = nlohmann::json::parse(line);
    EXPECT_TRUE(json["final_loss"].is_null());
    EXPECT_TRUE(json["step_ms"].is_null());
    EXPECT_TRUE(json["hidden"].is_null());
    EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(RunSummary, SaysOnWhichSetTheBestModelWasChosen) {
    storage::RunRow row{.status = "finished", .steps = 12, .bestAccuracy = 0.5};
    EXPECT_THAT(summaryLine(row), HasSubstr("chosen on the test set"));
    EXPECT_EQ(toJson(row)["best_chosen_on"], "test");
    row.config = "[data]\nvalidation = 0.1\n";
    EXPECT_THAT(summaryLine(row), HasSubstr("chosen on the validation set"));
    EXPECT_EQ(toJson(row)["best_chosen_on"], "validation");
    row.bestAccuracy.reset();
    EXPECT_TRUE(toJson(row)["best_chosen_on"].is_null());
}

TEST(RunSummary, SaysInOneLineHowARunWent) {
    storage::RunRow row{.status = "failed", .steps = 12, .finalLoss = 0.5, .error = "rank 1: broken"};
    EXPECT_THAT(summaryLine(row), HasSubstr("not timed"));
    row.stepMs = 8.25;
    row.blockedS = 0.5;
    row.measuredS = 2;
    EXPECT_THAT(summaryLine(row), HasSubstr("failed after 12 steps"));
    EXPECT_THAT(summaryLine(row), HasSubstr("8.250 ms/step"));
    EXPECT_THAT(summaryLine(row), HasSubstr("blocked 0.5 s of 2.0 s"));
    EXPECT_THAT(summaryLine(row), HasSubstr("rank 1: broken"));
}

TEST(RunSummary, WhatNeverBeganDidNotStop) {
    storage::RunRow row{.status = "stopped"};
    EXPECT_EQ(statusWords(row), "taken out");
    EXPECT_EQ(toJson(row)["status"], "stopped") << "as it is recorded";
    row.steps = 1;
    EXPECT_EQ(statusWords(row), "stopped");
}

TEST(RunSummary, ATraceThatWasReadInPartSaysSo) {
    storage::RunRow row{
        .backend = storage::kTraceBackend, .status = "finished", .error = "partly read: t.json: cut off"};
    EXPECT_EQ(statusWords(row), "finished, partly read");
    EXPECT_EQ(toJson(row)["partly_read"], true);
    row.error.clear();
    EXPECT_EQ(statusWords(row), "finished");
    EXPECT_EQ(toJson(row)["partly_read"], false);
    row.backend = "gloo";
    row.error = "partly read: said by something else";
    EXPECT_EQ(statusWords(row), "finished");
}

TEST(RunSummary, AStatusFromElsewhereHasItsAgeOnceItIsOld) {
    storage::RunRow row{.status = "running"};
    EXPECT_EQ(statusWords(row), "running");
    row.origin = "ssh://login/lab";
    row.heardAt = "2020-01-01T00:00:00.000Z";
    EXPECT_THAT(statusWords(row), ::testing::ContainsRegex("running [0-9]+ h.* ago"));
    EXPECT_EQ(toJson(row)["origin"], "ssh://login/lab");
    EXPECT_EQ(toJson(row)["heard_at"], row.heardAt);
    row.heardAt = "2999-01-01T00:00:00.000Z";
    EXPECT_EQ(statusWords(row), "running");
    row.heardAt = "at noon";
    EXPECT_EQ(statusWords(row), "running, as far as known");
    row.status = "finished";
    EXPECT_EQ(statusWords(row), "finished") << "an end stays one";
}

}  // namespace
}  // namespace dasgd::experiments
