// Tuning with real runs: what is chosen, what a second call finds, and the file that it leaves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "experiments/base/errors.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Trains within a second on one thread of simulated workers; a rate of 0 learns nothing.
const std::string kTuned =
    "name = \"tuned\"\n[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"mlp\"\n[data]\nname = \"mnist\"\nvalidation "
    "= "
    "0.1\n[train]\nsteps = 60\nbatch_size = 32\neval_every = 20\n[optimizer]\nlearning_rate = 0.01\n[cluster]\nbackend "
    "= "
    "\"virtual\"\nworkers = 2\n";

TEST(TuneCommand, ChoosesOnTheValidationSetInRoundsAndTakesUpWhatItHas) {
    const test::DasgdFolder folder;
    folder.write("e.toml", kTuned);
    const std::vector<std::string> arguments{
        "tune",    "e.toml",    "-w",       "w", "--over", "optimizer.learning_rate=0.0001,0.001,0.2",
        "--seeds", "101",       "--rounds", "2", "--keep", "2",
        "--out",   "best.toml", "--json",   "-q"};
    const test::Ended ended = folder.run(arguments);
    ASSERT_EQ(ended.exit, kFinished) << ended.err;
    const auto json = nlohmann::json::parse(ended.out)["configurations"][0];
    EXPECT_EQ(json["chosen"], "optimizer.learning_rate=0.2");
    ASSERT_EQ(json["candidates"].size(), 3U);
    EXPECT_EQ(json["candidates"][0]["scores"].size(), 1U) << "the worst of three went out after the first round";
    EXPECT_EQ(json["candidates"][2]["scores"].size(), 2U);
    EXPECT_GT(json["candidates"][2]["scores"][1], json["candidates"][2]["scores"][0]) << "twice as many steps";
    EXPECT_THAT(nlohmann::json::parse(ended.out)["warnings"].dump(), HasSubstr("add larger ones"));

    const std::string best = test::contentOf(folder.path() / "best.toml");
    EXPECT_THAT(best, AllOf(HasSubstr("# Chosen on the validation set by: dasgd tune e.toml --over"),
                            HasSubstr("learning_rate = 0.2")));
    const test::Ended planned = folder.run({"run", "best.toml", "--dry-run", "--json"});
    ASSERT_EQ(planned.exit, kFinished) << planned.err;
    EXPECT_THAT(planned.out, HasSubstr("\"steps\":60"));

    const test::Ended again = folder.run(arguments);
    EXPECT_EQ(again.exit, kWrongInput) << "what was chosen is not written over";
    EXPECT_THAT(again.err, HasSubstr("best.toml is there already"));
    std::filesystem::remove(folder.path() / "best.toml");
    const test::Ended third = folder.run(arguments);
    ASSERT_EQ(third.exit, kFinished) << third.err;
    EXPECT_EQ(third.out, ended.out) << "the same runs, none made anew";
    EXPECT_EQ(test::contentOf(folder.path() / "best.toml"), best);
}

// The swept table has less than the file's own: neither is the one filled up from the other, and both files run.
TEST(TuneCommand, TheFileRunsOfEveryAlgorithmWhatWasChosen) {
    const test::DasgdFolder folder;
    std::string file = kTuned;
    const std::string own = "[algorithm]\nname = \"sync_sgd\"\n";
    file.replace(file.find(own), own.size(), "[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n");
    folder.write("names.toml", file + "[sweep]\n\"algorithm.name\" = [\"sync_sgd\", \"dasgd\"]\n");
    folder.write("tables.toml", file +
                                    "[sweep]\n\"algorithm\" = [{name = \"dasgd\", period = 4}, {name = \"dasgd\", "
                                    "period = 4, delay = 3}]\n");
    const auto runsOf = [&](const std::string& name) {
        const test::Ended ended =
            folder.run({"tune", name + ".toml", "-w", "w", "--over", "optimizer.learning_rate=0.1,0.2", "--seeds",
                        "101", "--set", "train.steps=8", "--drop-unknown", "--out", name + "-best.toml", "-q"});
        EXPECT_EQ(ended.exit, kFinished) << ended.err;
        const test::Ended planned = folder.run({"run", name + "-best.toml", "--dry-run", "--json"});
        EXPECT_EQ(planned.exit, kFinished) << planned.err;
        return planned.out;
    };
    EXPECT_THAT(runsOf("names"), AllOf(HasSubstr("\"experiment\":\"tuned: sync_sgd\""), HasSubstr("delay = 2"),
                                       HasSubstr("\"steps\":8")));
    EXPECT_THAT(runsOf("tables"), AllOf(HasSubstr("delay = 1"), HasSubstr("delay = 3"), Not(HasSubstr("delay = 2"))));
    EXPECT_THAT(test::contentOf(folder.path() / "names-best.toml"),
                HasSubstr("--seeds 101 --set 'train.steps=8' --drop-unknown\n"));
}

TEST(TuneCommand, RefusesTheSeedsThatAreReported) {
    const test::DasgdFolder folder;
    folder.write("e.toml", kTuned);
    const test::Ended ended = folder.run({"tune", "e.toml", "-w", "w", "--over", "optimizer.learning_rate=0.1,0.2",
                                          "--seeds", "1..3", "--out", "best.toml"});
    EXPECT_EQ(ended.exit, kWrongInput);
    EXPECT_THAT(ended.err, HasSubstr("--seeds has 1, a seed of the runs that the file reports"));
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
}

}  // namespace
}  // namespace dasgd::experiments
