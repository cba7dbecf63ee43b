// Fault 2: one rank is killed with SIGKILL while the ranks reduce. The others end within the deadline and five seconds,
// the run names the rank and its last step, and no process stays.
#include <random>

#include "tests/faults/support/broken_run.h"
#include "tests/faults/support/fault_case.h"

namespace dasgd::test {
namespace {

constexpr int kDeadlineS = 5;

bool holdsAfterKill(std::size_t victim, std::chrono::microseconds pause, int& injected) {
    BrokenRun run(
        "gloo", {"--set", "algorithm.name=sync_sgd", "--drop-unknown", "--set", "cluster.link.bandwidth=1Gbps", "--set",
                 "cluster.link.latency=3ms", "--set", "cluster.timeout_s=" + std::to_string(kDeadlineS) + ".0"});
    EXPECT_EQ(run.ranks().size(), 2u);
    std::this_thread::sleep_for(pause);
    ::kill(run.ranks().at(victim), SIGKILL);
    const auto killedAt = SteadyClock::now();
    const Ended ended = run.launcher().wait();
    injected += run.row().error.find("signal 9") != std::string::npos;
    EXPECT_EQ(ended.exit, 1) << ended.err;
    EXPECT_LT(secondsSince(killedAt), kDeadlineS + 5);
    EXPECT_TRUE(run.ranksEndWithin(std::chrono::seconds(1))) << "a process stays";
    const std::string named = "rank " + std::to_string(victim) + " ended by signal 9 (Killed) after completing step ";
    EXPECT_NE(run.row().error.find(named), std::string::npos) << run.row().error;
    EXPECT_TRUE(run.holdsEveryStep());
    return ended.exit == 1 && run.row().status == "failed" && run.row().error.find(named) != std::string::npos &&
           run.holdsEveryStep();
}

TEST(Fault02, ARankIsKilledInACollective) {
    std::mt19937 random(2);
    int injected = 0, held = 0;
    for (int i = 0; i < faultCount(2, 40); ++i) {
        held += holdsAfterKill(static_cast<std::size_t>(i % 2), std::chrono::microseconds(random() % 50'000), injected);
    }
    reportFault(2, "SIGKILL of one rank in a collective", "the others end in time, rank and step are named, no orphan",
                injected, held);
}

}  // namespace
}  // namespace dasgd::test
