// `dasgd run --on` of a SLURM cluster, with stand-ins for its commands: files, submission, progress and cancelling.
#include "experiments/cluster/slurm/run_on_slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "experiments/base/errors.h"
#include "tests/support/processes.h"
#include "tests/support/standin_ssh.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RunOnSlurm : public ::testing::Test {
protected:
    RunOnSlurm() {
        folder_.write("big.toml", "kind = \"slurm\"\nworkspace = \"/local/lab\"\n[slurm]\npartition = \"long\"\n");
        folder_.write("e.toml", test::quickExperiment());
        tool("sbatch", "echo \"$*\" >>" + file("submitted") + "\necho 41");
        tool("scancel", "echo \"$*\" >" + file("cancelled"));
        state("JobState=PENDING Reason=Priority NodeList=(null)");
        tool("scontrol", "cat " + file("state") + " && cat " + file("state") + " >>" + file("told"));
    }
    void tool(const std::string& name, const std::string& does) const {
        folder_.write("bin/" + name, "#!/bin/sh\n" + does + "\n");
        std::filesystem::permissions(folder_.path() / "bin" / name, std::filesystem::perms::owner_all);
    }
    // Replaced as a whole, so that nobody reads half of it.
    void state(const std::string& text) const {
        folder_.write("state.new", text + "\n");
        std::filesystem::rename(folder_.path() / "state.new", folder_.path() / "state");
    }
    [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
    [[nodiscard]] std::string has(const std::string& name) const { return test::contentOf(folder_.path() / name); }
    [[nodiscard]] test::StartedProgram start(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> arguments{"run", "e.toml", "--on", "big"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return folder_.start(arguments, {{"PATH", file("bin") + ":" + std::getenv("PATH")}});
    }
    // Folder of the only job; waits until it was submitted.
    [[nodiscard]] JobFolder job() const {
        EXPECT_TRUE(test::eventually([&] { return !has("submitted").empty(); }));
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "dasgd-jobs"))
            return {entry.path()};
        return {};
    }
    test::DasgdFolder folder_;
};

TEST_F(RunOnSlurm, TellsHowTheJobGoesAndWhatCameOfIt) {
    test::StartedProgram run = start({"--json"});
    const JobFolder folder = job();
    EXPECT_THAT(has("submitted"), HasSubstr("--parsable " + folder.script().string()));
    struct stat facts {};
    ASSERT_EQ(::stat(folder.secret().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0600u);
    ASSERT_EQ(::stat(folder.path.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700u);
    const std::string secret = test::contentOf(folder.secret());
    EXPECT_EQ(secret.size(), 65u);
    EXPECT_THAT(test::contentOf(folder.script()), Not(HasSubstr(secret.substr(0, 64))));
    EXPECT_THAT(test::allCommandLines(), Not(HasSubstr(secret.substr(0, 64))));
    ASSERT_TRUE(test::eventually([&] { return has("told").find("PENDING") != std::string::npos; }));
    state("JobState=RUNNING Reason=None NodeList=n[1-2]");
    ASSERT_TRUE(test::eventually([&] { return has("told").find("RUNNING") != std::string::npos; }));
    test::writeText(folder.output(), "dasgd: something\n{\"run_id\":\"r1\",\"status\":\"finished\"}\n");
    state("JobState=COMPLETED Reason=None ExitCode=0:0 NodeList=n[1-2]");
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("job 41 waits (Priority)"));
    EXPECT_THAT(ended.err, HasSubstr("job 41 runs on n[1-2]"));
    EXPECT_THAT(ended.err, HasSubstr("job 41 has ended: COMPLETED"));
    const auto line = nlohmann::json::parse(ended.out);
    EXPECT_EQ(line["run_id"], "r1");
    EXPECT_EQ(line["job"], "41");
    EXPECT_EQ(line["nodes"], "n[1-2]");
}

TEST_F(RunOnSlurm, CancelsTheJobOnCtrlC) {
    test::StartedProgram run = start();
    static_cast<void>(job());
    run.signal(SIGINT);
    ASSERT_TRUE(test::eventually([&] { return has("cancelled") == "41\n"; }));
    state("JobState=CANCELLED Reason=None ExitCode=0:15 NodeList=(null)");
    EXPECT_EQ(run.wait().exit, kStopped);
}

TEST_F(RunOnSlurm, ShowsTheEndOfTheOutputOfAJobThatFailed) {
    test::StartedProgram run = start();
    test::writeText(job().output(), "dasgd: rank 1: the disk is full\n");
    state("JobState=FAILED Reason=NonZeroExitCode ExitCode=1:0 NodeList=n1");
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.err, HasSubstr("dasgd: rank 1: the disk is full"));
    EXPECT_THAT(ended.err, Not(HasSubstr("dasgd: dasgd: "))) << "it is said again by another dasgd";
    EXPECT_THAT(ended.err, HasSubstr("output.log"));
}

TEST_F(RunOnSlurm, LeavesJobsToSlurm) {
    folder_.write("e.toml", test::quickExperiment() + "[sweep]\n\"train.seed\" = [1, 2]\n");
    const test::Ended ended = start({"--detach"}).wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("scancel 41"));
    EXPECT_THAT(has("submitted"), HasSubstr("--dependency=singleton")) << "one after the other";
}

TEST_F(RunOnSlurm, ShowsTheScriptAndSubmitsNothing) {
    const test::Ended ended = start({"--dry-run"}).wait();
    EXPECT_EQ(ended.exit, kFinished);
    EXPECT_THAT(ended.out, HasSubstr("#SBATCH --partition=long\n"));
    EXPECT_EQ(has("submitted"), "");
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "dasgd-jobs"));
}

TEST_F(RunOnSlurm, SaysWhatSlurmHasAgainstIt) {
    tool("sbatch", "echo 'sbatch: error: invalid partition specified: long' >&2; exit 1");
    const test::Ended ended = start().wait();
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.err, HasSubstr("invalid partition specified: long"));
    EXPECT_EQ(start({"--set", "cluster.backend=threads"}).wait().exit, kWrongInput);
}

}  // namespace
}  // namespace dasgd::experiments
