// State of a job as SLURM's commands print it, and errors where they print something else.
#include "experiments/cluster/slurm/slurm_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kShown =
    "JobId=7 JobName=dasgd-e UserId=ada(1000) Priority=1 Requeue=1 Restarts=2 BatchFlag=1 ExitCode=130:0 "
    "RunTime=00:00:03 JobState=PENDING Reason=BeginTime Dependency=(null) NodeList=(null) NumNodes=2\n";

TEST(SlurmJob, IsReadFromTheController) {
    const auto waiting = parseScontrol(kShown);
    ASSERT_TRUE(waiting);
    EXPECT_EQ(waiting->inWords(), "waits (BeginTime)");
    EXPECT_EQ(waiting->restarts, 2);
    EXPECT_FALSE(waiting->isOver());
    const auto running = parseScontrol("JobId=7 JobState=RUNNING Reason=None ReqNodeList=(null) NodeList=n[1-2]");
    ASSERT_TRUE(running);
    EXPECT_EQ(running->inWords(), "runs on n[1-2]");
    const auto over = parseScontrol("JobState=FAILED Reason=NonZeroExitCode ExitCode=1:0 NodeList=n1");
    ASSERT_TRUE(over);
    EXPECT_TRUE(over->isOver());
    EXPECT_EQ(over->inWords(), "has ended: FAILED, exit status 1, on n1");
    EXPECT_EQ(parseScontrol("JobState=COMPLETING")->inWords(), "is COMPLETING");
    EXPECT_FALSE(parseScontrol("slurm_load_jobs error: Invalid job id specified"));
    EXPECT_FALSE(parseScontrol(""));
}

TEST(SlurmJob, IsReadFromTheAccounting) {
    const auto cancelled = parseSacct("CANCELLED by 1000|0:15|n[1-2]|None\n");
    ASSERT_TRUE(cancelled);
    EXPECT_EQ(cancelled->state, "CANCELLED");
    EXPECT_EQ(cancelled->signal, 15);
    EXPECT_EQ(parseSacct("PENDING|0:0|None assigned|Priority\n")->inWords(), "waits (Priority)");
    EXPECT_FALSE(parseSacct(""));
    EXPECT_FALSE(parseSacct("\n"));
}

class SlurmTools : public ::testing::Test {
protected:
    SlurmTools() : path_(std::getenv("PATH")) { ::setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1); }
    ~SlurmTools() override { ::setenv("PATH", path_.c_str(), 1); }
    void tool(const std::string& name, const std::string& does) const {
        test::writeText(folder_ / name, "#!/bin/sh\n" + does + "\n");
        std::filesystem::permissions(folder_ / name, std::filesystem::perms::owner_all);
    }
    test::TempDir folder_;
    const std::string path_;
};

TEST_F(SlurmTools, SubmitAndRefuse) {
    tool("sbatch", "echo \"$*\" >&2; echo '42;cluster'");
    EXPECT_EQ(submitJob("job.sh", false).value(), "42");
    tool("sbatch", "echo 'sbatch: error: invalid partition specified: nope' >&2; exit 1");
    const auto refused = submitJob("job.sh", true);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "sbatch: sbatch: error: invalid partition specified: nope");
    tool("sbatch", "echo 'Submitted batch job 42'");
    EXPECT_THAT(submitJob("job.sh", false).error().message, HasSubstr("no number of a job"));
}

TEST_F(SlurmTools, AskTheAccountingWhereTheControllerHasForgotten) {
    tool("scontrol", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
    tool("sacct", "echo 'COMPLETED|0:0|n1|None'");
    EXPECT_EQ(slurmJobState("7")->inWords(), "has ended: COMPLETED, exit status 0, on n1");
    tool("sacct", "exit 1");
    const auto lost = slurmJobState("7");
    ASSERT_FALSE(lost);
    EXPECT_THAT(lost.error().message, StartsWith("SLURM does not tell of job 7: scontrol: "));
}

TEST_F(SlurmTools, ThatAreNotThereAreNamed) {
    ::setenv("PATH", folder_.path().c_str(), 1);
    EXPECT_THAT(submitJob("job.sh", false).error().message, HasSubstr("SLURM's commands have to be installed"));
}

}  // namespace
}  // namespace dasgd::experiments
