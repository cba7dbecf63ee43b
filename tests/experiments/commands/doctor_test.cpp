// `dasgd doctor`.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/experiments/commands/finished_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class DoctorCommand : public FinishedRun {};

TEST_F(DoctorCommand, FindsAHealthyWorkspace) {
    const test::Ended ended = folder_.run({"doctor", "-w", "w", "--json"});
    EXPECT_EQ(ended.exit, 0) << ended.out;
    const auto json = nlohmann::json::parse(ended.out);
    EXPECT_TRUE(json["ok"]);
    EXPECT_THAT(ended.out, HasSubstr("2 runs, integrity ok"));
    EXPECT_THAT(ended.out, HasSubstr("LibTorch"));
    EXPECT_THAT(ended.out, HasSubstr("\"links\""));
}

// The program of the tests has stand-ins for GPUs; the one that users have has not.
TEST_F(DoctorCommand, SaysWhetherGpusCanBeTrainedOnAndWhatIsMissing) {
    const test::Ended standIns =
        test::StartedProgram(folder_.path(), {"doctor", "-w", "w"}, {}, test::kStandInProgram).wait();
    EXPECT_EQ(standIns.exit, 0) << standIns.out;
    EXPECT_THAT(standIns.out, HasSubstr("nccl_stand_in can train: 4 GPUs (stand-in GPU), driver for CUDA 13.0, NCCL "
                                        "2.30.7, which can have several ranks on one GPU"));
    const auto json = nlohmann::json::parse(folder_.run({"doctor", "-w", "w", "--json"}).out);
    const auto found = std::ranges::find_if(json["checks"], [](const auto& each) { return each["check"] == "nccl"; });
    ASSERT_NE(found, json["checks"].end());
    const std::string text = (*found)["text"];
    EXPECT_THAT(text, ::testing::AnyOf(::testing::StartsWith("can train: "),
                                       ::testing::AllOf(::testing::StartsWith("cannot train: "),
                                                        ::testing::AnyOf(HasSubstr("driver"), HasSubstr("install")))));
}

TEST_F(DoctorCommand, FindsADamagedDatabase) {
    const auto file = folder_.workspace() / "lab.db";
    std::filesystem::remove(file.string() + "-wal");
    std::filesystem::remove(file.string() + "-shm");
    std::ofstream(file, std::ios::binary) << "this is no database of ours, whatever its name says";
    const test::Ended ended = folder_.run({"doctor", "-w", "w"});
    EXPECT_EQ(ended.exit, 1);
    EXPECT_THAT(ended.out, HasSubstr("broken"));
}

TEST(DoctorOfNothing, LeavesNothingBehind) {
    const test::DasgdFolder folder;
    EXPECT_EQ(folder.run({"doctor", "-w", "w"}).exit, 0);
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
    folder.write("file", "x");
    EXPECT_EQ(folder.run({"doctor", "-w", "file"}).exit, 1);
}

}  // namespace
}  // namespace dasgd::experiments
