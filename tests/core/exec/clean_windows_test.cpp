#include "core/exec/clean_windows.h"

#include <gmock/gmock.h>

#include <vector>

namespace dasgd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Start, end, steps, last step.
using Numbers = std::vector<std::int64_t>;

std::vector<Numbers> taken(CleanWindows& windows) {
    std::vector<Numbers> all;
    for (const CleanWindow& window : windows.take()) {
        all.push_back({window.time.start, window.time.end, window.steps, window.lastStep});
    }
    return all;
}

// A window from the end of one step to that of another; step k ends at instant 10·k.
Numbers fromTo(std::int64_t first, std::int64_t last) { return {10 * first, 10 * last, last - first, last}; }

// An algorithm that launches at every multiple of `period` and waits `delay` steps later, evaluated after every
// multiple of `evalEvery`, as the worker loop tells it.
std::vector<Numbers> windowsOf(std::int64_t period, std::int64_t delay, std::int64_t evalEvery, std::int64_t steps,
                               CleanWindowOptions options = {.shortestPart = 1'000'000}) {
    CleanWindows windows(options);
    windows.disturb(0);
    for (std::int64_t k = 1; k <= steps; ++k) {
        if (k > delay && (k - delay) % period == 0) windows.waited(k - delay);
        windows.stepDone(k, 10 * k);
        if (k % evalEvery == 0) windows.disturb(k);
    }
    windows.end();
    return taken(windows);
}

TEST(CleanWindows, RunFromWaitToWait) {
    EXPECT_THAT(windowsOf(4, 1, 1000, 40), ElementsAre(fromTo(5, 37)));
    EXPECT_THAT(windowsOf(4, 4, 1000, 40), ElementsAre(fromTo(8, 40)));
    EXPECT_THAT(windowsOf(4, 0, 1000, 42), ElementsAre(fromTo(4, 40)));
    EXPECT_THAT(windowsOf(1, 0, 1000, 10), ElementsAre(fromTo(1, 10)));
}

// The average that leaves before an evaluation arrives during it: the wait for it says nothing.
TEST(CleanWindows, LeaveOutWhatAnEvaluationTouched) {
    EXPECT_THAT(windowsOf(4, 1, 4, 80), IsEmpty());
    EXPECT_THAT(windowsOf(4, 1, 8, 80), IsEmpty()) << "one clean wait between two evaluations is no whole round";
    EXPECT_THAT(windowsOf(4, 1, 20, 40), ElementsAre(fromTo(5, 17), fromTo(25, 37)));
    EXPECT_THAT(windowsOf(4, 4, 16, 32), ElementsAre(fromTo(8, 16), fromTo(24, 32)));
}

TEST(CleanWindows, AnEvaluationAtEveryStepLeavesNothing) {
    EXPECT_THAT(windowsOf(1, 0, 1, 50), IsEmpty());
    EXPECT_THAT(windowsOf(4, 0, 4, 50), IsEmpty());
    EXPECT_THAT(windowsOf(1, 0, 2, 6), ElementsAre(fromTo(1, 2), fromTo(3, 4), fromTo(5, 6)));
}

TEST(CleanWindows, AreAnyStepsOfAnAlgorithmThatNeverWaits) {
    const CleanWindowOptions never{.waits = false, .shortestPart = 1'000'000};
    EXPECT_THAT(windowsOf(1000, 0, 5, 10, never), ElementsAre(fromTo(1, 5), fromTo(6, 10)));
    EXPECT_THAT(windowsOf(4, 0, 1000, 10, never), ElementsAre(fromTo(1, 8))) << "until it waits after all";
    EXPECT_THAT(windowsOf(1000, 0, 1000, 10), IsEmpty()) << "one that would have waited is not timed";
}

TEST(CleanWindows, BeginAfterTheWarmUp) {
    EXPECT_THAT(windowsOf(1, 0, 1000, 10, {.warmUpSteps = 3, .shortestPart = 1000}), ElementsAre(fromTo(3, 10)));
    EXPECT_THAT(windowsOf(4, 1, 1000, 20, {.warmUpSteps = 6, .shortestPart = 1000}), ElementsAre(fromTo(9, 17)));
}

TEST(CleanWindows, AreCutIntoPartsThatTouch) {
    EXPECT_THAT(windowsOf(4, 1, 1000, 40, {.shortestPart = 90}),
                ElementsAre(fromTo(5, 17), fromTo(17, 29), fromTo(29, 37)));
    EXPECT_THAT(windowsOf(4, 1, 1000, 40, {.shortestPart = 0, .fewestSteps = 13}),
                ElementsAre(fromTo(5, 21), fromTo(21, 37)));
    EXPECT_THAT(windowsOf(4, 1, 1000, 40, {.shortestPart = 1000, .mostSteps = 15}),
                ElementsAre(fromTo(5, 21), fromTo(21, 37)));
}

TEST(CleanWindows, AreTakenOnce) {
    CleanWindows windows({.waits = false});
    windows.stepDone(1, 10);
    EXPECT_THAT(taken(windows), IsEmpty()) << "under way";
    windows.stepDone(2, 20);
    EXPECT_THAT(taken(windows), ElementsAre(fromTo(1, 2)));
    EXPECT_THAT(taken(windows), IsEmpty());
}

}  // namespace
}  // namespace dasgd
