// Fault 5: the launcher is killed with SIGKILL. Its ranks end within two seconds, and the run is interrupted.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

bool holdsAfterKill(int& injected) {
    BrokenRun run;
    EXPECT_EQ(run.ranks().size(), 2u);
    run.launcher().signal(SIGKILL);
    const auto killedAt = SteadyClock::now();
    injected += run.launcher().wait().exit == -SIGKILL;
    const bool ended = run.ranksEndWithin(std::chrono::seconds(20)) && secondsSince(killedAt) < 2;
    EXPECT_TRUE(ended);
    EXPECT_EQ(run.folder().run({"recover", "-w", "w"}).exit, 0);
    EXPECT_TRUE(run.holdsEveryStep());
    EXPECT_EQ(run.row().status, "interrupted");
    return ended && run.holdsEveryStep() && run.row().status == "interrupted";
}

TEST(Fault05, TheLauncherIsKilled) {
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(2, 50); ++i) held += holdsAfterKill(injected);
    reportFault(5, "SIGKILL of the launcher", "its ranks end within 2 s; the run is interrupted", injected, held);
}

}  // namespace
}  // namespace dasgd::test
