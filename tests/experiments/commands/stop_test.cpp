// `dasgd stop`, from another process.
#include <gmock/gmock.h>

#include "storage/read/run_reader.h"
#include "tests/experiments/commands/finished_run.h"
#include "tests/support/live_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(StopCommand, StopsARunAtItsNextStep) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::newestRunTrains(folder.workspace()));
    const test::Ended stop = folder.run({"stop", "2", "-w", "w"});
    EXPECT_EQ(stop.exit, 0) << stop.err;
    EXPECT_EQ(program.wait().exit, 130);
    EXPECT_EQ(storage::RunReader::open(folder.workspace())->list()->front().status, "stopped");
    const test::Ended again = folder.run({"stop", "2", "-w", "w"});
    EXPECT_EQ(again.exit, 2);
    EXPECT_THAT(again.err, HasSubstr("is stopped, there is nothing to stop"));
}

TEST(StopCommand, KnowsADeadLauncher) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    {
        const test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "-q"});
        ASSERT_TRUE(test::newestRunComesTo(folder.workspace(),
                                           [](const storage::RunRow& row) { return row.status == "running"; }));
    }
    const test::Ended stop = folder.run({"stop", "2", "-w", "w"});
    EXPECT_EQ(stop.exit, 2);
    EXPECT_THAT(stop.err, HasSubstr("its launcher died"));
}

}  // namespace
}  // namespace dasgd::experiments
