// Refusals before any rank starts, with their places.
#include "experiments/config/checked_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/analysis/runs/configuration.h"
#include "core/base/schema/toml_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/document.h"
#include "tests/support/paths.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class CheckedExperimentTest : public ::testing::Test {
protected:
    Result<std::vector<CheckedExperiment>> load(const std::string& text, const Overrides& overrides = {}) {
        test::writeText(folder_ / "e.toml", text);
        return loadExperiments((folder_ / "e.toml").string(), overrides);
    }
    test::TempDir folder_;
};

TEST_F(CheckedExperimentTest, WarnsOfCompressionThatIsKnownToDoBadly) {
    const auto warned = [this](const std::string& algorithm, const std::string& compression) {
        ::testing::internal::CaptureStderr();
        const auto loaded =
            load("[algorithm]\nname = \"" + algorithm + "\n[compression]\n" + compression +
                 "[model]\nname = \"logistic\"\n[data]\nname = \"synthetic\"\n[cluster]\nworkers = 4\n");
        EXPECT_TRUE(loaded) << loaded.error().message;
        return ::testing::internal::GetCapturedStderr();
    };
    const std::string topk = "name = \"topk\"\n";
    EXPECT_THAT(warned("diloco\"", topk), HasSubstr("topk keeps what it does not send, and the Nesterov momentum"));
    EXPECT_EQ(warned("diloco\"\nnesterov = false", topk), "");
    EXPECT_EQ(warned("diloco\"\nouter_momentum = 0.0", topk), "");
    EXPECT_EQ(warned("local_sgd\"", topk), "");
    EXPECT_THAT(warned("local_sgd\"", topk + "ratio = 0.6\n"), HasSubstr("times the bytes of no compression"));
    EXPECT_EQ(warned("dpsgd\"\nconsensus = 0.1", topk + "ratio = 0.6\n"), "");
}

TEST_F(CheckedExperimentTest, PlansEachExperimentOfASweep) {
    const auto loaded = load(test::quickExperiment() + "[sweep]\n\"train.seed\" = [4, 5]\n");
    ASSERT_TRUE(loaded) << loaded.error().message;
    ASSERT_EQ(loaded->size(), 2u);
    EXPECT_EQ(loaded->at(1).seed, 5);
    EXPECT_EQ(loaded->at(1).label, "train.seed=5");
    EXPECT_EQ(loaded->at(0).totalSteps, 30);
    EXPECT_EQ(loaded->at(0).parameters, 2);
    EXPECT_EQ(loaded->at(0).workers, 2);
    EXPECT_EQ(loaded->at(0).link, "");
}

TEST_F(CheckedExperimentTest, ReadsWhatItResolvedBackToTheSame) {
    const auto loaded = load(test::quickExperiment(), {{"cluster.link.bandwidth=200Mbps"}, {}});
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->front().link, "200Mbps, 0ms");
    const auto again = load(toTomlDocument(loaded->front().resolved));
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(test::sameData(again->front().resolved, loaded->front().resolved));
}

TEST_F(CheckedExperimentTest, PointsIntoTheSweep) {
    const auto loaded = load(test::quickExperiment() + "[sweep]\n\"algorithm.delay\" = [1,\n  9]\n");
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message, HasSubstr("e.toml:23:3: "));
    EXPECT_THAT(loaded.error().message, EndsWith("(in the sweep: algorithm.delay=9)"));
}

TEST_F(CheckedExperimentTest, TakesRunsThatDifferInTheSeedAsOneConfiguration) {
    const auto loaded = load(test::quickExperiment(), {{}, {"train.seed=1,2", "algorithm.delay=1,2"}});
    ASSERT_TRUE(loaded) << loaded.error().message;
    const auto key = [&](std::size_t i) { return configurationKey(settingsOf(loaded->at(i).resolved)); };
    EXPECT_EQ(key(0), key(2));
    EXPECT_NE(key(0), key(1));
}

// Four rounds of period 16 are 64 steps, of sync_sgd 20.
TEST_F(CheckedExperimentTest, EvaluatesAllAlgorithmsOfASweepEquallyOften) {
    const std::string text =
        "[model]\nname = \"quadratic\"\nmatrix = [[1.0]]\ntargets = [[1.0], [2.0]]\nstart = [0.0]\n"
        "[train]\nsteps = 200\n[cluster]\nbackend = \"threads\"\nworkers = 2\n";
    const auto intervals = [&](const std::vector<std::string>& sweep) {
        const auto loaded = load(text + "[algorithm]\nname = \"sync_sgd\"\n", {{}, sweep});
        std::vector<std::int64_t> each;
        if (!loaded) ADD_FAILURE() << loaded.error().message;
        if (!loaded) return each;
        for (const CheckedExperiment& one : *loaded) {
            each.push_back(one.evalEvery);
            // The text that the ranks read has the same interval.
            EXPECT_EQ(load(toTomlDocument(one.resolved))->front().evalEvery, one.evalEvery);
        }
        return each;
    };
    const std::string both = "algorithm={name = \"sync_sgd\"},{name = \"local_sgd\", period = 16}";
    EXPECT_THAT(intervals({}), ElementsAre(20));
    EXPECT_THAT(intervals({both}), ElementsAre(64, 64));
    EXPECT_THAT(intervals({both, "train.batch_size=1,2"}), ElementsAre(64, 64, 64, 64));
    EXPECT_THAT(intervals({both, "train.eval_every=0,7"}), ElementsAre(64, 7, 64, 7));
    EXPECT_THAT(intervals({both, "train.eval_spacing=0,30"}), ElementsAre(64, 30, 64, 30));
}

// Runs that differ in the period alone would otherwise be told apart by a setting that nobody wrote and that changes
// nothing.
TEST_F(CheckedExperimentTest, RecordsTheSpacingThatIsSharedAlikeForAll) {
    const auto recorded = [this](const std::string& periods) {
        const auto loaded = load(test::quickExperiment(), {{"train.eval_every=0"}, {"algorithm.period=" + periods}});
        std::set<std::string> spacings;
        if (!loaded) ADD_FAILURE() << loaded.error().message;
        if (!loaded) return spacings;
        for (const CheckedExperiment& one : *loaded) spacings.insert(settingsOf(one.resolved).at("train.eval_spacing"));
        return spacings;
    };
    EXPECT_THAT(recorded("4,8,16"), ElementsAre("64"));
    EXPECT_THAT(recorded("4"), ElementsAre("0")) << "what is alone has what was written";
    EXPECT_THAT(recorded("4,5"), ElementsAre("0")) << "both have 20 by their own rounds";
}

// The number of steps of an epoch differs among numbers of workers: what is recorded must not, since runs of one line
// of `scale` differ in the workers alone.
TEST_F(CheckedExperimentTest, RecordsTheSameSpacingForEveryNumberOfWorkers) {
    const std::string text =
        "[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"logistic\"\n[data]\nname = \"synthetic\"\n"
        "train_samples = 4000\nshape = [4]\nclasses = 2\n[train]\nepochs = 2\nbatch_size = 32\n[cluster]\n"
        "backend = \"threads\"\n";
    const auto loaded = load(
        text, {{}, {"algorithm={name = \"sync_sgd\"},{name = \"local_sgd\", period = 16}", "cluster.workers=1,2,8"}});
    ASSERT_TRUE(loaded) << loaded.error().message;
    std::vector<std::int64_t> intervals;
    std::set<std::string> recorded;
    for (const CheckedExperiment& one : *loaded) {
        intervals.push_back(one.evalEvery);
        const Settings settings = settingsOf(one.resolved);
        recorded.insert(one.algorithm + " " + settings.at("train.eval_every") + " " +
                        settings.at("train.eval_spacing"));
    }
    EXPECT_THAT(intervals, ElementsAre(125, 126, 64, 125, 126, 64)) << "whole epochs of 125, 63 and 16 steps";
    EXPECT_THAT(recorded, ElementsAre("local_sgd 0 64", "sync_sgd 0 64"));
}

TEST_F(CheckedExperimentTest, AsksTheAlgorithmBeforeAnyRankStarts) {
    const auto loaded = load(
        "[algorithm]\nname = \"hybrid_sgd\"\n[model]\nname = \"layer_table\"\ndense = [[100, 10]]\n[cluster]\n"
        "backend = \"virtual\"\nworkers = 4\n[compute]\nmode = \"time-only\"\nstep_time = \"5ms\"\n",
        {{}, {"algorithm.groups=2,3"}});
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message,
                HasSubstr("--sweep algorithm.groups=2,3: groups is 3, which does not divide 4"));
}

class Suite : public ::testing::TestWithParam<std::string> {};

TEST_P(Suite, CanStart) {
    const auto loaded = loadExperiments(
        std::string(test::kSourceDir) + std::string("/experiments/suites/") + GetParam(), {}, test::kProgram);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_GT(loaded->size(), 1u);
    const std::string stem = std::filesystem::path(GetParam()).stem();
    for (const CheckedExperiment& one : *loaded) {
        EXPECT_THAT(one.name, ::testing::AnyOf(stem, ::testing::StartsWith(stem + ": ")));
    }
}

std::vector<std::string> suiteNames() {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(test::kSourceDir) + "/experiments/suites")) {
        if (entry.path().extension() == ".toml") names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}
TEST(Suites, AreAllInTheirReadme) {
    const std::string readme = test::contentOf(std::string(test::kSourceDir) + "/experiments/suites/README.md");
    for (const std::string& name : suiteNames()) {
        const std::string stem = std::filesystem::path(name).stem();
        EXPECT_THAT(readme, HasSubstr("`" + stem + "`")) << "no line in experiments/suites/README.md";
    }
}

INSTANTIATE_TEST_SUITE_P(All, Suite, ::testing::ValuesIn(suiteNames()), [](const auto& info) {
    std::string name = info.param;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
});

}  // namespace
}  // namespace dasgd::experiments
