#include "experiments/tools/tune/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"
#include "core/experiment/experiment.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kFile =
    "name = \"e\"\n[model]\nname = \"mlp\"\n[data]\nname = \"synthetic\"\nvalidation = 0.2\n[optimizer]\nlearning_rate "
    "= 0.05\n[train]\nepochs = 4\n[sweep]\n\"algorithm\" = [{ name = \"sync_sgd\" }, { name = \"dasgd\", period = 4 "
    "}]\n\"train.seed\" = [1, 2, 3]\n";

Value read(const std::string& text) { return parseToml(text, "e.toml").value(); }

TuningSettings settingsFor(std::vector<std::string> over) { return {.over = std::move(over), .seeds = "101,102"}; }

std::vector<std::string> labelsOf(const TuningConfiguration& configuration) {
    std::vector<std::string> labels;
    for (const TuningCandidate& candidate : configuration.candidates) labels.push_back(candidate.label);
    return labels;
}

std::string errorOf(const std::string& file, const TuningSettings& settings) {
    const auto plan = planTuning(read(file), {}, settings);
    return plan ? "none" : plan.error().message;
}

TEST(Tuning, EveryConfigurationHasTheSameCandidatesOnTheSameSeeds) {
    const auto plan =
        planTuning(read(kFile), {}, settingsFor({"optimizer.learning_rate=0.02,0.1", "optimizer.momentum=0.0,0.9"}));
    ASSERT_TRUE(plan) << plan.error().message;
    ASSERT_EQ(plan->configurations.size(), 2U);
    EXPECT_EQ(plan->configurations[0].label, "sync_sgd");
    EXPECT_THAT(labelsOf(plan->configurations[0]), ElementsAre("optimizer.learning_rate=0.02, optimizer.momentum=0.0",
                                                               "optimizer.learning_rate=0.02, optimizer.momentum=0.9",
                                                               "optimizer.learning_rate=0.1, optimizer.momentum=0.0",
                                                               "optimizer.learning_rate=0.1, optimizer.momentum=0.9"));
    EXPECT_EQ(labelsOf(plan->configurations[1]), labelsOf(plan->configurations[0]));
    for (const TuningCandidate& candidate : plan->configurations[1].candidates) {
        ASSERT_EQ(candidate.experiments.size(), 2U) << "one of each seed";
        const Value& second = candidate.experiments[1].document;
        EXPECT_EQ(second.find("train")->find("seed")->toToml(), "102");
        EXPECT_EQ(second.find("algorithm")->find("period")->toToml(), "4");
    }
}

TEST(Tuning, AValueThatAnAlgorithmDoesNotReadMakesNoCandidatesOfIt) {
    const auto plan = planTuning(read(kFile), {}, settingsFor({"algorithm.period=2,4,8"}));
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_THAT(labelsOf(plan->configurations[0]), ElementsAre("")) << "sync_sgd as it is";
    EXPECT_EQ(plan->configurations[0].candidates[0].experiments.size(), 2U);
    EXPECT_EQ(plan->configurations[1].candidates.size(), 3U);
}

TEST(Tuning, DrawsTheSameCandidatesForAllAndForEverySameSeed) {
    TuningSettings settings = settingsFor({"optimizer.learning_rate=0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08"});
    settings.draws = 3;
    const auto drawn = [&] { return planTuning(read(kFile), {}, settings).value(); };
    const TuningPlan plan = drawn();
    ASSERT_EQ(plan.configurations[0].candidates.size(), 3U);
    EXPECT_EQ(labelsOf(plan.configurations[1]), labelsOf(plan.configurations[0]));
    EXPECT_EQ(labelsOf(drawn().configurations[0]), labelsOf(plan.configurations[0]));
    settings.drawSeed = 2;
    EXPECT_NE(labelsOf(drawn().configurations[0]), labelsOf(plan.configurations[0]));
}

TEST(Tuning, RefusesWhatWouldFlatter) {
    TuningSettings settings = settingsFor({"optimizer.learning_rate=0.02,0.1"});
    settings.seeds = "3,4";
    EXPECT_THAT(errorOf(kFile, settings), HasSubstr("--seeds has 3, a seed of the runs that the file reports"));
    std::string unvalidated = kFile;
    unvalidated.replace(unvalidated.find("validation = 0.2"), 16, "");
    EXPECT_THAT(errorOf(unvalidated, settingsFor({"optimizer.learning_rate=0.02,0.1"})),
                HasSubstr("data.validation is not set"));
    EXPECT_THAT(errorOf(kFile, settingsFor({"train.seed=7,8"})), HasSubstr("a seed is nothing to choose"));
    EXPECT_THAT(errorOf(kFile, settingsFor({})), HasSubstr("--over names what is tuned"));
    EXPECT_THAT(errorOf(kFile, settingsFor({"algorithm.slow_momentum=0.1,0.2"})),
                HasSubstr("--over algorithm.slow_momentum=0.1,0.2: no algorithm or plug-in of the file reads"));
}

TEST(Tuning, ARoundTrainsAShareOfTheStepsAndTheLastOneAll) {
    TuningSettings settings{.rounds = 3, .keep = 3};
    EXPECT_EQ(stepsInRound(1000, 0, settings), 112);
    EXPECT_EQ(stepsInRound(1000, 1, settings), 334);
    EXPECT_EQ(stepsInRound(1000, 2, settings), 1000);
    EXPECT_EQ(stepsInRound(2, 0, settings), 1);
    const Value part = shortened(read(kFile), 112, 1000);
    EXPECT_EQ(part.find("train")->find("steps")->toToml(), "112");
    EXPECT_EQ(part.find("train")->find("epochs"), nullptr);
    EXPECT_EQ(shortened(read(kFile), 1000, 1000).toToml(), read(kFile).toToml());
}

TuningConfiguration scored(const std::vector<std::optional<double>>& scores) {
    TuningConfiguration configuration{.label = "dasgd", .candidates = {}, .alive = {}};
    for (const auto& score : scores) {
        configuration.alive.push_back(configuration.candidates.size());
        configuration.candidates.push_back(
            {.label = "", .values = {}, .experiments = {}, .scores = {score}, .runIds = {}});
    }
    return configuration;
}

TEST(Tuning, TheBestThirdGoesOnAndTheBestOfTheLastRoundIsChosen) {
    const TuningSettings settings{.rounds = 2, .keep = 3};
    TuningConfiguration configuration = scored({0.5, std::nullopt, 0.9, 0.7, 0.9, std::nan(""), 0.1});
    endRound(configuration, 0, settings);
    EXPECT_THAT(configuration.alive, ElementsAre(2, 4, 3)) << "of equal ones the first; 7 ÷ 3, up";
    for (const auto& [candidate, score] : {std::pair(2, 0.8), std::pair(4, 0.95), std::pair(3, 0.6)}) {
        configuration.candidates[static_cast<std::size_t>(candidate)].scores.emplace_back(score);
    }
    endRound(configuration, 1, settings);
    EXPECT_THAT(configuration.alive, ElementsAre(4));
    TuningConfiguration losses = scored({0.5, std::nullopt, 0.9, 0.3});
    endRound(losses, 0, {.rounds = 1, .keep = 3, .byLoss = true});
    EXPECT_THAT(losses.alive, ElementsAre(3));
}

TEST(Tuning, ABestAtTheEdgeOfItsGridIsSaid) {
    auto plan = planTuning(read(kFile), {}, settingsFor({"optimizer.learning_rate=0.01,0.1,0.03"})).value();
    plan.configurations[0].alive = {1};
    plan.configurations[1].alive = {2};
    EXPECT_THAT(edgesInWords(plan),
                ElementsAre("the best optimizer.learning_rate of sync_sgd, 0.1, is the largest that "
                            "was tried: add larger ones"));
    plan.configurations[0].alive = {2};
    EXPECT_THAT(edgesInWords(plan), IsEmpty());
    plan.configurations[0].alive = {0};
    EXPECT_THAT(edgesInWords(plan), ElementsAre(HasSubstr("smallest")));
}

TEST(Tuning, TheFileRunsWithWhatWasChosenOnTheSeedsThatItHad) {
    const Value document = read(kFile);
    auto plan = planTuning(document, {}, settingsFor({"optimizer.learning_rate=0.02,0.1"})).value();
    for (TuningConfiguration& configuration : plan.configurations) {
        for (TuningCandidate& candidate : configuration.candidates) candidate.scores = {0.9};
    }
    plan.configurations[0].alive = {1};
    plan.configurations[1].alive = {0};
    const std::string text = tunedFile(document, plan, {"chosen by: dasgd tune e.toml"}).value();
    EXPECT_THAT(text, HasSubstr("# chosen by: dasgd tune e.toml\n"));
    const auto experiments = expandExperiments(read(text), {});
    ASSERT_TRUE(experiments) << experiments.error().message << "\n" << text;
    ASSERT_EQ(experiments->size(), 6U) << "two configurations of three seeds";
    for (std::size_t i = 0; i < experiments->size(); ++i) {
        const Value& own = (*experiments)[i].document;
        const bool dasgd = own.find("algorithm")->find("name")->toToml() == "\"dasgd\"";
        EXPECT_EQ(own.find("optimizer")->find("learning_rate")->toToml(), dasgd ? "0.02" : "0.1");
        EXPECT_EQ(own.find("train")->find("epochs")->toToml(), "4");
        EXPECT_TRUE(readExperiment(own)) << text;
    }
    plan.configurations[1].candidates[0].scores = {std::nullopt};
    EXPECT_THAT(tunedFile(document, plan, {}).error().message, HasSubstr("every candidate of dasgd failed"));
}

}  // namespace
}  // namespace dasgd::experiments
