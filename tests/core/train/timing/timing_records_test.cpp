#include "core/train/timing/timing_records.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "core/exec/cpu_executor.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

class StillClock final : public Clock {
public:
    Ns at = 0;
    [[nodiscard]] Ns now() const override { return at; }
    void sleepUntil(Ns) override {}
};

class TimingRecordsTest : public ::testing::Test {
protected:
    [[nodiscard]] TimingRecords recordsOf(TimingRecords::Rank rank) {
        return {*executor, sink, plan, rank,
                [this](std::string_view name, double value) { metrics[std::string(name)].push_back(value); }};
    }
    StillClock clock;
    MemorySink sink;
    std::unique_ptr<Executor> executor = onProcessor()(clock, sink, TraceLevel::Full, {});
    Plan plan{.totalSteps = 100, .batchSize = 8};
    std::map<std::string, std::vector<double>> metrics;
};

TEST_F(TimingRecordsTest, StepsOfTimeOnlyAreReportedFiftyTimesARun) {
    TimingRecords records = recordsOf({});
    records.countFrom(0);
    for (std::int64_t step = 1; step <= 100; ++step) {
        clock.at += 3'000'000;
        records.stepMade(clock.at);
    }
    const auto& reported = metrics.at("train/step_ms");
    ASSERT_EQ(reported.size(), 50U);
    for (const double ms : reported) EXPECT_DOUBLE_EQ(ms, 3);
}

// Of shared work a slow rank makes fewer steps than planned, and a fast one more.
TEST_F(TimingRecordsTest, WhatIsLeftOfTheStepsOfTimeOnlyIsReportedAtTheEnd) {
    TimingRecords records = recordsOf({});
    records.countFrom(0);
    for (std::int64_t step = 1; step <= 131; ++step) {
        clock.at += step <= 130 ? 3'000'000 : 8'000'000;
        records.stepMade(clock.at);
    }
    EXPECT_EQ(metrics.at("train/step_ms").size(), 65U);
    clock.at += 9'000'000'000;
    records.recordSteps();
    records.recordSteps();
    ASSERT_EQ(metrics.at("train/step_ms").size(), 66U);
    EXPECT_DOUBLE_EQ(metrics.at("train/step_ms").back(), 8);
}

TEST_F(TimingRecordsTest, WithoutACleanWindowNothingIsTimed) {
    TimingRecords records = recordsOf({.reportsForRun = true});
    records.recordWindows();
    EXPECT_FALSE(metrics.contains("throughput/samples_per_s"));
    records.recordTimed();
    EXPECT_THAT(metrics.at("timing/steps"), ElementsAre(0));
    EXPECT_THAT(metrics.at("timing/seconds"), ElementsAre(0));
}

}  // namespace
}  // namespace dasgd::test
