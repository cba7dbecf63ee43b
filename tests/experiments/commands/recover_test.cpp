// `dasgd recover`.
#include <gmock/gmock.h>

#include "storage/read/run_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(RecoverCommand, TakesInARunWhoseProcessesWereKilled) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads", 100'000'000));
    {
        const test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "-q"});
        ASSERT_TRUE(test::newestRunTrains(folder.workspace()));
        EXPECT_THAT(folder.run({"recover", "-w", "w"}).out, HasSubstr("0 runs taken in")) << "it is under way";
    }
    // The ranks end with their launcher, a moment later. Who only reads tells it already.
    ASSERT_TRUE(test::eventually([&] {
        return folder.run({"list", "-w", "w"}).out.find("interrupted") != std::string::npos;
    }));
    const std::string run = storage::RunReader::open(folder.workspace())->list()->front().runId;
    EXPECT_THAT(folder.run({"show", run, "-w", "w"}).out, HasSubstr("interrupted"));
    EXPECT_EQ(storage::RunReader::open(folder.workspace())->list()->front().status, "running") << "as it is stored";
    ASSERT_TRUE(test::eventually([&] { return folder.run({"recover", "-w", "w"}).out.starts_with("1 run taken in"); }));
    EXPECT_EQ(storage::RunReader::open(folder.workspace())->list()->front().status, "interrupted");
    EXPECT_THAT(folder.run({"recover", "-w", "w"}).out, HasSubstr("0 runs taken in"));
}

TEST(RecoverCommand, MakesNoWorkspace) {
    const test::DasgdFolder folder;
    const test::Ended ended = folder.run({"recover", "-w", "none"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, HasSubstr("no workspace in none"));
    EXPECT_FALSE(std::filesystem::exists(folder.workspace().parent_path() / "none"));
}

}  // namespace
}  // namespace dasgd::experiments
