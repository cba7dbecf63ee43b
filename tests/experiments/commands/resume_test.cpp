// `dasgd resume`, and what `stop`, `run --restarts` and a kill leave for it: real processes.
#include <gmock/gmock.h>
#include <signal.h>
#include <string.h>

#include "core/base/metric_names.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "storage/read/workspace_reader.h"
#include "tests/experiments/commands/finished_run.h"
#include "tests/support/live_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

// About two seconds of steps, so that a run can be stopped in the middle.
int stepsOn(const std::string& backend) { return backend == "gloo" ? 6'000 : backend == "threads" ? 15'000 : 10'000; }

std::string experiment(const std::string& backend, const std::string& train = "") {
    std::string text = test::quickExperiment(backend, stepsOn(backend));
    const auto at = text.find("eval_every");
    return text.replace(at, std::string("eval_every = 10").size(), "eval_every = 5000\n" + train);
}

class ResumeCommand : public ::testing::Test {
protected:
    [[nodiscard]] std::vector<storage::RunRow> rows() const {
        auto reader = storage::RunReader::open(folder_.workspace());
        return reader ? reader->list().value() : std::vector<storage::RunRow>();
    }
    [[nodiscard]] std::string modelOf(const storage::RunRow& row) const {
        return test::contentOf(folder_.workspace() / "runs" / row.runId / "model.safetensors");
    }
    // Model of a run with the same experiment that was never stopped.
    [[nodiscard]] std::string wholeModel() {
        const test::Ended ended = folder_.run({"run", "e.toml", "-w", "whole", "-q", "--json"});
        EXPECT_EQ(ended.exit, 0) << ended.err;
        auto reader = storage::RunReader::open(folder_.path() / "whole");
        const auto row = reader->list()->front();
        return test::contentOf(folder_.path() / "whole" / "runs" / row.runId / "model.safetensors");
    }
    test::DasgdFolder folder_;
};

class AfterAStop : public ::testing::TestWithParam<std::string> {};

TEST_P(AfterAStop, GoesOnAndEndsWithTheSameBits) {
    const std::string& backend = GetParam();
    const test::DasgdFolder folder;
    folder.write("e.toml", experiment(backend));
    test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::newestRunTrains(folder.workspace()));
    ASSERT_EQ(test::atRest(program, [&] { return folder.run({"stop", "2", "-w", "w"}).exit; }), 0);
    EXPECT_EQ(program.wait().exit, 130);
    const test::Ended resumed = folder.run({"resume", "2", "-w", "w", "-q", "--json"});
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    const test::Ended whole = folder.run({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_EQ(whole.exit, 0) << whole.err;
    auto reader = storage::WorkspaceReader::open(folder.workspace());
    const auto rows = reader->runs().list().value();  // newest first
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1].status, "finished");
    EXPECT_EQ(rows[1].resumedFrom, rows[2].runId);
    EXPECT_EQ(rows[1].resumedStep, rows[2].steps);
    EXPECT_EQ(rows[1].steps, stepsOn(backend));
    EXPECT_EQ(rows[1].samples, rows[0].samples);
    EXPECT_EQ(rows[1].bytesSent, rows[0].bytesSent);
    EXPECT_EQ(rows[1].finalLoss, rows[0].finalLoss);
    EXPECT_THAT(resumed.out, HasSubstr("\"resumed_from\":\"" + rows[2].runId));
    const auto model = [&](const storage::RunRow& row) {
        return test::contentOf(folder.workspace() / "runs" / row.runId / "model.safetensors");
    };
    EXPECT_EQ(model(rows[1]), model(rows[0]));
    const std::string list = folder.run({"list", "-w", "w"}).out;
    EXPECT_THAT(list, ::testing::Not(HasSubstr(rows[2].runId))) << "one training is one line";
    EXPECT_THAT(list, HasSubstr("and 1 earlier part, which a run above went on from"));
    EXPECT_THAT(folder.run({"list", "-w", "w", "--all"}).out, HasSubstr(rows[2].runId));
    EXPECT_FALSE(model(rows[0]).empty());
    // Curves are those of one training: every loss once, time going on.
    const auto losses =
        reader->metrics().samples({.runId = rows[1].runId, .name = metrics::kTrainLoss, .rank = 0}).value().samples;
    ASSERT_EQ(losses.size(), static_cast<std::size_t>(stepsOn(backend)));
    for (std::size_t i = 1; i < losses.size(); ++i) {
        ASSERT_EQ(losses[i].step, losses[i - 1].step + 1);
        ASSERT_GE(losses[i].wallS, losses[i - 1].wallS);
    }
}
INSTANTIATE_TEST_SUITE_P(Backends, AfterAStop, ::testing::Values("gloo", "threads", "virtual"),
                         [](const auto& info) { return info.param; });

// SIGTERM, SIGUSR1 or SIGUSR2 is how a batch system takes the machine away, sent to ranks as well; a person stops with
// `dasgd stop` or Ctrl-C.
TEST_F(ResumeCommand, APreemptedRunIsRecordedAsOneAndGoesOn) {
    folder_.write("e.toml", experiment("gloo"));
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) {
        const std::size_t before = rows().size();
        test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q"});
        ASSERT_TRUE(test::eventually([&] { return rows().size() == before + 1 && rows()[0].steps > 5; }));
        if (signal != SIGINT) {
            for (const pid_t rank : test::childrenOf(program.id())) ::kill(rank, signal);
        }
        ::kill(program.id(), signal);
        EXPECT_EQ(program.wait().exit, 130);
        EXPECT_EQ(rows()[0].status, "stopped");
        const std::string name = std::string("SIG") + ::sigabbrev_np(signal);
        EXPECT_EQ(rows()[0].error, signal == SIGINT ? "" : "ended by " + name + ", as what is preempted");
    }
    const test::Ended resumed = folder_.run({"run", "e.toml", "-w", "w", "-q", "--resume"});
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    EXPECT_EQ(rows()[0].resumedFrom, rows()[1].runId);
    EXPECT_EQ(rows()[0].error, "");
}

// The launcher and its ranks are killed: the run goes on from the newest checkpoint.
TEST_F(ResumeCommand, GoesOnAfterAKill) {
    folder_.write("e.toml", experiment("gloo", "checkpoint = { every = \"500 steps\" }\n"));
    {
        const test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q"});
        ASSERT_TRUE(test::eventually([&] {
            const auto all = rows();
            return !all.empty() &&
                   !CheckpointFolder(folder_.workspace() / "runs" / all[0].runId / "checkpoints").steps().empty();
        }));
    }  // killed
    const std::string killed = rows()[0].runId;
    ASSERT_EQ(folder_.run({"recover", "-w", "w"}).exit, 0);
    const test::Ended resumed = folder_.run({"resume", killed, "-w", "w", "-q"});
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    EXPECT_EQ(rows()[0].resumedFrom, killed);
    EXPECT_EQ(rows()[0].resumedStep % 500, 0);
    EXPECT_EQ(modelOf(rows()[0]), wholeModel());
}

// A rank is killed in mid-run: the command itself starts all ranks again.
TEST_F(ResumeCommand, RestartsGoOnByThemselves) {
    folder_.write("e.toml", experiment("gloo", "checkpoint = { every = \"500 steps\" }\n"));
    test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q", "--json", "--restarts", "2"});
    ASSERT_TRUE(test::eventually([&] {
        const auto all = rows();
        return !all.empty() &&
               !CheckpointFolder(folder_.workspace() / "runs" / all[0].runId / "checkpoints").steps().empty();
    }));
    const std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_EQ(ranks.size(), 2U);
    ::kill(ranks[1], SIGKILL);
    const test::Ended ended = program.wait();
    EXPECT_EQ(ended.exit, 0) << ended.err;
    const auto all = rows();
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[1].status, "failed");
    EXPECT_EQ(all[0].status, "finished");
    EXPECT_EQ(all[0].resumedFrom, all[1].runId);
    EXPECT_THAT(ended.err, HasSubstr("restart 1 of 2"));
    EXPECT_EQ(modelOf(all[0]), wholeModel());
}

// A data set and no workers' own targets, so that their number can change.
std::string anyWorkers(int steps) {
    return "name = \"elastic\"\n[algorithm]\nname = \"dasgd\"\n[model]\nname = \"logistic\"\n[data]\nname = "
           "\"synthetic\"\nshape = [8]\ntrain_samples = 602\ntest_samples = 20\n[train]\nbatch_size = 4\neval_every = "
           "100000\nsteps = " +
           std::to_string(steps) + "\n[cluster]\nbackend = \"gloo\"\nworkers = 2\n";
}

TEST_F(ResumeCommand, GoesOnWithAnotherNumberOfWorkers) {
    folder_.write("e.toml", anyWorkers(12'000));
    test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    ASSERT_EQ(test::atRest(program, [&] { return folder_.run({"stop", "2", "-w", "w"}).exit; }), 0);
    EXPECT_EQ(program.wait().exit, 130);
    const storage::RunRow stopped = rows().at(0);
    const test::Ended resumed = folder_.run({"resume", "2", "-w", "w", "--workers", "3"});
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("which 2 workers made, with 3"));
    // 76 steps of an epoch become 51, the last of each short.
    EXPECT_THAT(resumed.err, HasSubstr("8053 steps in all"));
    const storage::RunRow row = rows().at(0);
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.workers, 3);
    EXPECT_EQ(row.resumedFrom, stopped.runId);
    EXPECT_EQ(row.resumedStep, stopped.steps);
    EXPECT_EQ(row.steps, 8'053);
    EXPECT_THAT(row.config, HasSubstr("[cluster.before]"));
    auto reader = storage::MetricReader::open(folder_.workspace());
    const auto losses = reader->samples({.runId = row.runId, .name = metrics::kTrainLoss, .rank = 0}).value().samples;
    const auto before =
        reader->samples({.runId = stopped.runId, .name = metrics::kTrainLoss, .rank = 0}).value().samples;
    ASSERT_FALSE(losses.empty() || before.empty());
    EXPECT_NEAR(losses.front().epoch, before.back().epoch, 0.03) << "the same place in the data";
    EXPECT_GT(losses.front().wallS, before.back().wallS);
    EXPECT_EQ(static_cast<std::int64_t>(losses.size()), 8'053 - losses.front().step + 1) << "its own steps, each once";
}

TEST_F(ResumeCommand, SaysWhichAlgorithmGoesOnWithAsManyWorkersOnly) {
    // Workers that never wait for one another make thousands of steps before `stop` has started.
    folder_.write("e.toml", anyWorkers(60'000'000));
    test::StartedProgram program =
        folder_.start({"run", "e.toml", "-w", "w", "-q", "--set", "algorithm.name=independent"});
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    ASSERT_EQ(folder_.run({"stop", "2", "-w", "w"}).exit, 0);
    static_cast<void>(program.wait());
    const test::Ended refused = folder_.run({"resume", "2", "-w", "w", "--workers", "3"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr("a run of independent goes on with as many workers as it had, 2"));
    EXPECT_EQ(rows().size(), 1U) << "no run was made";
}

// Without a checkpoint a restart begins again; a run that fails each time ends after its restarts.
TEST_F(ResumeCommand, RestartsEnd) {
    folder_.write("e.toml", test::quickExperiment("threads"));
    const test::Ended ended =
        folder_.run({"run", "e.toml", "-w", "w", "-q", "--restarts", "2", "--set", "optimizer.learning_rate=1e6"});
    EXPECT_EQ(ended.exit, 1);
    EXPECT_THAT(ended.err, HasSubstr("goes on from its beginning"));
    ASSERT_EQ(rows().size(), 3U);
    for (const storage::RunRow& row : rows()) EXPECT_EQ(row.status, "failed");
}

TEST_F(ResumeCommand, SaysWhatCannotGoOn) {
    folder_.write("e.toml", test::quickExperiment("threads"));
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const auto refused = [&](const std::vector<std::string>& arguments) {
        const test::Ended ended = folder_.run(arguments);
        EXPECT_EQ(ended.exit, 2);
        return ended.err;
    };
    EXPECT_THAT(refused({"resume", "2", "-w", "w"}), HasSubstr("has finished, at step 30"));
    EXPECT_THAT(refused({"resume", "nosuch", "-w", "w"}), HasSubstr("nosuch"));
    EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q", "--set", "optimizer.learning_rate=1e6"}).exit, 1);
    const std::string failed = rows()[0].runId;
    EXPECT_THAT(refused({"resume", failed, "-w", "w"}), HasSubstr("A run leaves one when it is stopped"));
    EXPECT_EQ(rows().size(), 2U) << "no run was made";
}

TEST_F(ResumeCommand, ARunThatWasEditedOrDamagedIsRefused) {
    folder_.write("e.toml", experiment("threads"));
    test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    test::atRest(program, [&] {
        const test::Ended running = folder_.run({"resume", "2", "-w", "w"});
        EXPECT_EQ(running.exit, 2);
        EXPECT_THAT(running.err, HasSubstr("stop it first"));
        EXPECT_EQ(folder_.run({"stop", "2", "-w", "w"}).exit, 0);
    });
    static_cast<void>(program.wait());
    const auto checkpoints = folder_.workspace() / "runs" / rows()[0].runId / "checkpoints";
    const std::int64_t step = CheckpointFolder(checkpoints).steps().at(0);
    EXPECT_THAT(folder_.run({"resume", "2", "-w", "w", "--step", "1"}).err,
                HasSubstr("there are those of " + std::to_string(step)));
    const auto folder = checkpoints / ("step-" + std::to_string(step));
    std::filesystem::resize_file(folder / "rank-0001.safetensors", 100);
    EXPECT_THAT(folder_.run({"resume", "2", "-w", "w"}).err, HasSubstr("has 100 bytes"));
    std::string text = test::contentOf(folder / "state.json");
    text.replace(text.find("config_sha256\": \"") + 17, 4, "0000");
    std::ofstream(folder / "state.json") << text;
    EXPECT_THAT(folder_.run({"resume", "2", "-w", "w"}).err, HasSubstr("state.json: is damaged"));
}

}  // namespace
}  // namespace dasgd::experiments
