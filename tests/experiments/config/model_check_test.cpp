// The code of a model file is tried by another process, whatever it does to that.
#include "experiments/config/model_check.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/support/dasgd_program.h"
#include "tests/support/paths.h"
#include "tests/support/script_modules.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kReturn = "    return x.flatten(1).matmul(self.weight.t())\n";

class ModelCheck : public ::testing::Test {
protected:
    std::string refusal(const std::string& body, Ns patience = 0) {
        const std::string file = (folder_.path() / "net.pt").string();
        test::scriptOf({{"weight", torch::ones({4, 6})}}, body + kReturn).save(file);
        const Status fits = askAboutModel({.file = file, .task = "classes", .input = {.shape = {2, 3}, .classes = 4}},
                                          test::kProgram, patience);
        return fits ? "" : fits.error().message;
    }
    test::DasgdFolder folder_;
};

TEST_F(ModelCheck, IsContentWithWhatTrains) { EXPECT_EQ(refusal(""), ""); }

TEST_F(ModelCheck, SaysWhatTheTrialFound) {
    EXPECT_THAT(refusal("    x.mul_(2.0)\n"), HasSubstr("net.pt changes its inputs in place"));
    EXPECT_THAT(refusal("    torch.save(x, \"" + (folder_.path() / "victim").string() + "\")\n"),
                HasSubstr("aten::save"));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "victim"));
}

TEST_F(ModelCheck, EndsALoopThatDoesNotEnd) {
    EXPECT_THAT(
        refusal("    while bool((x * 0).sum() == 0):\n        x = x + 1\n", 4'000'000'000),
        AllOf(HasSubstr("net.pt: the trial of its code did not end within 4.0 s"), HasSubstr("a loop in forward")));
}

TEST_F(ModelCheck, GivesItNoMoreMemoryThanANetworkOfThatSizeNeeds) {
    EXPECT_THAT(refusal("    x = x + torch.zeros([4294967296]).sum()\n"),
                AllOf(HasSubstr("net.pt"), HasSubstr("memory")));
}

// Neither output of the code nor a crash of it is an answer.
TEST_F(ModelCheck, TakesNoAnswerFromTheCode) {
    EXPECT_THAT(refusal("    print(\"ok\")\n    assert False\n"), HasSubstr("cannot be trained"));
    EXPECT_EQ(refusal("    print(\"net.pt is bad\")\n"), "");
}

TEST_F(ModelCheck, SaysSoWhereTheProgramIsNoUse) {
    const Status fits = askAboutModel({.file = "net.pt", .task = "classes"}, "/bin/false");
    ASSERT_FALSE(fits);
    EXPECT_THAT(fits.error().message, HasSubstr("net.pt: the trial of its code ended with exit status 1"));
}

TEST_F(ModelCheck, NamesTheSignalThatEndedTheTrial) {
    const std::filesystem::path program = folder_.path() / "killed";
    std::ofstream(program) << "#!/bin/sh\nkill -SEGV $$\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const Status fits = askAboutModel({.file = "net.pt", .task = "classes"}, program.string());
    ASSERT_FALSE(fits);
    EXPECT_THAT(fits.error().message, HasSubstr("net.pt: the trial of its code ended with signal 11 (Segmentation"));
}

// The text of an error is the file's own, however long it makes that.
TEST_F(ModelCheck, TellsAnAnswerThatIsTooLongFromALoop) {
    const std::string reason = refusal("    assert False, \"" + std::string(70000, 'a') + "\"\n");
    EXPECT_THAT(reason, AllOf(HasSubstr("net.pt: the trial of its code answered with more than 64 KiB"),
                              Not(HasSubstr("did not end"))));
    EXPECT_THAT(refusal("    assert False, \"" + std::string(60000, 'a') + "\"\n"), HasSubstr("cannot be trained"));
}

TEST(ModelQuestion, ReadsItsOwnArguments) {
    const ForeignCode code{
        .file = "-net.pt", .task = "text", .input = {.shape = {64}, .classes = 256}, .type = at::kBFloat16};
    EXPECT_THAT(argumentsOf(code), ::testing::ElementsAre("check-model", "--file=-net.pt", "--task=text", "--input=64",
                                                          "--classes=256", "--type=BFloat16"));
    const auto input = inputOf("3x32x32", 10, "values");
    ASSERT_TRUE(input);
    EXPECT_EQ(input->shape, (std::vector<std::int64_t>{3, 32, 32}));
    EXPECT_EQ(input->task, Task::kRegression);
    EXPECT_FALSE(inputOf("3xy", 10, "values"));
    EXPECT_EQ(scalarTypeOf("Double").value(), at::kDouble);
    EXPECT_FALSE(scalarTypeOf("QInt8"));
    EXPECT_GT(modelPatience(std::uint64_t{10} << 30), modelPatience(0));
}

}  // namespace
}  // namespace dasgd::experiments
