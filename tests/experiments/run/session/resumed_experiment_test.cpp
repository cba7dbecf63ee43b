// A real run that ended early: if it can be resumed, with which settings, and from where.
#include "experiments/run/session/resumed_experiment.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "core/base/schema/toml_reader.h"
#include "experiments/base/errors.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class ResumedExperimentTest : public ::testing::Test {
protected:
    void SetUp() override {
        folder_.write("e.toml", test::quickExperiment("threads", 100'000'000));
        test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q"});
        ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
        program.signal(SIGTERM);
        ASSERT_EQ(program.wait().exit, kStopped);
        run_ = reader().list()->front();
    }
    [[nodiscard]] storage::RunReader reader() const { return storage::RunReader::open(folder_.workspace()).value(); }
    [[nodiscard]] Value document(const std::string& change = "", const std::string& to = "") const {
        std::string text = run_.config;
        if (!change.empty()) text.replace(text.find(change), change.size(), to);
        return parseToml(text, "e.toml").value();
    }
    [[nodiscard]] Result<ResumePoint> pointOf(const CheckedExperiment& experiment) const {
        auto records = reader();
        return checkedResumePoint({folder_.workspace()}, records, run_.runId, experiment);
    }

    test::DasgdFolder folder_;
    storage::RunRow run_;
};

TEST_F(ResumedExperimentTest, FromItsCheckpointWithTheSameSettings) {
    const auto from = pointOf(checkExperiment(document()).value());
    ASSERT_TRUE(from) << from.error().message;
    EXPECT_EQ(from->runId, run_.runId);
    EXPECT_EQ(from->step, run_.steps);
    const auto other = pointOf(checkExperiment(document("learning_rate = 0.1", "learning_rate = 0.2")).value());
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr("had other settings than this experiment"));
}

TEST_F(ResumedExperimentTest, WithOtherWorkersWhereTheExperimentSaysWhatItHad) {
    const CheckedExperiment before = checkExperiment(document()).value();
    const auto one = withWorkers(document(), before, 1);
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(one->workers, 1);
    EXPECT_EQ(one->totalSteps, 2 * before.totalSteps) << "as many samples";
    EXPECT_TRUE(pointOf(*one));
    const auto unmarked = pointOf(checkExperiment(document("workers = 2", "workers = 1")).value());
    ASSERT_FALSE(unmarked);
    EXPECT_THAT(unmarked.error().message, HasSubstr("was of 2 workers, this experiment is of 1"));
}

TEST_F(ResumedExperimentTest, WhatHasFinishedDoesNot) {
    auto records = reader();
    storage::RunRow row = run_;
    EXPECT_TRUE(checkResumable(records, row));
    row.status = "finished";
    EXPECT_THAT(checkResumable(records, row).error().message, HasSubstr("nothing left of it to train"));
}

TEST_F(ResumedExperimentTest, WhatRunsOrWaitsDoesNotUntilItsProcessIsGone) {
    folder_.write("e.toml", test::quickExperiment("threads", 100'000'000) + "[sweep]\n\"train.seed\" = [1, 2]\n");
    test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q"});
    const auto newest = [&](const std::string& status) {
        const auto rows = reader().list().value();
        const auto found = std::ranges::find(rows, status, &storage::RunRow::status);
        return found == rows.end() ? storage::RunRow() : *found;
    };
    ASSERT_TRUE(test::eventually([&] { return newest("running").steps > 10 && !newest("queued").runId.empty(); }));
    const storage::RunRow running = newest("running"), queued = newest("queued");
    auto records = reader();
    const Status runs = checkResumable(records, running), waits = checkResumable(records, queued);
    ASSERT_FALSE(runs);
    EXPECT_EQ(runs.error().message, "run " + running.runId + " is running; stop it first: dasgd stop " + running.runId);
    ASSERT_FALSE(waits);
    EXPECT_THAT(waits.error().message, HasSubstr(" is queued; stop it first"));
    program.signal(SIGKILL);
    static_cast<void>(program.wait());
    EXPECT_TRUE(test::eventually([&] { return checkResumable(records, running).has_value(); }));
    EXPECT_TRUE(test::eventually([&] { return checkResumable(records, queued).has_value(); }));
    EXPECT_EQ(newest("running").runId, running.runId) << "nobody has written down that it ended";
}

TEST_F(ResumedExperimentTest, FromTheCheckpointOfTheStepThatIsAskedFor) {
    const CheckedExperiment experiment = checkExperiment(document()).value();
    auto records = reader();
    const auto of = [&](std::int64_t step) {
        return checkedResumePoint({folder_.workspace()}, records, run_.runId, experiment, step);
    };
    EXPECT_EQ(of(run_.steps)->step, run_.steps);
    ASSERT_FALSE(of(1));
    EXPECT_THAT(of(1).error().message, HasSubstr("there is no checkpoint of step 1"));
}

}  // namespace
}  // namespace dasgd::experiments
