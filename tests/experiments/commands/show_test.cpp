// `dasgd show`.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/experiments/commands/finished_run.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

class ShowCommand : public FinishedRun {};

TEST_F(ShowCommand, TellsConfigurationAndProvenance) {
    const std::string run = folder_.firstRun();
    const test::Ended text = folder_.run({"show", run, "-w", "w"});
    ASSERT_EQ(text.exit, 0) << text.err;
    for (const char* part : {"finished", "30 of 30", "2 workers over gloo", "LibTorch", "rank 1", "period = 4"}) {
        EXPECT_THAT(text.out, HasSubstr(part));
    }
    const auto json = nlohmann::json::parse(folder_.run({"show", run, "-w", "w", "--json"}).out);
    EXPECT_EQ(json["planned_steps"], 30);
    EXPECT_EQ(json["ranks"].size(), 2u);
    EXPECT_FALSE(json["host"].get<std::string>().empty());
    EXPECT_TRUE(json["versions"].contains("SQLite"));
}

TEST_F(ShowCommand, RefusesWhatItDoesNotKnow) {
    for (const char* run : {"nothing", "../../e", "%"}) {
        const test::Ended ended = folder_.run({"show", run, "-w", "w"});
        EXPECT_EQ(ended.exit, 2) << run;
    }
    EXPECT_EQ(folder_.run({"show", "2", "-w", "w"}).exit, 2);  // the beginning of both
}

}  // namespace
}  // namespace dasgd::experiments
