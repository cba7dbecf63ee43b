// Fault 6: a rank cannot react to a stop. The second Ctrl-C ends it, and the launcher returns.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

bool holdsAfterTwoStops(int& injected) {
    BrokenRun run;
    ::kill(run.ranks().front(), SIGSTOP);
    run.launcher().signal(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    injected += ::kill(run.launcher().id(), 0) == 0 && !hasEnded(run.launcher().id());
    run.launcher().signal(SIGINT);
    const auto again = SteadyClock::now();
    const int exit = run.launcher().wait().exit;
    EXPECT_EQ(exit, 130);
    EXPECT_LT(secondsSince(again), 5);
    const bool gone = run.ranksEndWithin(std::chrono::seconds(1));
    EXPECT_TRUE(gone) << "a process stays";
    return exit == 130 && gone;
}

TEST(Fault06, ARankIgnoresTheStop) {
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(1, 20); ++i) held += holdsAfterTwoStops(injected);
    reportFault(6, "a rank that does not react to a stop", "the second Ctrl-C ends it; no orphan", injected, held);
}

}  // namespace
}  // namespace dasgd::test
