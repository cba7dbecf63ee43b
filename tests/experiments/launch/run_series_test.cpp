// How several runs end as one command.
#include "experiments/launch/run_series.h"

#include <gtest/gtest.h>

#include "experiments/commands/command.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

TEST(RunSeries, TitlesSayWhichOfHowMany) {
    CheckedExperiment experiment{.algorithm = "dasgd", .seed = 3};
    EXPECT_EQ(titleOf(experiment), "dasgd, seed 3");
    experiment.label = "algorithm.delay=2";
    EXPECT_EQ(titleOf(experiment), "algorithm.delay=2");
    EXPECT_EQ(counted(0, 1, "x"), "x");
    EXPECT_EQ(counted(1, 4, "x"), "2/4 x");
}

// The second of three diverges at once; the third is run all the same, and the exit says that one failed.
TEST(RunSeries, OneThatFailsDoesNotEndTheOthers) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    const test::Ended ended =
        folder.run({"run", "e.toml", "-w", "w", "-q", "--json", "--sweep", "optimizer.learning_rate=0.1,1e6,0.2"});
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 3);
    EXPECT_NE(ended.out.find("\"status\":\"failed\""), std::string::npos) << ended.out;
    auto reader = storage::RunReader::open(folder.workspace());
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->runs()->size(), 3U);
    EXPECT_EQ(reader->runs()->front().status, "finished");
}

}  // namespace
}  // namespace dasgd::experiments
