// Fault 8: the terminal of a run goes away (SIGHUP). Training continues.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

bool holdsAfterHangUp(int& injected) {
    BrokenRun run;
    run.launcher().signal(SIGHUP);
    for (const pid_t rank : run.ranks()) ::kill(rank, SIGHUP);
    ++injected;
    const std::int64_t before = run.completed(0);
    const bool trains = eventually([&] { return run.completed(0) > before + 50; });
    EXPECT_TRUE(trains);
    run.launcher().signal(SIGTERM);
    EXPECT_EQ(run.launcher().wait().exit, 130);
    EXPECT_TRUE(run.holdsEveryStep());
    return trains && run.holdsEveryStep();
}

TEST(Fault08, TheTerminalGoesAway) {
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(1, 20); ++i) held += holdsAfterHangUp(injected);
    reportFault(8, "SIGHUP of all processes", "training continues", injected, held);
}

}  // namespace
}  // namespace dasgd::test
