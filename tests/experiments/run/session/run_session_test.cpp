// The runs of a command, as `dasgd calibrate` makes its one.
#include "experiments/run/session/run_session.h"

#include <gmock/gmock.h>

#include "tests/support/dasgd_program.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RunSession, ARunThatDoesNotFinishIsAnErrorThatNamesIt) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    const test::Ended ended = folder.run({"calibrate", "e.toml", "-w", "w", "-q", "--set",
                                          "optimizer.learning_rate=1e6", "--set", "train.precision=float32"});
    EXPECT_EQ(ended.exit, 1);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("run " + folder.firstRun() + " failed"), HasSubstr("learning rate")));
    storage::RunReader reader = test::orDie(storage::RunReader::open(folder.workspace()));
    EXPECT_EQ(test::orDie(reader.list()).front().status, "failed");
}

TEST(RunSession, RefusesAWorkspaceThatIsNone) {
    const test::DasgdFolder folder;
    folder.write("file", "");
    StopSignals signals;
    const auto session =
        RunSession::open((folder.path() / "file").string(), folder.path(), signals, Progress::Style::Silent);
    ASSERT_FALSE(session);
    EXPECT_THAT(session.error().message, HasSubstr("file"));
}

}  // namespace
}  // namespace dasgd::experiments
