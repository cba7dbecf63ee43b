// `dasgd export`: its command line. csv_export_test and trace_export_test test the files.
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

TEST_F(ExportCommand, CopiesTheWeightsAndReplacesNothingUnasked) {
    const std::vector<std::string> arguments{"export", folder_.firstRun(), "-w", "w", "--weights", "net.safetensors"};
    const test::Ended ended = folder_.run(arguments);
    ASSERT_EQ(ended.exit, 0) << ended.err;
    EXPECT_EQ(test::contentOf(folder_.path() / "net.safetensors"),
              test::contentOf(folder_.workspace() / "runs" / folder_.firstRun() / "model.safetensors"));
    const test::Ended again = folder_.run(arguments);
    EXPECT_EQ(again.exit, 2);
    EXPECT_THAT(again.err, HasSubstr("is there already"));
    std::filesystem::remove(folder_.workspace() / "runs" / folder_.firstRun() / "model.safetensors");
    EXPECT_THAT(folder_.run({"export", folder_.firstRun(), "-w", "w", "--weights", "other"}).err,
                HasSubstr("has left no weights"));
}

TEST_F(ExportCommand, CopiesNoWeightsThatAreNotWhatWasWritten) {
    const auto model = folder_.workspace() / "runs" / folder_.firstRun() / "model.safetensors";
    std::string bytes = test::contentOf(model);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    test::writeText(model, bytes);
    const test::Ended ended = folder_.run({"export", folder_.firstRun(), "-w", "w", "--weights", "net.safetensors"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, HasSubstr("model.safetensors: is not what was written"));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "net.safetensors"));
}

TEST_F(ExportCommand, NeedsSomethingToDo) {
    EXPECT_THAT(folder_.run({"export", folder_.firstRun(), "-w", "w"}).err, HasSubstr("--csv DIR, --trace"));
    EXPECT_EQ(folder_.run({"export", "nothing", "-w", "w", "--csv", "a"}).exit, 2);
    EXPECT_EQ(folder_.run({"export", folder_.firstRun(), "-w", "w", "--csv", "e.toml/x"}).exit, 2);
}

}  // namespace
}  // namespace dasgd::experiments
