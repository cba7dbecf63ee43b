// A command that is started again goes on where it was: real processes.
#include "experiments/run/session/earlier_runs.h"

#include <gmock/gmock.h>

#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class EarlierRuns : public ::testing::Test {
protected:
    [[nodiscard]] std::vector<storage::RunRow> rows() const {
        auto reader = storage::RunReader::open(folder_.workspace());
        return reader ? reader->list().value() : std::vector<storage::RunRow>();
    }
    test::Ended again(const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"run", "e.toml", "-w", "w", "-q", "--resume"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return folder_.run(arguments);
    }
    test::DasgdFolder folder_;
};

// The second of three experiments is stopped. Started again, the command leaves out the first, resumes the second and
// begins the third.
TEST_F(EarlierRuns, AStoppedSweepGoesOnWhereItWas) {
    folder_.write("e.toml", test::quickExperiment("threads", 6'000));
    const std::vector<std::string> sweep{"--sweep", "train.seed=1..3"};
    test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q", "--sweep", "train.seed=1..3"});
    ASSERT_TRUE(test::eventually([&] {
        for (const storage::RunRow& row : rows()) {
            if (row.seed == 2 && row.status == "running" && row.steps > 10) return true;
        }
        return false;
    }));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait().exit, 130);
    const test::Ended ended = again(sweep);
    ASSERT_EQ(ended.exit, 0) << ended.err;
    EXPECT_THAT(ended.out, HasSubstr("finished already"));
    std::map<std::int64_t, std::vector<storage::RunRow>> bySeed;  // newest first
    for (const storage::RunRow& row : rows()) bySeed[row.seed].push_back(row);
    EXPECT_EQ(bySeed[1].size(), 1U) << "finished, so left out";
    ASSERT_EQ(bySeed[2].size(), 2U);
    EXPECT_EQ(bySeed[2][0].status, "finished");
    EXPECT_EQ(bySeed[2][0].resumedFrom, bySeed[2][1].runId);
    EXPECT_EQ(bySeed[3].front().status, "finished");
    EXPECT_EQ(bySeed[3].front().resumedFrom, "") << "it had not begun";
    const std::size_t before = rows().size();
    EXPECT_EQ(again(sweep).exit, 0);
    EXPECT_EQ(rows().size(), before) << "nothing is left to do";
}

TEST_F(EarlierRuns, OtherSettingsAreAnotherRun) {
    folder_.write("e.toml", test::quickExperiment("threads"));
    ASSERT_EQ(again().exit, 0);
    ASSERT_EQ(again({"--set", "optimizer.learning_rate=0.2"}).exit, 0);
    EXPECT_EQ(rows().size(), 2U);
    EXPECT_EQ(again({"--set", "optimizer.learning_rate=0.2"}).exit, 0);
    EXPECT_EQ(rows().size(), 2U);
}

TEST_F(EarlierRuns, OneThatIsUnderWayIsNotStartedTwice) {
    folder_.write("e.toml", test::quickExperiment("threads", 100'000'000));
    const test::StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::newestRunTrains(folder_.workspace()));
    const test::Ended ended = again();
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, HasSubstr("is running already"));
}

}  // namespace
}  // namespace dasgd::experiments
