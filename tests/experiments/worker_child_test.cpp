// A worker as the launcher starts it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/worker_process.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(WorkerChild, DoesNotOutliveALauncherThatIsGone) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    const test::Ended ended =
        folder.run({"worker", "e.toml", "-w", "w", "--run", "r", "--rank", "0", "--origin", "1", "--launcher", "1"});
    EXPECT_EQ(ended.exit, 1);
    EXPECT_FALSE(folder.hasRuns());
}

TEST(WorkerChild, LogsWhichRankItWasAndHowItEnded) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    for (int rank = 0; rank < 2; ++rank) {
        const auto log =
            folder.workspace() / "runs" / folder.firstRun() / "logs" / ("rank-" + std::to_string(rank) + ".log");
        EXPECT_THAT(test::contentOf(log), HasSubstr("rank " + std::to_string(rank) + " finished at step 30"));
    }
}

}  // namespace
}  // namespace dasgd::experiments
