#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/base/errors.h"
#include "storage/base/lock_wait.h"
#include "storage/base/workspace.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
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

// A forwarder that tries to reach a collector that is gone gives way to one that knows where the next is.
TEST_F(ForwardCommand, TakesTheJournalOverFromAnotherForwarder) {
    const std::string run = "20260101-000000-dasgd-0001", secret(64, 'a');
    const auto start = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"forward",           run,  "--rank", "1",          "--to",
                                           "tcp://127.0.0.1:1", "-w", "w",      "--patience", "600"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return folder_.start(arguments, {{"DASGD_SECRET", secret}});
    };
    test::StartedProgram first = start({});
    const std::filesystem::path lock = storage::WorkspacePaths{folder_.workspace()}.journal(run, 1).string() + ".lock";
    const auto held = [&] { return storage::flockHolders(lock); };
    ASSERT_TRUE(test::eventually([&] { return held() == std::vector<int>{first.id()}; }));
    EXPECT_THAT(start({}).wait().err,
                AllOf(HasSubstr("another process (" + std::to_string(first.id()) + ") reads"), HasSubstr("--instead")));
    test::StartedProgram second = start({"--instead"});
    EXPECT_EQ(first.wait().exit, kStopped);
    EXPECT_TRUE(test::eventually([&] { return held() == std::vector<int>{second.id()}; }));
}

}  // namespace
}  // namespace dasgd::experiments
