// `dasgd stop`, from another process.
#include <gmock/gmock.h>

#include "storage/run_reader.h"
#include "tests/experiments/commands/finished_run.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(StopCommand, StopsARunAtItsNextStep) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::eventually([&] {
        auto reader = storage::RunReader::open(folder.workspace());
        const auto rows = reader ? reader->runs() : tl::unexpected(Error{});
        return rows && !rows->empty() && rows->front().steps > 10;
    }));
    const test::Ended stop = folder.run({"stop", "2", "-w", "w"});
    EXPECT_EQ(stop.exit, 0) << stop.err;
    EXPECT_EQ(program.wait().exit, 130);
    EXPECT_EQ(storage::RunReader::open(folder.workspace())->runs()->front().status, "stopped");
    const test::Ended again = folder.run({"stop", "2", "-w", "w"});
    EXPECT_EQ(again.exit, 2);
    EXPECT_THAT(again.err, HasSubstr("is stopped, there is nothing to stop"));
}

TEST(StopCommand, KnowsADeadLauncher) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    {
        const test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "-q"});
        ASSERT_TRUE(test::eventually([&] {
            auto reader = storage::RunReader::open(folder.workspace());
            const auto rows = reader ? reader->runs() : tl::unexpected(Error{});
            return rows && !rows->empty() && rows->front().status == "running";
        }));
    }
    const test::Ended stop = folder.run({"stop", "2", "-w", "w"});
    EXPECT_EQ(stop.exit, 2);
    EXPECT_THAT(stop.err, HasSubstr("its launcher died"));
}

}  // namespace
}  // namespace dasgd::experiments
