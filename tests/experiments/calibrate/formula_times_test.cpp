#include "experiments/calibrate/formula_times.h"

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

FieldInfo whole(const char* name, const char* fallback) {
    return {.name = name, .type = "integer", .defaultToml = fallback, .optional = false, .spec = {}, .children = {}};
}

FormulaTime timeOf(CommunicationPattern pattern, std::vector<FieldInfo> fields, const ClusterFacts& facts = kFacts) {
    const std::vector<SchemaPlugin> algorithms{
        {.name = "any", .summary = {}, .reference = {}, .fields = std::move(fields), .communication = pattern}};
    return formulaTimes(facts, kAdvice, algorithms).at(0);
}

TEST(FormulaTimes, AreOfTheAdvisedPeriodAndDelayUnderTheFieldsOwnNames) {
    const FormulaTime one =
        timeOf(averagesEvery(ofField("rounds"), ofField("lag")), {whole("rounds", "8"), whole("lag", "1")});
    EXPECT_EQ(one.settings.toToml(), "{ name = \"any\", rounds = 3, lag = 3 }");
    ASSERT_TRUE(one.stepSeconds) << one.why;
    EXPECT_DOUBLE_EQ(*one.stepSeconds, 0.010);
    EXPECT_DOUBLE_EQ(*one.hidden, 1);
    const FormulaTime blocking = timeOf(averagesEvery(ofField("rounds")), {whole("rounds", "8")});
    EXPECT_NEAR(*blocking.stepSeconds, 0.010 + 0.024 / 3, 1e-12);
    EXPECT_DOUBLE_EQ(*blocking.hidden, 0);
}

TEST(FormulaTimes, ADelayWithinAFragmentsTurnLengthensThePeriod) {
    CommunicationPattern parts = averagesEvery(ofField("rounds"), ofField("lag"));
    parts.fragments = ofField("parts");
    parts.delayBelowInterval = true;
    const FormulaTime one = timeOf(parts, {whole("rounds", "8"), whole("lag", "1"), whole("parts", "2")});
    EXPECT_EQ(one.settings.toToml(), "{ name = \"any\", rounds = 8, lag = 3 }");
    ASSERT_TRUE(one.stepSeconds) << one.why;
    EXPECT_DOUBLE_EQ(*one.stepSeconds, 0.010) << "12 ms of half the weights behind 30 ms";
}

TEST(FormulaTimes, WithoutAFormulaTheySayWhy) {
    EXPECT_EQ(timeOf(noFormula("it measures"), {}).why, "it measures");
    EXPECT_FALSE(timeOf(noFormula("it measures"), {}).stepSeconds);
    const CommunicationPattern buckets{.kind = Kind::Gradients, .firstBucketMb = {.value = 0.1}};
    EXPECT_THAT(timeOf(buckets, {}).why, HasSubstr("simulated"));
    const CommunicationPattern oneBucket{.kind = Kind::Gradients, .firstBucketMb = {.value = 25}};
    EXPECT_NEAR(*timeOf(oneBucket, {}).stepSeconds, 0.034, 1e-12);
    const FormulaTime alone = timeOf({.kind = Kind::None}, {});
    EXPECT_DOUBLE_EQ(*alone.stepSeconds, 0.010);
    EXPECT_FALSE(alone.hidden);
    ClusterFacts unknown = kFacts;
    unknown.link = {};
    EXPECT_TRUE(formulaTimes(unknown, kAdvice, {{.name = "any"}}).empty());
}

}  // namespace
}  // namespace dasgd::experiments
