// `dasgd check-model`, as its parent sees it.
#include <gmock/gmock.h>

#include "experiments/base/errors.h"
#include "experiments/base/process.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

struct CheckedModel {
    int status = -1;
    std::string answer;
};

CheckedModel checked(const std::filesystem::path& file) {
    auto child = ChildProcess::start(
        {test::kProgram, {"check-model", "--file=" + file.string(), "--input=2x3", "--classes=4"}, {}, false});
    if (!child) return {};
    const auto exit = child->awaitEnd(50'000'000'000);
    return {exit && exit->signal == 0 ? exit->code : -1, child->report()};
}

TEST(CheckModel, AnswersByItsStatusAndSaysWhy) {
    const test::DasgdFolder folder;
    EXPECT_THAT(folder.run({"--help"}).out, ::testing::Not(HasSubstr("check-model")));
    const CheckedModel missing = checked(folder.path() / "none.pt");
    EXPECT_EQ(missing.status, kWrongInput);
    EXPECT_THAT(missing.answer, HasSubstr("none.pt: there is no such file"));
    folder.write("notes.pt", "no archive at all");
    EXPECT_THAT(checked(folder.path() / "notes.pt").answer, HasSubstr("notes.pt is no TorchScript file"));
}

}  // namespace
}  // namespace dasgd::experiments
