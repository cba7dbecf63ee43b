#include "experiments/tools/advise/formula_times.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>

#include "core/cost/step_time.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using Kind = CommunicationPattern::Kind;

// T_m of all weights on the ring of 4: 24 ms.
const ClusterFacts kFacts{
    .workers = 4, .stepSeconds = 0.010, .bytes = 400'000, .link = {.alpha = 0, .beta = 0.024 / (1.5 * 400'000)}};
const Advice kAdvice{.period = 3, .delay = 3};

FieldInfo wholeField(const char* name, const char* fallback) {
    return {.name = name, .type = "integer", .defaultToml = fallback, .optional = false, .spec = {}, .children = {}};
}

FormulaTime timeOf(CommunicationPattern pattern, std::vector<FieldInfo> fields, const ClusterFacts& facts = kFacts) {
    const std::vector<AlgorithmInfo> algorithms{{{.name = "any", .fields = std::move(fields)}, pattern}};
    return formulaTimes(facts, kAdvice, algorithms).at(0);
}

TEST(FormulaTimes, AreOfTheAdvisedPeriodAndDelayUnderTheFieldsOwnNames) {
    const FormulaTime one =
        timeOf(averagesEvery(ofField("rounds"), ofField("lag")), {wholeField("rounds", "8"), wholeField("lag", "1")});
    EXPECT_EQ(one.settings.toToml(), "{ name = \"any\", rounds = 3, lag = 3 }");
    ASSERT_TRUE(one.stepSeconds) << one.why;
    EXPECT_DOUBLE_EQ(*one.stepSeconds, 0.010);
    EXPECT_DOUBLE_EQ(*one.hidden, 1);
    const FormulaTime blocking = timeOf(averagesEvery(ofField("rounds")), {wholeField("rounds", "8")});
    EXPECT_NEAR(*blocking.stepSeconds, 0.010 + 0.024 / 3, 1e-12);
    EXPECT_DOUBLE_EQ(*blocking.hidden, 0);
}

TEST(FormulaTimes, ADelayWithinAFragmentsTurnLengthensThePeriod) {
    CommunicationPattern parts = averagesEvery(ofField("rounds"), ofField("lag"));
    parts.fragments = ofField("parts");
    parts.delayBelowInterval = true;
    const FormulaTime one =
        timeOf(parts, {wholeField("rounds", "8"), wholeField("lag", "1"), wholeField("parts", "2")});
    EXPECT_EQ(one.settings.toToml(), "{ name = \"any\", rounds = 8, lag = 3 }");
    ASSERT_TRUE(one.stepSeconds) << one.why;
    EXPECT_DOUBLE_EQ(*one.stepSeconds, 0.010) << "12 ms of half the weights behind 30 ms";
}

// Messages of a tenth of the weights to three others: 12 ms; coding takes 10 passes of 4 ms.
TEST(FormulaTimes, OfAlgorithmsThatCompressAreThoseOfTheMessages) {
    ClusterFacts facts = kFacts;
    facts.memoryBytesPerSecond = 1e8;
    facts.compressed = CompressedExchange{.why = "",
                                          .stages = {{CompressedExchange::Collective::AllGather, 100'000}},
                                          .passes = {.encode = 6, .recode = 0, .decode = 4}};
    std::vector<AlgorithmInfo> algorithms{
        {{.name = "plain", .fields = {wholeField("rounds", "8")}}, withCoding({}, averagesEvery(ofField("rounds")))}};
    algorithms.push_back(algorithms[0]);
    algorithms[1].reads = {"compression"};
    const auto times = formulaTimes(facts, kAdvice, algorithms);
    EXPECT_NEAR(*times[0].stepSeconds, 0.010 + 0.024 / 3, 1e-12);
    EXPECT_EQ(times[0].sentBytes, 600'000);
    EXPECT_THAT(times[0].assumes, ::testing::ElementsAre(HasSubstr("uncompressed")));
    EXPECT_NEAR(*times[1].stepSeconds, 0.010 + (0.012 + 0.040) / 3, 1e-12);
    EXPECT_EQ(times[1].sentBytes, 300'000);
    EXPECT_TRUE(times[1].assumes.empty());
    facts.compressed->why = "it warms up";
    EXPECT_EQ(formulaTimes(facts, kAdvice, algorithms)[1].why, "it warms up");
}

TEST(FormulaTimes, WithoutAFormulaTheySayWhy) {
    EXPECT_EQ(timeOf(noFormula("it measures"), {}).why, "it measures");
    EXPECT_FALSE(timeOf(noFormula("it measures"), {}).stepSeconds);
    const CommunicationPattern buckets{.kind = Kind::Gradients, .firstBucketMb = 0.1};
    EXPECT_THAT(timeOf(buckets, {}).why, HasSubstr("simulated"));
    const CommunicationPattern oneBucket{.kind = Kind::Gradients, .firstBucketMb = 25};
    EXPECT_NEAR(*timeOf(oneBucket, {}).stepSeconds, 0.034, 1e-12);
    const FormulaTime alone = timeOf({.kind = Kind::None}, {});
    EXPECT_DOUBLE_EQ(*alone.stepSeconds, 0.010);
    EXPECT_FALSE(alone.hidden);
    ClusterFacts unknown = kFacts;
    unknown.link = {};
    EXPECT_TRUE(formulaTimes(unknown, kAdvice, {{{.name = "any"}}}).empty());
}

}  // namespace
}  // namespace dasgd::experiments
