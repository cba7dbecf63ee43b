// Fault 5: the launcher is killed with SIGKILL. Its ranks end within two seconds, and the run is shown as interrupted.
#include <chrono>

#include "storage/run_reader.h"
#include "tests/faults/fault_case.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"
#include "tests/support/processes.h"

namespace dasgd::test {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Starts an endless run of two processes, kills its launcher and answers whether everything was as expected.
// `injected` counts the kills that ended the launcher.
bool holdsAfterKill(int& injected) {
    const DasgdFolder folder;
    folder.write("e.toml", quickExperiment("gloo", 100'000'000));
    StartedProgram launcher = folder.start({"run", "e.toml", "-w", "w", "-q"});
    EXPECT_TRUE(newestRunTrains(folder.workspace()));
    const std::vector<pid_t> ranks = childrenOf(launcher.id());
    EXPECT_EQ(ranks.size(), 2u);
    launcher.signal(SIGKILL);
    const auto killedAt = SteadyClock::now();
    injected += launcher.wait().exit == -SIGKILL;
    const bool ranksEnded = eventually([&] { return std::ranges::all_of(ranks, hasEnded); }) &&
                            SteadyClock::now() - killedAt < std::chrono::seconds(2);
    EXPECT_TRUE(ranksEnded);
    EXPECT_EQ(folder.run({"recover", "-w", "w"}).exit, 0);
    const auto reader = storage::RunReader::open(folder.workspace());
    const bool whole = reader && reader->checkIntegrity() && reader->runs()->front().status == "interrupted";
    EXPECT_TRUE(whole);
    return ranksEnded && whole;
}

TEST(Fault05, TheLauncherIsKilled) {
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(2, 50); ++i) held += holdsAfterKill(injected);
    reportFault(5, "SIGKILL of the launcher", "its ranks end within 2 s; the run is interrupted", injected, held);
}

}  // namespace
}  // namespace dasgd::test
