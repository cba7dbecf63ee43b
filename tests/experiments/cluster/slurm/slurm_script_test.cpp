// Batch scripts: what SLURM reads in them, and that a shell takes every word as it was meant.
#include "experiments/cluster/slurm/slurm_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/base/process.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ClusterProfile slurm() {
    ClusterProfile profile;
    profile.kind = ClusterProfile::kSlurm;
    profile.name = "big";
    profile.ranksPerHost = 4;
    profile.threads = 2;
    profile.gpus = 1;
    profile.interface = "ib0";
    profile.workspace = "/local/my lab";
    profile.slurm = {{"partition", "long"}, {"exclusive", ""}, {"comment", "it's; $HOME"}};
    return profile;
}

TEST(SlurmScript, AsksForWhatTheRanksNeed) {
    const std::string text = slurmScript(slurm(), {.name = "a b", .ranks = 6, .timeoutS = 60}, {"/shared/job"});
    for (const char* const line :
         {"#!/bin/sh\n#SBATCH --job-name=dasgd-a_b\n", "\n#SBATCH --output=/shared/job/output.log\n",
          "\n#SBATCH --open-mode=append\n", "\n#SBATCH --requeue\n", "\n#SBATCH --ntasks=6\n", "\n#SBATCH --nodes=2\n",
          "\n#SBATCH --ntasks-per-node=4\n", "\n#SBATCH --cpus-per-task=2\n", "\n#SBATCH --gpus-per-node=1\n",
          "\n#SBATCH --signal=TERM@90\n", "\n#SBATCH --partition=long\n", "\n#SBATCH --exclusive\n",
          "\n#SBATCH --comment='it'\\''s; $HOME'\n", "\nexport DASGD_INTERFACE=ib0\n",
          "worker /shared/job/experiment.toml --workspace '/local/my lab' --json $resume\n"}) {
        EXPECT_THAT(text, HasSubstr(line));
    }
}

TEST(SlurmScript, LetsTheProfileDecide) {
    ClusterProfile profile = slurm();
    profile.ranksPerHost = 0;
    profile.slurm = {{"signal", "TERM@300"}, {"cpus-per-task", "8"}};
    const std::string text = slurmScript(profile, {.name = "e", .ranks = 6}, {"/j"});
    EXPECT_THAT(text, Not(HasSubstr("--nodes")));
    EXPECT_THAT(text, HasSubstr("#SBATCH --signal=TERM@300\n"));
    EXPECT_THAT(text, Not(HasSubstr("TERM@90")));
    EXPECT_THAT(text, Not(HasSubstr("--cpus-per-task=2")));
}

// Scripts run with stand-ins for SLURM's commands that write down what they were called with.
class SlurmScriptRuns : public ::testing::Test {
protected:
    SlurmScriptRuns() : job_{folder_ / "job"} {
        test::writeText(job_.secret(), "c0ffee\n");
        tool("scontrol", "echo \"$@\" >>" + (folder_ / "requeued").string());
        tool("sleep", "exit 0");
    }
    void tool(const std::string& name, const std::string& does) const {
        test::writeText(folder_ / "bin" / name, "#!/bin/sh\n" + does + "\n");
        std::filesystem::permissions(folder_ / "bin" / name, std::filesystem::perms::owner_all);
    }
    int run(const std::string& srun, bool resume, const std::string& restarts) const {
        tool("srun", "echo \"$DASGD_SECRET $WORD|$*\" >" + (folder_ / "called").string() + "\n" + srun);
        ClusterProfile profile = slurm();
        profile.environment = {{"WORD", "two 'words'"}};
        test::writeText(job_.script(), slurmScript(profile, {.name = "e", .ranks = 2, .resume = resume}, job_));
        auto child = ChildProcess::start({.program = "sh",
                                          .arguments = {job_.script().string()},
                                          .log = folder_ / "log",
                                          .environment = {"PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin",
                                                          "SLURM_JOB_ID=17", "SLURM_RESTART_COUNT=" + restarts}});
        const auto exit = child->awaitEnd(20'000'000'000);
        return exit ? exit->code : -1;
    }
    [[nodiscard]] std::string called() const { return test::contentOf(folder_ / "called"); }
    [[nodiscard]] std::string requeued() const { return test::contentOf(folder_ / "requeued"); }
    test::TempDir folder_;
    JobFolder job_;
};

TEST_F(SlurmScriptRuns, HandsTheSecretOverByTheEnvironment) {
    EXPECT_EQ(run("exit 3", false, "0"), 3);
    EXPECT_THAT(called(), HasSubstr("c0ffee two 'words'|"));
    EXPECT_THAT(called(), HasSubstr("--workspace /local/my lab --json\n"));
    EXPECT_THAT(test::contentOf(job_.script()), Not(HasSubstr("c0ffee")));
    EXPECT_EQ(requeued(), "");
}

TEST_F(SlurmScriptRuns, GoesOnFromTheCheckpointWhenItIsStartedAgain) {
    EXPECT_EQ(run("exit 0", false, "1"), 0);
    EXPECT_THAT(called(), HasSubstr("--json --resume\n"));
    EXPECT_EQ(run("exit 0", true, "0"), 0);
    EXPECT_THAT(called(), HasSubstr("--json --resume\n"));
}

TEST_F(SlurmScriptRuns, GoesBackIntoTheQueueAfterASignalAndNotAfterAStop) {
    EXPECT_EQ(run("exit 130", false, "0"), 130);
    EXPECT_EQ(requeued(), "") << "`dasgd stop` is meant";
    EXPECT_EQ(run("touch \"$DASGD_SIGNALLED\"; exit 130", false, "0"), 130);
    EXPECT_EQ(requeued(), "requeue 17\n");
    EXPECT_EQ(run("touch \"$DASGD_SIGNALLED\"; exit 0", false, "0"), 0);
    EXPECT_EQ(requeued(), "requeue 17\n") << "it had finished before";
}

}  // namespace
}  // namespace dasgd::experiments
