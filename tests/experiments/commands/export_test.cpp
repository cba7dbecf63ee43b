// `dasgd export`: its command line; what it writes is in csv_export_test and trace_export_test.
#include <gmock/gmock.h>

#include "tests/experiments/commands/finished_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class ExportCommand : public FinishedRun {};

TEST_F(ExportCommand, WritesBothAtOnce) {
    const test::Ended ended =
        folder_.run({"export", folder_.firstRun(), "-w", "w", "--csv", "a/b", "--trace", "t.json"});
    EXPECT_EQ(ended.exit, 0) << ended.err;
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "a/b/eval_loss.csv"));
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "t.json"));
}

TEST_F(ExportCommand, NeedsSomethingToDo) {
    EXPECT_THAT(folder_.run({"export", folder_.firstRun(), "-w", "w"}).err, HasSubstr("--csv DIR or --trace"));
    EXPECT_EQ(folder_.run({"export", "nothing", "-w", "w", "--csv", "a"}).exit, 2);
    EXPECT_EQ(folder_.run({"export", folder_.firstRun(), "-w", "w", "--csv", "e.toml/x"}).exit, 2);
}

}  // namespace
}  // namespace dasgd::experiments
