#include "gui/models/experiment/hiding.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

std::string config(int delay, const char* model = "lenet",
                   const char* link = "[cluster.link]\nbandwidth = \"100Mbps\"\nlatency = \"1ms\"\n") {
    return "[algorithm]\nname = \"dasgd\"\nperiod = 8\ndelay = " + std::to_string(delay) + "\n[model]\nname = \"" +
           model + "\"\n[train]\nbatch_size = 32\n[cluster]\nbackend = \"gloo\"\nworkers = 2\n" + link;
}

// Took 6 ms a step, of which it stood waiting for 1 ms.
RunItemPtr runOf(const std::string& id, const std::string& toml,
                 const std::string& startedAt = "2026-11-21T12:00:00Z") {
    storage::RunRow row = makeRun(id, "dasgd", toml)->row;
    row.startedAt = startedAt;
    row.stepMs = 6;
    row.measuredS = 12;
    row.blockedS = 2;
    return makeRunItem(std::move(row));
}

PlannedRun plan(const std::string& toml) {
    return {.algorithm = "dasgd", .parameters = 62'500, .workers = 2, .config = toml};
}

// 250 kB among two over 100 Mbps: 2 · 1 ms + 2 · 125 kB · 80 ns.
constexpr double kAverage = 0.002 + 0.020;

TEST(Hiding, TheAverageIsThatOfARingOverTheEmulatedLink) {
    EXPECT_NEAR(*averageSeconds(settingsOf(config(1)), 62'500), kAverage, 1e-9);
    EXPECT_FALSE(averageSeconds(settingsOf(config(1, "lenet", "")), 62'500)) << "no link, no formula";
}

TEST(Hiding, TheStepIsThatOfTheNewestRunThatComputesTheSame) {
    storage::RunRow simulated = runOf("sim", config(3), "2026-11-23T12:00:00Z")->row;
    simulated.timeSimulated = true;
    const std::vector<RunItemPtr> runs{runOf("old", config(2), "2026-11-20T12:00:00Z"), runOf("new", config(3)),
                                       runOf("other", config(3, "mlp"), "2026-11-22T12:00:00Z"),
                                       makeRunItem(std::move(simulated))};
    const std::vector<TimedRun> timed = timedRuns(runs);
    EXPECT_EQ(timed.size(), 3U) << "simulated time is no measurement";
    const TimedRun* step = measuredStep(settingsOf(config(1)), timed);
    ASSERT_NE(step, nullptr);
    EXPECT_EQ(step->run, QStringLiteral("new"));
    EXPECT_NEAR(step->stepSeconds, 0.005, 1e-12) << "without waiting";
    EXPECT_EQ(measuredStep(settingsOf(config(1, "resnet18")), timed), nullptr);
}

TEST(Hiding, SaysHowMuchIsExposedAndWhichDelayWouldDo) {
    const std::vector<RunItemPtr> runs{runOf("r1", config(3))};
    const auto hiding = forecastHiding({plan(config(3)), plan(config(4)), plan(config(5))}, runs);
    ASSERT_TRUE(hiding);
    EXPECT_EQ(hiding->delay, 3);
    EXPECT_NEAR(hiding->exposed, kAverage - 3 * 0.005, 1e-9);
    EXPECT_EQ(hiding->enough, 5) << "22 ms in steps of 5 ms";
    EXPECT_EQ(hiding->exposing, 2U);
    EXPECT_TRUE(hiding->inWords().startsWith(
        QStringLiteral("7.00\u00a0ms of each average will not hide with d = 3, in 2 of 3 runs; d ≥ 5 would.")))
        << hiding->inWords().toStdString();
    EXPECT_TRUE(forecastHiding({plan(config(5))}, runs)->inWords().startsWith(QLatin1String("Every average hides.")));
}

TEST(Hiding, WithoutALinkOrAMeasuredStepNothingIsSaid) {
    const std::vector<RunItemPtr> runs{runOf("r1", config(3))};
    EXPECT_FALSE(forecastHiding({plan(config(3, "lenet", ""))}, runs));
    EXPECT_FALSE(forecastHiding({plan(config(3))}, {}));
    EXPECT_FALSE(forecastHiding({}, runs));
}

}  // namespace
}  // namespace dasgd::gui
