#include "core/train/timing/timed_windows.h"

#include <gmock/gmock.h>

#include "tests/support/small_experiments.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

CleanWindowOptions options(const std::string& backend, std::int64_t workers, std::int64_t steps, bool apart) {
    Value document = minimal();
    document.set("cluster", table({{"backend", text(backend)}, {"workers", integer(workers)}}));
    document.set("train", table({{"steps", integer(steps)}}));
    const auto experiment = readExperiment(document);
    if (!experiment) throw std::runtime_error(experiment.error().message);
    return windowsOf(*experiment, planSteps(*experiment, 4000), apart);
}

// The last step of each window of a rank whose steps take `length`, with an evaluation after step 200.
std::vector<std::int64_t> endsOf(const CleanWindowOptions& windows, Ns length) {
    CleanWindows clean(windows);
    for (std::int64_t step = 1; step <= 400; ++step) {
        clean.stepDone(step, step * length);
        if (step == 200) clean.disturb(step);
    }
    clean.end();
    std::vector<std::int64_t> ends;
    for (const CleanWindow& window : clean.take()) ends.push_back(window.lastStep);
    return ends;
}

TEST(TimedWindows, OfRanksThatRunApartEndWithTheSameStepHoweverFastTheyAre) {
    const CleanWindowOptions windows = options("gloo", 2, 20'000, true);
    const auto ends = endsOf(windows, 1'000'000);
    EXPECT_THAT(ends, ElementsAre(67, 131, 195, 200, 265, 329, 393, 400)) << "64 steps, from the end of warm-up on";
    EXPECT_EQ(endsOf(windows, 350'000'000), ends);
}

TEST(TimedWindows, OfRanksThatWaitAreAtLeast200Ms) {
    const CleanWindowOptions windows = options("gloo", 2, 20'000, false);
    EXPECT_TRUE(windows.waits);
    EXPECT_EQ(windows.shortestPart, 200'000'000);
    EXPECT_EQ(windows.warmUpSteps, 3);
    EXPECT_FALSE(options("gloo", 1, 20'000, false).waits) << "a rank alone waits for nobody";
    EXPECT_EQ(options("gloo", 2, 4, false).warmUpSteps, 2) << "half of a short run is timed";
}

TEST(TimedWindows, OfSimulatedTimeAreFiftyARun) {
    EXPECT_EQ(options("virtual", 2, 1000, false).fewestSteps, 20);
    EXPECT_EQ(options("virtual", 2, 1000, true).fewestSteps, 20);
    EXPECT_EQ(options("virtual", 2, 100'000, true).fewestSteps, 256) << "windows are no longer";
}

}  // namespace
}  // namespace dasgd::test
