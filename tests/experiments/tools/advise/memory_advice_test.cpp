#include "experiments/tools/advise/memory_advice.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/schema/toml_reader.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::vector<SchemaPlugin>& knownAlgorithms() {
    static const std::vector<SchemaSection> kSchema = experimentSchema();
    return std::ranges::find(kSchema, "algorithm", &SchemaSection::name)->plugins;
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
