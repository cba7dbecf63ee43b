#include "experiments/tools/advise/needed_bandwidth.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/schema/toml_reader.h"
#include "experiments/config/document.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Eight layers of 1,000 weights, two workers, a step of 3 ms of which 2 are the backward pass.
using Fragments = std::vector<std::vector<std::size_t>>;
CheckedExperiment experimentOf(const std::string& algorithm, Fragments fragments = stridedFragments(8, 1),
                               const std::string& compute = "step_time = \"3ms\"") {
    CheckedExperiment experiment;
    experiment.resolved = parseToml("[algorithm]\n" + algorithm +
                                        "\n[train]\nprecision = \"float32\"\n[network]\nname = \"star\"\n"
                                        "bandwidth = \"1Gbps\"\nlatency = \"0us\"\ncollective = \"ring\"\n[compute]\n" +
                                        compute + "\n",
                                    "test.toml")
                              .value();
    const Value* table = experiment.resolved.find("algorithm");
    experiment.algorithm = *table->find("name")->as<std::string>();
    experiment.name = "test";
    experiment.workers = 2;
    experiment.parameterSizes = experiment.layerSizes = std::vector<std::int64_t>(8, 1000);
    experiment.parameters = 8000;
    experiment.fragments = std::move(fragments);
    return experiment;
}

NeededBandwidth neededBy(const CheckedExperiment& experiment, double utilization) {
    return neededBandwidths({experiment}, {utilization}).at(0);
}
double bytesPerSecond(const CheckedExperiment& experiment, double utilization = 0.5) {
    const NeededBandwidth needed = neededBy(experiment, utilization);
    EXPECT_EQ(needed.why, "");
    return needed.bytesPerSecond.empty() ? -1 : needed.bytesPerSecond[0];
}

TEST(NeededBandwidth, OfAveragesBehindAStep) {
    // 32,000 bytes once between two workers, in as long as 4 steps compute.
    EXPECT_NEAR(bytesPerSecond(experimentOf("name = \"local_sgd\"\nperiod = 4")), 32'000 / 0.012, 1e-2);
    EXPECT_NEAR(bytesPerSecond(experimentOf("name = \"dasgd\"\nperiod = 4\ndelay = 1\noptimizer_state = \"keep\"")),
                32'000 / 0.015, 1e-2);
    // Half of it twice, with a step hidden each time.
    const std::string streaming =
        "name = \"streaming_diloco\"\nperiod = 4\nfragments = 2\ndelay = 1\nlaunch = \"step\"\n";
    EXPECT_NEAR(bytesPerSecond(experimentOf(streaming + "order = \"consecutive\"", {{0, 1, 2, 3}, {4, 5, 6, 7}})),
                16'000 / (0.003 + 0.006), 1e-2);
    EXPECT_EQ(bytesPerSecond(experimentOf("name = \"independent\"")), 0);
}

TEST(NeededBandwidth, OfLayersUnderABackwardPassIsThatOfTheSharedFormula) {
    const std::string fields =
        "name = \"streaming_diloco\"\nperiod = 4\nfragments = 4\ndelay = 0\nlaunch = \"backward\"\norder = ";
    const SentLayer each{0.00025, 4000};
    UtilizationRound round{.stepSeconds = 0.003,
                           .layers = std::vector<SentLayer>(8, each),
                           .fragments = stridedFragments(8, 4),
                           .period = 4,
                           .launch = LaunchTime::Backward};
    const auto once = [](const LinkCost& link, double bytes) { return ringAllReduceSeconds(link, bytes, 2); };
    EXPECT_NEAR(bytesPerSecond(experimentOf(fields + "\"strided\"", round.fragments)),
                bandwidthFor(round, once, {}, 0.5), 1);
    round.fragments = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
    EXPECT_NEAR(bytesPerSecond(experimentOf(fields + "\"consecutive\"", round.fragments)),
                bandwidthFor(round, once, {}, 0.5), 1);
}

TEST(NeededBandwidth, IsRefusedWhereSeveralFragmentsAreUnderWay) {
    const auto why = [](const std::string& launch, const std::string& delay) {
        return neededBy(experimentOf("name = \"streaming_diloco\"\nperiod = 5\nfragments = 2\norder = \"consecutive\"\n"
                                     "launch = \"" +
                                         launch + "\"\ndelay = " + delay,
                                     {{0, 1, 2, 3}, {4, 5, 6, 7}}),
                        0.5)
            .why;
    };
    for (const char* launch : {"step", "backward"}) {
        EXPECT_EQ(why(launch, "1"), "") << launch;
        EXPECT_THAT(why(launch, "2"), HasSubstr("set a delay of at most 1")) << "after steps 2, 5, 7, 10: " << launch;
        EXPECT_THAT(why(launch, "4"), HasSubstr("under way at once")) << launch;
    }
    // An average that is due when the next one leaves is alone.
    EXPECT_NEAR(bytesPerSecond(experimentOf("name = \"dasgd\"\nperiod = 4\ndelay = 4")), 32'000 / 0.024, 1e-2);
}

TEST(NeededBandwidth, LeavesOutTheFirstStepsAndSaysSo) {
    const std::string fields = "name = \"local_sgd\"\nperiod = 4\nsync_steps = ";
    const auto assumed = [&](const std::string& steps) { return neededBy(experimentOf(fields + steps), 0.5).assumes; };
    EXPECT_THAT(assumed("12"), testing::Contains("The first 12 steps, which average gradients, are left out."));
    EXPECT_THAT(assumed("0"), ElementsAre(HasSubstr("A third of a step")));
    EXPECT_NEAR(bytesPerSecond(experimentOf(fields + "12")), 32'000 / 0.012, 1e-2);
}

TEST(NeededBandwidth, RefusesStepsThatTheFormulaDoesNotHaveAndSaysWhatItTakesForGiven) {
    const auto with = [](const std::string& algorithm, const std::string& section, const std::string& key,
                         Value value) {
        CheckedExperiment experiment = experimentOf(algorithm);
        experiment.resolved.find(section)->set(key, std::move(value));
        return neededBy(experiment, 0.5);
    };
    const std::string averages = "name = \"local_sgd\"\nperiod = 4", gradients = "name = \"sync_sgd\"";
    const Value shares(Value::Array{Value(0.5), Value(0.5)});
    EXPECT_THAT(with(averages, "train", "accumulate", Value(std::int64_t{4})).why, HasSubstr("set accumulate = 1"));
    EXPECT_THAT(with(gradients, "compute", "gradient_shares", shares).why, HasSubstr("remove it from [compute]"));
    EXPECT_EQ(with(averages, "compute", "gradient_shares", shares).why, "") << "whole, behind the step";
    EXPECT_THAT(neededBy(experimentOf(gradients), 0.5).assumes, testing::Contains(HasSubstr("simulate convolutions")));
    EXPECT_THAT(with(averages, "network", "efficiency", Value(0.5)).assumes,
                testing::Contains(HasSubstr("efficiency and bandwidth_factors are not in it")));
    EXPECT_THAT(with(averages, "network", "collective", Value(std::string("authors-tree"))).why,
                HasSubstr("a collective such as \"ring\""));
}

TEST(NeededBandwidth, OfGradientsIsThatOfTheirBuckets) {
    // A bucket a layer, or one bucket of all, which leaves when the pass is over.
    const std::string small = "name = \"sync_sgd\"\nbucket_mb = 0.003\nfirst_bucket_mb = 0.003";
    UtilizationRound round{.stepSeconds = 0.003,
                           .layers = std::vector<SentLayer>(8, {0.00025, 4000}),
                           .fragments = stridedFragments(8, 1),
                           .launch = LaunchTime::Backward};
    const auto once = [](const LinkCost& link, double bytes) { return ringAllReduceSeconds(link, bytes, 2); };
    EXPECT_NEAR(bytesPerSecond(experimentOf(small)), bandwidthFor(round, once, {}, 0.5), 1);
    EXPECT_NEAR(bytesPerSecond(experimentOf("name = \"sync_sgd\"\nbucket_mb = 25.0\nfirst_bucket_mb = 1.0")),
                32'000 / 0.003, 1e-2);
}

TEST(NeededBandwidth, KnowsMessagesAndLatency) {
    CheckedExperiment experiment = experimentOf("name = \"local_sgd\"\nperiod = 4");
    experiment.compressed =
        CompressedExchange{.why = "", .stages = {{CompressedExchange::Collective::AllGather, 4000}}, .passes = {}};
    EXPECT_NEAR(bytesPerSecond(experiment), 4000 / 0.012, 1e-2);
    experiment.compressed->stages.push_back(experiment.compressed->stages.front());
    EXPECT_THAT(neededBy(experiment, 0.5).why, HasSubstr("set scheme = \"gather\""));
    experiment.compressed->why = "no such size";
    EXPECT_EQ(neededBy(experiment, 0.5).why, "no such size");

    experiment = experimentOf("name = \"local_sgd\"\nperiod = 4");
    put(experiment.resolved, "network", "latency", Value(std::string("1ms")));
    EXPECT_NEAR(bytesPerSecond(experiment), 32'000 / (0.012 - 0.002), 1e-2) << "two messages one after the other";
    EXPECT_EQ(bytesPerSecond(experiment, 0.99), std::numeric_limits<double>::infinity());
}

TEST(NeededBandwidth, SaysWhyThereIsNone) {
    EXPECT_THAT(
        neededBy(experimentOf("name = \"local_sgd\"\nperiod = 4", stridedFragments(8, 1), "step_time = \"measured\""),
                 0.5)
            .why,
        HasSubstr("the time of a step is not given"));
    EXPECT_THAT(neededBy(experimentOf("name = \"ssp\""), 0.5).why, Not(testing::IsEmpty()));
    CheckedExperiment experiment = experimentOf("name = \"local_sgd\"\nperiod = 4");
    put(experiment.resolved, "network", "name", Value(std::string("torus")));
    EXPECT_THAT(neededBy(experiment, 0.5).why, HasSubstr("set name = \"star\""));
    EXPECT_THAT(neededBy(experimentOf("name = \"local_sgd\"\nperiod = 4"), 0.5).assumes,
                ElementsAre(HasSubstr("A third of a step")));
}

}  // namespace
}  // namespace dasgd::experiments
