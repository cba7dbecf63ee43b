// `dasgd list`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/experiments/commands/finished_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class ListCommand : public FinishedRun {};

TEST_F(ListCommand, ShowsTheNewestFirst) {
    const test::Ended text = folder_.run({"list", "-w", "w"});
    EXPECT_EQ(text.exit, 0);
    EXPECT_THAT(text.out, HasSubstr("finished"));
    const test::Ended json = folder_.run({"list", "--json"}, {{"DASGD_WORKSPACE", "w"}});
    ASSERT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 2);
    EXPECT_EQ(nlohmann::json::parse(json.out.substr(0, json.out.find('\n')))["seed"], 2);
}

TEST_F(ListCommand, Filters) {
    EXPECT_THAT(folder_.run({"list", "-w", "w", "--filter", "dasgd"}).out, HasSubstr("quick"));
    EXPECT_EQ(folder_.run({"list", "-w", "w", "--filter", "local_sgd"}).out, "no runs\n");
}

TEST(ListOfNothing, SaysWhatIsMissing) {
    const test::DasgdFolder folder;
    const test::Ended ended = folder.run({"list", "-w", "none"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, HasSubstr("none"));
}

}  // namespace
}  // namespace dasgd::experiments
