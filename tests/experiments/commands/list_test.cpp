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
    EXPECT_THAT(text.out, ::testing::Not(HasSubstr(" sim"))) << "its times were measured";
    const test::Ended json = folder_.run({"list", "--json"}, {{"DASGD_WORKSPACE", "w"}});
    ASSERT_EQ(std::count(json.out.begin(), json.out.end(), '\n'), 2);
    EXPECT_EQ(nlohmann::json::parse(json.out.substr(0, json.out.find('\n')))["seed"], 2);
}

TEST_F(ListCommand, Filters) {
    EXPECT_THAT(folder_.run({"list", "-w", "w", "--filter", "dasgd"}).out, HasSubstr("quick"));
    EXPECT_EQ(folder_.run({"list", "-w", "w", "--filter", "local_sgd"}).out, "no runs\n");
}

TEST(ListOfSimulatedRuns, MarksTimesThatNoClockMeasured) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("virtual", 30) + "[compute]\nstep_time = \"10ms\"\n");
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const std::string text = folder.run({"list", "-w", "w"}).out;
    EXPECT_THAT(text, ::testing::ContainsRegex("finished.* s sim .* sim\n"));
    EXPECT_THAT(text, HasSubstr("best accuracy"));
}

TEST(ListOfDivergedRuns, SaysNaN) {
    const test::DasgdFolder folder;
    folder.write("e.toml",
                 "name = \"diverges\"\n[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"mlp\"\n[train]\nsteps = "
                 "60\n[optimizer]\nlearning_rate = 1e6\n[cluster]\nbackend = \"threads\"\nworkers = 2\n");
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 1);
    EXPECT_THAT(folder.run({"list", "-w", "w"}).out, ::testing::ContainsRegex("failed .* nan "));
}

TEST(ListOfNothing, SaysWhatIsMissing) {
    const test::DasgdFolder folder;
    const test::Ended ended = folder.run({"list", "-w", "none"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, HasSubstr("none"));
}

}  // namespace
}  // namespace dasgd::experiments
