// Fault 1: all processes of a run are killed with SIGKILL at a random instant while they record. The database is whole,
// holds every completed step, and the run is interrupted.
#include <random>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

bool holdsAfterKill(std::chrono::microseconds pause, int& injected) {
    BrokenRun run("threads");
    std::this_thread::sleep_for(pause);
    for (const pid_t rank : run.ranks()) ::kill(rank, SIGKILL);
    run.launcher().signal(SIGKILL);
    injected += run.launcher().wait().exit == -SIGKILL;
    EXPECT_TRUE(run.ranksEndWithin(std::chrono::seconds(10)));
    EXPECT_EQ(run.folder().run({"recover", "-w", "w"}).exit, 0);
    const bool whole = run.holdsEveryStep();
    EXPECT_TRUE(whole);
    EXPECT_EQ(run.row().status, "interrupted");
    return whole && run.row().status == "interrupted";
}

TEST(Fault01, TheEngineIsKilledWhileItRecords) {
    std::mt19937 random(1);
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(4, 200); ++i) {
        held += holdsAfterKill(std::chrono::microseconds(random() % 200'000), injected);
    }
    reportFault(1, "SIGKILL of all processes while they record",
                "the database is whole, every completed step is in it, the run is interrupted", injected, held);
}

}  // namespace
}  // namespace dasgd::test
