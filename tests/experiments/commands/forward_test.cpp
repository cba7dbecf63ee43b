#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/base/errors.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class ForwardCommand : public ::testing::Test {
protected:
    std::string refusal(const std::vector<std::string>& arguments, const test::Environment& environment) {
        test::StartedProgram program = folder_.start(arguments, environment);
        const test::Ended ended = program.wait();
        EXPECT_EQ(ended.exit, kWrongInput) << ended.err;
        return ended.err;
    }
    test::DasgdFolder folder_;
};

TEST_F(ForwardCommand, RefusesWhatItCannotDo) {
    const std::vector<std::string> arguments{"forward", "run-a", "--rank", "1", "--to", "tcp://127.0.0.1:1", "-w", "w"};
    EXPECT_THAT(refusal(arguments, {}), HasSubstr("DASGD_SECRET is not set"));
    EXPECT_THAT(refusal(arguments, {{"DASGD_SECRET", "short"}}), HasSubstr("64 hex digits"));
    std::vector<std::string> outside = arguments;
    outside[1] = "../run";
    EXPECT_THAT(refusal(outside, {{"DASGD_SECRET", std::string(64, 'a')}}), HasSubstr("is no id of a run"));
    std::vector<std::string> nowhere = arguments;
    nowhere[5] = "here";
    test::StartedProgram program = folder_.start(nowhere, {{"DASGD_SECRET", std::string(64, 'a')}});
    const test::Ended ended = program.wait();
    EXPECT_EQ(ended.exit, kRunFailed);
    EXPECT_THAT(ended.err, HasSubstr("cannot reach the collector at here"));
}

}  // namespace
}  // namespace dasgd::experiments
