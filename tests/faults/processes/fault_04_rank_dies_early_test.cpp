// Fault 4: a rank dies before its first collective. The run ends within its deadline and five seconds, says which rank
// it was, and no process stays.
#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

constexpr int kEarlyDeadlineS = 5;

// `injected` counts ranks that died before any rank had completed a step.
bool holdsAfterDeath(int& injected) {
    const DasgdFolder folder;
    folder.write("e.toml", quickExperiment("gloo", 100'000'000));
    StartedProgram launcher = folder.start(
        {"run", "e.toml", "-w", "w", "-q", "--set", "cluster.timeout_s=" + std::to_string(kEarlyDeadlineS) + ".0"});
    std::vector<pid_t> ranks;
    EXPECT_TRUE(eventually([&] { return (ranks = childrenOf(launcher.id())).size() == 2; }));
    ::kill(ranks.back(), SIGKILL);
    const auto killedAt = SteadyClock::now();
    const Ended ended = launcher.wait();
    EXPECT_EQ(ended.exit, 1) << ended.err;
    EXPECT_LT(secondsSince(killedAt), kEarlyDeadlineS + 5);
    EXPECT_TRUE(eventually([&] { return std::ranges::all_of(ranks, hasEnded); })) << "a process stays";
    const storage::RunRow row = storage::RunReader::open(folder.workspace())->list()->front();
    injected += row.steps == 0;
    const bool named = row.status == "failed" && row.error.find("rank 1") != std::string::npos;
    EXPECT_TRUE(named) << row.status << ": " << row.error;
    return ended.exit == 1 && named;
}

TEST(Fault04, ARankDiesBeforeItsFirstCollective) {
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(2, 40); ++i) held += holdsAfterDeath(injected);
    reportFault(4, "SIGKILL of a rank before its first collective", "the run ends in time and names the rank", injected,
                held);
}

}  // namespace
}  // namespace dasgd::test
