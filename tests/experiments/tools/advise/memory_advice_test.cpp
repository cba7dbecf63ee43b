#include "experiments/tools/advise/memory_advice.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "core/base/schema/toml_reader.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::vector<AlgorithmInfo>& knownAlgorithms() {
    static const std::vector<AlgorithmInfo> kAll = registeredAlgorithms();
    return kAll;
}

CheckedExperiment checkedWith(const std::string& algorithm, const std::string& more = "",
                              const std::string& backend = "gloo") {
    return test::orDie(checkExperiment(
        test::orDie(parseToml("[algorithm]\n" + algorithm +
                                  "[model]\nname = \"mlp\"\n[optimizer]\nname = \"sgd\"\nmomentum = 0.9\n"
                                  "[cluster]\nworkers = 2\nbackend = \"" +
                                  backend + "\"\n" + more,
                              "e.toml"))));
}

const MemoryRow& ownRow(const MemoryAdvice& advice) {
    const auto found = std::ranges::find(advice.rows, true, &MemoryRow::isExperiments);
    EXPECT_NE(found, advice.rows.end());
    return *found;
}

TEST(MemoryAdvice, CountsWhatTheFilesAlgorithmCopies) {
    const auto copies = [&](const std::string& algorithm) {
        const CheckedExperiment experiment = checkedWith(algorithm);
        EXPECT_EQ(experiment.optimizerTensors, 1);
        const MemoryAdvice advice = test::orDie(memoryAdvice(experiment, knownAlgorithms(), std::nullopt));
        return ownRow(advice).memory.copies / advice.parameters;
    };
    EXPECT_EQ(copies("name = \"sync_sgd\"\n"), 0);
    EXPECT_EQ(copies("name = \"local_sgd\"\n"), 0);
    EXPECT_EQ(copies("name = \"local_sgd\"\noptimizer_state = \"average\"\n"), 8) << "weights and momentum leave";
    EXPECT_EQ(copies("name = \"dasgd\"\n"), 4);
    EXPECT_EQ(copies("name = \"dasgd\"\ncorrection = 1.0\n"), 8);
    EXPECT_EQ(copies("name = \"dasgd\"\ndelay = 0\nlocal_weight = 0.0\n"), 0);
    EXPECT_EQ(copies("name = \"zero_sgd\"\n"), 8 / 2);
}

TEST(MemoryAdvice, DividesWeightsAndGradientsTooInStageThree) {
    const CheckedExperiment experiment = checkedWith(
        "name = \"zero_sgd\"\nstage = 3\n", "[compute]\nmode = \"time-only\"\nstep_time = \"1ms\"\n", "virtual");
    const MemoryAdvice advice = test::orDie(memoryAdvice(experiment, knownAlgorithms(), std::nullopt));
    EXPECT_EQ(ownRow(advice).memory.sum() / advice.parameters, 12.0 / 2);
    EXPECT_EQ(ownRow(advice).memory.copies, 0);
}

// mlp on the digits has 784·128 + 128 weights in its first layer, of 101,770.
TEST(MemoryAdvice, CountsTheLargestStageOfAModelThatIsCut) {
    const auto adviceOf = [](const std::string& algorithm) {
        const CheckedExperiment experiment = test::orDie(checkExperiment(test::orDie(
            parseToml("[algorithm]\nname = \"" + algorithm +
                          "\"\n[model]\nname = \"mlp\"\nhidden = [128, 64]\n[optimizer]\nname = \"sgd\"\nmomentum = "
                          "0.9\n[cluster]\nworkers = 6\nstages = 3\nbackend = \"gloo\"\n",
                      "e.toml"))));
        const StageSizes stages = test::orDie(stageParameters(experiment.resolved));
        EXPECT_EQ(stages.size(), 3U);
        std::int64_t all = 0;
        for (const auto& sizes : stages) all += std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
        EXPECT_EQ(all, experiment.parameters);
        return test::orDie(memoryAdvice(experiment, knownAlgorithms(), std::nullopt, stages));
    };
    constexpr double kFirst = 784 * 128 + 128, kSecond = 128 * 64 + 64, kAll = kFirst + kSecond + 64 * 10 + 10;
    const MemoryAdvice advice = adviceOf("pipeline");
    EXPECT_EQ(advice.ranks, 2) << "replicas";
    EXPECT_EQ(advice.stage, 1);
    EXPECT_EQ(advice.parameters, kFirst);
    EXPECT_EQ(advice.wholeParameters, kAll);
    const auto zero = std::ranges::find(advice.rows, "ZeRO-3", &MemoryRow::name);
    ASSERT_NE(zero, advice.rows.end());
    EXPECT_EQ(zero->memory.sum(), 12 * kFirst / 2);
    EXPECT_EQ(ownRow(advice).memory.weights, 4 * kAll) << "this engine divides none of these";
    EXPECT_EQ(ownRow(advice).memory.gradients, 4 * kAll);
    EXPECT_EQ(ownRow(advice).memory.optimizer, 4 * kFirst);
    EXPECT_EQ(ownRow(advice).memory.copies, 0);
    EXPECT_THAT(advice.remarks, Contains(HasSubstr("rows count stage 1 of 3")));
    EXPECT_EQ(ownRow(adviceOf("fdg")).memory.copies, 4 * 4 * kFirst) << "of four passes";
}

TEST(MemoryAdvice, SaysWhatItDoesNotCount) {
    const MemoryAdvice advice =
        test::orDie(memoryAdvice(checkedWith("name = \"diloco\"\n"), knownAlgorithms(), std::nullopt));
    EXPECT_EQ(std::ranges::count(advice.rows, true, &MemoryRow::isExperiments), 0);
    EXPECT_THAT(advice.remarks, Contains(HasSubstr("diloco, has no row")));
}

TEST(MemoryAdvice, CountsNumbersOfTheFilesType) {
    const MemoryAdvice advice = test::orDie(memoryAdvice(
        checkedWith("name = \"sync_sgd\"\n", "[train]\nprecision = \"float64\"\n"), knownAlgorithms(), std::nullopt));
    EXPECT_EQ(ownRow(advice).memory.sum() / advice.parameters, 24);
    EXPECT_EQ(advice.published.front().memory.sum() / advice.parameters, 16) << "another number type, as published";
}

// Without a link that is known, plans are by what a rank sends.
TEST(MemoryAdvice, PlansByBytesWhereNoNetworkIsGiven) {
    const CheckedExperiment experiment = checkedWith("name = \"sync_sgd\"\n");
    const MemoryAdvice whole = test::orDie(memoryAdvice(experiment, knownAlgorithms(), 1e15));
    ASSERT_TRUE(whole.plan);
    EXPECT_FALSE(whole.plan->isTimed);
    EXPECT_DOUBLE_EQ(whole.plan->chosen.seconds, 2 * 0.5 * 4 * whole.parameters);
    EXPECT_DOUBLE_EQ(whole.plan->divided.seconds, 3 * 0.5 * 4 * whole.parameters);
    EXPECT_DOUBLE_EQ(whole.plan->chosen.bytes, 12 * whole.parameters);
    EXPECT_THAT(memoryAdvice(experiment, knownAlgorithms(), 900).error().message,
                HasSubstr("--limit is 900 B, and the least that the state takes on each of 2 ranks is"));
}

}  // namespace
}  // namespace dasgd::experiments
