// `dasgd run --on` of a real SLURM with two nodes on this machine. Needs root and SLURM's packages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "experiments/base/errors.h"
#include "storage/read/run_reader.h"
#include "tests/support/live_run.h"
#include "tests/support/slurm.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class OnSlurm : public ::testing::Test {
protected:
    void SetUp() override {
        if (::getuid() != 0) GTEST_SKIP() << "SLURM's daemons need root";
        nodes_.emplace();
        if (!nodes_->areThere()) GTEST_SKIP() << "no SLURM here: slurmctld, slurmd, slurm-client and munge";
        // The nodes' names are SLURM's alone.
        folder_.write("two.toml",
                      "kind = \"slurm\"\nranks_per_host = 1\ninterface = \"lo\"\nworkspace = \"" +
                          folder_.workspace().string() + "\"\ndasgd = \"" + std::string(test::kProgram) +
                          "\"\n[environment]\nMASTER_ADDR = \"127.0.0.1\"\n[slurm]\npartition = \"test\"\n");
    }
    void experiment(int steps) const {
        std::string text = test::quickExperiment("gloo", steps);
        const std::string train = "[train]\n";
        folder_.write("e.toml",
                      text.replace(text.find(train), train.size(), train + "checkpoint = { every = \"1h\" }\n"));
    }
    [[nodiscard]] test::StartedProgram start() const {
        return folder_.start({"run", "e.toml", "--on", "two"}, nodes_->environment());
    }
    [[nodiscard]] std::vector<storage::RunRow> runs() const {
        return storage::RunReader::open(folder_.workspace())->list().value();
    }
    test::DasgdFolder folder_;
    std::optional<test::TwoNodes> nodes_;
};

TEST_F(OnSlurm, AJobThatIsPreemptedGoesOnByItselfAndEndsInTheSameWeights) {
    experiment(5'000);
    test::StartedProgram run = start();
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    ASSERT_TRUE(nodes_->does("scancel --signal=TERM 1"));
    ASSERT_TRUE(test::eventually([&] { return nodes_->does("scontrol show job 1 | grep -q Restarts=1"); }));
    ASSERT_TRUE(test::newestRunComesTo(folder_.workspace(), [](const auto& row) { return row.status == "stopped"; }));
    // SLURM lets a job that was put back wait for two minutes. slurmd counts in seconds, and does not start a job
    // within that in which it was told to end it ("already killed, do not launch batch job"): the job then failed.
    ASSERT_TRUE(test::eventually([&] { return nodes_->does("scontrol show job 1 | grep -q Reason=BeginTime"); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(2'100));
    ASSERT_TRUE(test::eventually([&] {
        static_cast<void>(nodes_->does("scontrol update JobId=1 StartTime=now"));
        return !nodes_->does("scontrol show job 1 | grep -q Reason=BeginTime");
    }));
    const test::Ended ended = run.wait();
    ASSERT_EQ(ended.exit, kFinished) << ended.err << ended.out;
    EXPECT_THAT(ended.err, HasSubstr("job 1 runs on n[1-2]"));
    const auto both = runs();
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0].status, "finished");
    EXPECT_EQ(both[0].resumedFrom, both[1].runId);
    EXPECT_EQ(both[0].steps, 5'000);

    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "straight", "-q"}).exit, kFinished);
    const auto straight = storage::RunReader::open(folder_.path() / "straight")->list().value().front();
    const auto model = [](const std::filesystem::path& workspace, const std::string& run) {
        return test::contentOf(workspace / "runs" / run / "model.safetensors");
    };
    const std::string expected = model(folder_.path() / "straight", straight.runId);
    EXPECT_FALSE(expected.empty());
    EXPECT_TRUE(model(folder_.workspace(), both[0].runId) == expected) << "bit for bit";
}

TEST_F(OnSlurm, AJobIsCancelledByCtrlC) {
    experiment(100'000'000);
    test::StartedProgram run = start();
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    run.signal(SIGINT);
    EXPECT_EQ(run.wait().exit, kStopped);
    EXPECT_TRUE(nodes_->does("scontrol show job 1 | grep -q JobState=CANCELLED"));
}

TEST_F(OnSlurm, AJobThatWaitsSaysWhy) {
    ASSERT_TRUE(nodes_->does("scontrol update NodeName=n2 State=DRAIN Reason=test"));
    experiment(100);
    test::StartedProgram run = start();
    ASSERT_TRUE(test::eventually([&] { return nodes_->does("scontrol show job 1 | grep -q Reason=Resources"); }) ||
                nodes_->does("scontrol show job 1 | grep -q JobState=PENDING"));
    std::this_thread::sleep_for(std::chrono::seconds(3));
    ASSERT_TRUE(nodes_->does("scontrol update NodeName=n2 State=RESUME"));
    const test::Ended ended = run.wait();
    EXPECT_EQ(ended.exit, kFinished) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("job 1 waits ("));
    const test::Ended doctor = folder_.run({"doctor", "--on", "two"}, nodes_->environment());
    EXPECT_EQ(doctor.exit, kFinished) << doctor.out;
    EXPECT_THAT(doctor.out, HasSubstr("test* up, 2 nodes"));
    EXPECT_THAT(doctor.out, HasSubstr("a node"));
}

}  // namespace
}  // namespace dasgd::experiments
