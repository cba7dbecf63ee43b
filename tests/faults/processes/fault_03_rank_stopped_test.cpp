// Fault 3: one rank is stopped with SIGSTOP. The run ends at its deadline, names the rank that did not answer and its
// last step, and no process stays.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

bool holdsAfterStop(int deadlineS, int& injected) {
    BrokenRun run("gloo", {"--set", "cluster.timeout_s=" + std::to_string(deadlineS) + ".0"});
    ::kill(run.ranks().back(), SIGSTOP);
    injected += eventually([&] {
        return contentOf("/proc/" + std::to_string(run.ranks().back()) + "/stat").find(") T ") != std::string::npos;
    });
    const auto stoppedAt = SteadyClock::now();
    const int exit = run.launcher().wait().exit;
    EXPECT_EQ(exit, 1);
    EXPECT_LT(secondsSince(stoppedAt), deadlineS + 5);
    EXPECT_TRUE(run.ranksEndWithin(std::chrono::seconds(1))) << "a process stays";
    const bool named = run.row().error.find("did not answer, last at step ") != std::string::npos;
    EXPECT_TRUE(named) << run.row().error;
    EXPECT_TRUE(run.holdsEveryStep());
    return exit == 1 && named && run.holdsEveryStep();
}

TEST(Fault03, ARankIsStopped) {
    int injected = 0, held = 0;
    const int deadlineS = faultCount(2, 30);
    for (int i = 0; i < faultCount(1, 3); ++i) held += holdsAfterStop(deadlineS, injected);
    reportFault(3, "SIGSTOP of one rank", "the run ends at its deadline; rank and step are named", injected, held);
}

}  // namespace
}  // namespace dasgd::test
