// `dasgd worker`: its command line; the work is in worker_by_hand_test and worker_child_test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(WorkerCommand, ExplainsItsContractAndHidesTheLaunchersOptions) {
    const test::DasgdFolder folder;
    const test::Ended ended = folder.run({"worker", "--help"});
    EXPECT_EQ(ended.exit, 0);
    for (const char* part : {"RANK WORLD_SIZE", "SLURM_*", "DASGD_INTERFACE"}) EXPECT_THAT(ended.out, HasSubstr(part));
    EXPECT_THAT(ended.out, Not(HasSubstr("--launcher")));
}

TEST(WorkerCommand, RefusesAnInterfaceThatIsNotThere) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment());
    const test::Ended ended =
        folder.run({"worker", "e.toml", "-w", "w"},
                   {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"DASGD_INTERFACE", "nosuch0"}});
    EXPECT_NE(ended.exit, 0);
    EXPECT_THAT(ended.err, HasSubstr("nosuch0"));
}

}  // namespace
}  // namespace dasgd::experiments
