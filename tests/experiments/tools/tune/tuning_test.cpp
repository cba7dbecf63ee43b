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
    TuningConfiguration configuration{.label = "dasgd", .candidates = {}, .alive = {}, .seeds = {}};
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

// The plan with this candidate chosen for every configuration; its last where it has fewer.
TuningPlan chosenPlan(const std::string& file, const std::vector<std::string>& over, std::size_t candidate = 0,
                      const Overrides& overrides = {}) {
    auto plan = planTuning(read(file), overrides, settingsFor(over));
    EXPECT_TRUE(plan) << plan.error().message;
    for (TuningConfiguration& configuration : plan->configurations) {
        for (TuningCandidate& each : configuration.candidates) each.scores = {0.9};
        configuration.alive = {std::min(candidate, configuration.candidates.size() - 1)};
    }
    return std::move(*plan);
}

// What the file with the choice runs.
std::vector<ExpandedExperiment> runsOf(const TuningPlan& plan) {
    const auto text = tunedFile(plan, {});
    EXPECT_TRUE(text) << text.error().message;
    auto experiments = expandExperiments(read(*text), {});
    EXPECT_TRUE(experiments) << experiments.error().message << "\n" << *text;
    for (const ExpandedExperiment& each : *experiments) {
        const auto experiment = readExperiment(each.document);
        EXPECT_TRUE(experiment) << experiment.error().message << "\n" << *text;
    }
    return std::move(*experiments);
}

std::vector<std::string> valuesOf(const std::vector<ExpandedExperiment>& experiments, const std::string& section,
                                  const std::string& key) {
    std::vector<std::string> values;
    for (const ExpandedExperiment& each : experiments) {
        const Value* table = each.document.find(section);
        const Value* value = table ? table->find(key) : nullptr;
        values.push_back(value ? value->toToml() : "none");
    }
    return values;
}

TEST(Tuning, TheFileRunsWithWhatWasChosenOnTheSeedsThatItHad) {
    TuningPlan plan = chosenPlan(kFile, {"optimizer.learning_rate=0.02,0.1"});
    plan.configurations[0].alive = {1};
    const std::string text = tunedFile(plan, {"chosen by: dasgd tune e.toml"}).value();
    EXPECT_THAT(text, HasSubstr("# chosen by: dasgd tune e.toml\n"));
    const auto experiments = runsOf(plan);
    ASSERT_EQ(experiments.size(), 6U) << "two configurations of three seeds";
    for (const ExpandedExperiment& each : experiments) {
        const Value& own = each.document;
        const bool dasgd = own.find("algorithm")->find("name")->toToml() == "\"dasgd\"";
        EXPECT_EQ(own.find("optimizer")->find("learning_rate")->toToml(), dasgd ? "0.02" : "0.1");
        EXPECT_EQ(own.find("train")->find("epochs")->toToml(), "4");
        EXPECT_EQ(own.find("name")->toToml(), dasgd ? "\"e: dasgd\"" : "\"e: sync_sgd\"") << "of the same experiment";
    }
    plan.configurations[1].candidates[0].scores = {std::nullopt};
    EXPECT_THAT(tunedFile(plan, {}).error().message, HasSubstr("every candidate of dasgd failed"));
}

// A file without an algorithm: what stands before and after it.
std::string fileWith(const std::string& before, const std::string& after = "") {
    return "name = \"e\"\n" + before +
           "[model]\nname = \"mlp\"\n[data]\nname = \"synthetic\"\nvalidation = 0.2\n[train]\nsteps = 8\n" + after;
}

TEST(Tuning, ASectionThatASweepReplacesTakesNothingFromTheFileAgain) {
    const std::string tables = fileWith(
        "[algorithm]\nname = \"dasgd\"\nperiod = 8\ndelay = 6\n",
        "[sweep]\n\"algorithm\" = [{name = \"dasgd\", period = 8}, {name = \"dasgd\", period = 8, delay = 2}]\n");
    EXPECT_THAT(valuesOf(runsOf(chosenPlan(tables, {"optimizer.learning_rate=0.1,0.2"})), "algorithm", "delay"),
                ElementsAre("none", "2"));
    const std::string names = fileWith("[algorithm]\nname = \"dasgd\"\nperiod = 4\ndelay = 2\n",
                                       "[sweep]\n\"algorithm.name\" = [\"sync_sgd\", \"dasgd\"]\n");
    EXPECT_THAT(valuesOf(runsOf(chosenPlan(names, {"optimizer.learning_rate=0.1,0.2"})), "algorithm", "period"),
                ElementsAre("none", "4"));
}

TEST(Tuning, EveryConfigurationKeepsItsOwnSeeds) {
    const std::vector<std::string> over{"optimizer.learning_rate=0.1,0.2"};
    const std::string ofCase =
        fileWith("[algorithm]\nname = \"sync_sgd\"\n", "[[case]]\n[case.sweep]\n\"train.seed\" = [1, 2, 3]\n");
    EXPECT_THAT(valuesOf(runsOf(chosenPlan(ofCase, over)), "train", "seed"), ElementsAre("1", "2", "3"));
    const std::string unlike = fileWith("",
                                        "[[case]]\nalgorithm = { name = \"sync_sgd\" }\nsweep.\"train.seed\" = [1, "
                                        "2]\n[[case]]\nalgorithm = { name = \"dasgd\" }\ntrain.seed = 7\n");
    EXPECT_THAT(valuesOf(runsOf(chosenPlan(unlike, over)), "train", "seed"), ElementsAre("1", "7", "2"));
    const std::string byCase = fileWith("[algorithm]\nname = \"sync_sgd\"\n",
                                        "[[case]]\ntrain.seed = 5\n[[case]]\ntrain.seed = 6\nname = \"other\"\n");
    EXPECT_THAT(valuesOf(runsOf(chosenPlan(byCase, over)), "train", "seed"), ElementsAre("5", "6"));
}

TEST(Tuning, RefusesSeedsThatDoNotFollowThoseOfTheTuning) {
    const std::string jitter = fileWith("[algorithm]\nname = \"sync_sgd\"\n",
                                        "[cluster]\nbackend = \"virtual\"\n[sweep]\n\"compute.seed\" = [1, 2, 3]\n");
    const TuningSettings settings = settingsFor({"optimizer.learning_rate=0.1,0.2"});
    EXPECT_THAT(errorOf(jitter, settings), HasSubstr("compute.seed = 1 is a seed of the runs that the file reports"));
    std::string following = jitter;
    following.replace(following.find("[1, 2, 3]"), 9, "[-1]");
    EXPECT_EQ(errorOf(following, settings), "none");
    EXPECT_THAT(errorOf(following, settingsFor({"compute.seed=1,2"})), HasSubstr("a seed is nothing to choose"));
    EXPECT_THAT(errorOf(following, settingsFor({"train={steps=4},{steps=8}"})),
                HasSubstr("a seed is nothing to choose"));
}

TEST(Tuning, RefusesAnAxisOfWhatTheFileSweeps) {
    const std::string swept = fileWith("[algorithm]\nname = \"dasgd\"\n", "[sweep]\n\"algorithm.period\" = [2, 4]\n");
    EXPECT_THAT(errorOf(swept, settingsFor({"algorithm.period=8,16"})),
                HasSubstr("--over algorithm.period=8,16: replaces what e.toml:"));
    EXPECT_THAT(errorOf(swept, settingsFor({"algorithm={name=\"dasgd\"},{name=\"sync_sgd\"}"})),
                HasSubstr("sweeps ('algorithm.period')"));
    const std::string ofCase = fileWith("[algorithm]\nname = \"dasgd\"\n",
                                        "[[case]]\n[case.sweep]\n\"optimizer.learning_rate\" = [0.1, 0.2]\n");
    EXPECT_THAT(errorOf(ofCase, settingsFor({"optimizer.learning_rate=0.3,0.4"})),
                HasSubstr("sweeps ('optimizer.learning_rate')"));
    const Overrides set{.set = {"optimizer.learning_rate=0.1"}, .sweep = {}, .calibration = ""};
    EXPECT_EQ(chosenPlan(ofCase, {"optimizer.learning_rate=0.3,0.4"}, 0, set).configurations.size(), 1U)
        << "--set takes the sweep's place";
}

TEST(Tuning, RefusesToChooseByAnAccuracyThatIsNotThere) {
    std::string values = fileWith("[algorithm]\nname = \"sync_sgd\"\n");
    values.replace(values.find("\"mlp\""), 5, "\"random_features\"");
    TuningSettings settings = settingsFor({"optimizer.learning_rate=0.1,0.2"});
    EXPECT_THAT(errorOf(values, settings), HasSubstr("has no accuracy: choose with --by-loss"));
    settings.byLoss = true;
    EXPECT_EQ(errorOf(values, settings), "none");
    const std::string timed =
        fileWith("[algorithm]\nname = \"sync_sgd\"\n",
                 "[cluster]\nbackend = \"virtual\"\n[compute]\nmode = \"time-only\"\nstep_time = \"1ms\"\n");
    EXPECT_THAT(errorOf(timed, settings), HasSubstr("computes nothing that could be chosen by"));
}

TEST(Tuning, AnAxisOfASectionThatAnAlgorithmDoesNotReadMakesNoCandidatesOfIt) {
    const std::string file =
        fileWith("[cluster]\nworkers = 4\n", "[sweep]\n\"algorithm.name\" = [\"dpsgd\", \"sync_sgd\"]\n");
    const TuningPlan plan = chosenPlan(file, {"graph.name=\"ring\",\"exponential\""}, 1);
    EXPECT_THAT(labelsOf(plan.configurations[0]), ElementsAre("graph.name=\"ring\"", "graph.name=\"exponential\""));
    EXPECT_THAT(labelsOf(plan.configurations[1]), ElementsAre("")) << "sync_sgd as it is";
    EXPECT_THAT(valuesOf(runsOf(plan), "graph", "name"), ElementsAre("\"exponential\"", "none"));
}

}  // namespace
}  // namespace dasgd::experiments
