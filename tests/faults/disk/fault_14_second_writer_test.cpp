// Fault 14: another program holds SQLite's write lock on lab.db while a run records. Readers go on, no record is lost,
// and the run finishes.
#include <SQLiteCpp/SQLiteCpp.h>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

bool holdsBesideWriter(std::chrono::seconds held, int& injected) {
    BrokenRun run;
    {
        SQLite::Database writer((run.folder().workspace() / "lab.db").string(), SQLite::OPEN_READWRITE);
        writer.setBusyTimeout(20'000);
        writer.exec("BEGIN IMMEDIATE");
        ++injected;
        std::this_thread::sleep_for(held / 2);
        const auto asked = SteadyClock::now();
        EXPECT_EQ(run.folder().run({"list", "-w", "w"}).exit, 0);
        EXPECT_LT(secondsSince(asked), 10) << "a reader waits for the writer";
        std::this_thread::sleep_for(held / 2);
        writer.exec("ROLLBACK");
    }
    run.launcher().signal(SIGTERM);
    const Ended ended = run.launcher().wait();
    EXPECT_EQ(ended.exit, 130) << ended.err;
    EXPECT_TRUE(run.holdsEveryStep());
    EXPECT_EQ(run.row().status, "stopped");
    return ended.exit == 130 && run.holdsEveryStep() && run.row().status == "stopped";
}

TEST(Fault14, AnotherProgramWrites) {
    int injected = 0, held = 0;
    const std::chrono::seconds lasts(faultCount(2, 60));
    for (int i = 0; i < faultCount(1, 3); ++i) held += holdsBesideWriter(lasts, injected);
    reportFault(14, "another program holds the write lock of lab.db", "readers go on; no record is lost", injected,
                held);
}

}  // namespace
}  // namespace dasgd::test
