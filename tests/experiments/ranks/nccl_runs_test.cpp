// Whole runs on GPUs without one: a `dasgd` that has the backend `nccl_stand_in` beside its own (stand-ins for NCCL and
// GPUs, tests/support/nccl), with real worker processes. Then what the real `nccl` refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "core/base/control.h"
#include "storage/read/workspace_reader.h"
#include "storage/write/recorder.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/hand_ranks.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;

// A run on the digits that are built in.
std::string digits(const std::string& backend, int workers, int steps, const std::string& cluster = "") {
    return "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n[model]\nname = \"logistic\"\n[data]\nname = "
           "\"mnist\"\n[train]\nsteps = " +
           std::to_string(steps) +
           "\nbatch_size = 8\neval_every = 20\n[optimizer]\nlearning_rate = 0.05\nmomentum = 0.0\n[cluster]\nbackend = "
           "\"" +
           backend + "\"\nworkers = " + std::to_string(workers) + "\n" + cluster;
}

class NcclRuns : public ::testing::Test {
protected:
    [[nodiscard]] test::StartedProgram start(const std::vector<std::string>& arguments,
                                             const test::Environment& environment = {}) const {
        return {folder_.path(), arguments, environment, test::kStandInProgram};
    }
    [[nodiscard]] test::Ended run(const std::vector<std::string>& arguments) const { return start(arguments).wait(); }
    // Values of a metric of the run in that workspace, of one rank or of all, in order of arrival.
    std::vector<double> valuesOf(const std::string& workspace, const std::string& metric,
                                 std::optional<int> rank = std::nullopt) {
        auto reader = storage::WorkspaceReader::open(folder_.path() / workspace).value();
        const std::string id = reader.runs().list()->front().runId;
        std::vector<double> values;
        const auto found = reader.metrics().samples({.runId = id, .name = metric, .rank = rank}).value();
        for (const storage::MetricSample& sample : found.samples) values.push_back(sample.value);
        return values;
    }
    [[nodiscard]] std::size_t runsIn(const std::string& workspace) const {
        return storage::RunReader::open(folder_.path() / workspace)->list()->size();
    }
    // Steps that rank 0 of the run in that workspace has completed.
    [[nodiscard]] std::int64_t stepsIn(const std::string& workspace) const {
        const storage::WorkspacePaths paths{folder_.path() / workspace};
        std::error_code code;
        for (const auto& entry : std::filesystem::directory_iterator(paths.root / "runs", code)) {
            const auto control = RunControl::open(paths.control(entry.path().filename().string()));
            if (control) return control->completed(Rank{0});
        }
        return 0;
    }
    [[nodiscard]] storage::RunRow only(const std::string& workspace) const {
        return storage::RunReader::open(folder_.path() / workspace)->list()->front();
    }

    test::DasgdFolder folder_;
};

class NcclRunsOnStandIns : public NcclRuns, public ::testing::WithParamInterface<int> {};

TEST_P(NcclRunsOnStandIns, ProcessesTrainAsThoseOfGlooDo) {
    const int workers = GetParam();
    folder_.write("e.toml", digits("nccl_stand_in", workers, 60));
    const test::Ended ended = run({"run", "e.toml", "-w", "w", "-q", "--json"});
    ASSERT_EQ(ended.exit, 0) << ended.err;
    const auto line = nlohmann::json::parse(ended.out);
    EXPECT_EQ(line["backend"], "nccl_stand_in") << "named as what it is";
    EXPECT_EQ(line["samples"], 60 * 8 * workers);
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "gloo", "-q", "--set", "cluster.backend=gloo"}).exit, 0);
    const auto losses = valuesOf("w", "eval/loss"), expected = valuesOf("gloo", "eval/loss");
    ASSERT_EQ(losses.size(), 4U);
    ASSERT_EQ(expected.size(), 4U);
    // Sums of floats in another order.
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(losses[i], expected[i], 1e-4) << "evaluation " << i;
    EXPECT_LT(losses.back(), 0.7 * losses.front());
    const auto bounds = valuesOf("w", "clock/device_error_s");
    EXPECT_GE(bounds.size(), static_cast<std::size_t>(workers));
    EXPECT_THAT(bounds, Each(::testing::Gt(0)));
    EXPECT_EQ(only("w").bytesSent > 0, workers > 1);
}

INSTANTIATE_TEST_SUITE_P(Ranks, NcclRunsOnStandIns, ::testing::Values(1, 2, 4));

TEST_F(NcclRuns, ARankThatIsKilledEndsTheRunAndIsNamed) {
    folder_.write("e.toml", digits("nccl_stand_in", 4, 1'000'000));
    test::StartedProgram launcher = start({"run", "e.toml", "-w", "w", "-q"});
    const auto workers = [&] { return test::childrenOf(launcher.id()); };
    ASSERT_TRUE(test::eventually([&] { return workers().size() == 4 && folder_.hasRuns(); }));
    ASSERT_TRUE(test::eventually([&] { return stepsIn("w") > 0; })) << "it trains";
    ::kill(workers().front(), SIGKILL);
    const auto killed = std::chrono::steady_clock::now();
    const test::Ended ended = launcher.wait();
    EXPECT_EQ(ended.exit, 1);
    EXPECT_LT(std::chrono::steady_clock::now() - killed, std::chrono::seconds(15));
    EXPECT_THAT(only("w").error, ContainsRegex("rank [0-3] ended by signal 9"));
}

TEST_F(NcclRuns, ASignalStopsAllRanksAtOneStep) {
    folder_.write("e.toml", digits("nccl_stand_in", 4, 1'000'000));
    test::StartedProgram launcher = start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::eventually([&] { return stepsIn("w") > 20; }));
    launcher.signal(SIGINT);
    EXPECT_EQ(launcher.wait().exit, 130);
    const storage::RunRow row = only("w");
    EXPECT_EQ(row.status, "stopped");
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(static_cast<std::int64_t>(valuesOf("w", "train/loss", rank).size()), row.steps) << rank;
    }
}

// Nobody ends the other ranks where they were started by hand.
TEST_F(NcclRuns, RanksByHandThatLoseOneEndSoonWithRankOperationAndNumber) {
    folder_.write("e.toml", digits("nccl_stand_in", 2, 1'000'000, "timeout_s = 10\n"));
    const std::string port = std::to_string(test::freePort());
    std::vector<test::StartedProgram> ranks;
    for (int rank = 0; rank < 2; ++rank) {
        const test::Environment local{{"LOCAL_RANK", std::to_string(rank)}};
        ranks.push_back(start({"worker", "e.toml", "-w", "hand"},
                              test::handEnvironment(static_cast<std::size_t>(rank), 2, port, local)));
    }
    ASSERT_TRUE(test::eventually([&] { return stepsIn("hand") > 0; }));
    ranks[1].signal(SIGKILL);
    const auto killed = std::chrono::steady_clock::now();
    EXPECT_EQ(ranks[1].wait().exit, -SIGKILL);
    const test::Ended ended = ranks[0].wait();
    EXPECT_LT(std::chrono::steady_clock::now() - killed, std::chrono::seconds(15)) << "the timeout and 5 s";
    EXPECT_EQ(ended.exit, 1);
    EXPECT_THAT(ended.err, ContainsRegex("rank 0: all_reduce #[0-9]+ .*failed"));
}

// ------------------------------------------------------------------------------------- refused before a rank starts

TEST_F(NcclRuns, MoreRanksThanGpusAreRefusedBeforeOneStarts) {
    folder_.write("e.toml", digits("nccl_stand_in", 8, 60));
    for (const char* command : {"run", "calibrate"}) {
        const test::Ended ended = run({command, "e.toml", "-w", "w", "-q"});
        EXPECT_EQ(ended.exit, 2) << command;
        EXPECT_THAT(ended.err, AllOf(HasSubstr("8 ranks need 8 GPUs"), HasSubstr("ranks_per_gpu = 2"))) << command;
    }
    // The whole sweep, before its first run.
    EXPECT_EQ(run({"run", "e.toml", "-w", "w", "-q", "--sweep", "cluster.workers=2,8"}).exit, 2);
    EXPECT_EQ(runsIn("w"), 0U);
    EXPECT_EQ(run({"check-machine", "[cluster]\nbackend = \"nccl_stand_in\"\nworkers = 8\nranks_per_gpu = 2\n"}).exit,
              0);
}

// This machine has fewer than 64 GPUs.
TEST_F(NcclRuns, TheRealBackendSaysWhatThisMachineLacks) {
    folder_.write("e.toml", digits("nccl", 64, 60));
    const test::Ended ended = folder_.run({"run", "e.toml", "-w", "w", "-q"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, ::testing::AnyOf(HasSubstr("64 ranks need"), HasSubstr("driver"), HasSubstr("install")));
    EXPECT_EQ(runsIn("w"), 0U);
    EXPECT_EQ(folder_.run({"run", "e.toml", "-w", "w", "--dry-run"}).exit, 0) << "a plan needs no GPU";
    folder_.write("e.toml", digits("nccl_stand_in", 2, 60));
    EXPECT_THAT(folder_.run({"run", "e.toml", "-w", "w", "-q"}).err, HasSubstr("nccl_stand_in"))
        << "the program that users have knows no stand-ins";
}

TEST_F(NcclRuns, AnEmulatedLinkIsRefusedWithItsPlace) {
    folder_.write("e.toml", digits("nccl_stand_in", 2, 60, "link = { bandwidth = \"1Gbps\" }\n"));
    const test::Ended ended = run({"run", "e.toml", "-w", "w", "-q"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("e.toml:"), HasSubstr("link makes the host wait")));
}

// ------------------------------------------------------------------------------------- calibrate and advise

TEST_F(NcclRuns, IsCalibratedAndAdvisedAbout) {
    folder_.write("e.toml", digits("nccl_stand_in", 2, 60, "ranks_per_gpu = 2\n"));
    const test::Ended calibrated = run({"calibrate", "e.toml", "-w", "w", "-q", "-o", "calibration.toml"});
    ASSERT_EQ(calibrated.exit, 0) << calibrated.err;
    EXPECT_EQ(only("w").backend, "nccl_stand_in");
    // The fields of the backend that the cluster had are not those of a virtual one.
    const test::Ended predicted = run({"run", "e.toml", "-w", "virtual", "-q", "--calibration", "calibration.toml"});
    EXPECT_EQ(predicted.exit, 0) << predicted.err;
    EXPECT_EQ(only("virtual").backend, "virtual");
    const test::Ended advised = run({"advise", "e.toml", "-w", "advice", "-q"});
    EXPECT_EQ(advised.exit, 0) << advised.err;
    EXPECT_THAT(advised.out, HasSubstr("dasgd"));
}

}  // namespace
}  // namespace dasgd::experiments
