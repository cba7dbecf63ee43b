// Communication patterns that algorithms declare, held against the virtual cluster: equal ranks on a star, time only.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/analysis/configuration.h"
#include "core/cost/communication_pattern.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

constexpr double kPatternStep = 0.020;
constexpr double kBytes = 4.0 * 4 * 128 * 128;  // of four equal layers, so that fragments are equal too
constexpr int kWorkers = 4;
// A window of whole rounds in steady state begins here, and has at least as many steps.
constexpr std::int64_t kFrom = 24;

Value documentOf(const Value& algorithm, const std::string& bandwidth, std::int64_t window) {
    return table(
        {{"algorithm", algorithm},
         {"model",
          table({{"name", text("layer_table")}, {"dense", matrix({{128, 128}, {128, 128}, {128, 128}, {128, 128}})}})},
         {"train", table({{"steps", integer(kFrom + window + 1)}, {"batch_size", integer(8)}})},
         {"cluster", table({{"backend", text("virtual")}, {"workers", integer(kWorkers)}})},
         {"network", table({{"name", text("star")}, {"bandwidth", text(bandwidth)}, {"latency", text("50us")}})},
         {"compute",
          table({{"mode", text("time-only")}, {"step_time", text("20ms")}, {"memory_bandwidth", text("1000TB/s")}})}});
}

// Mean seconds of a step, from the beginning of step kFrom to that of the one `window` later.
double simulatedStep(const Value& algorithm, const std::string& bandwidth, std::int64_t window) {
    const auto records = trainVirtually(documentOf(algorithm, bandwidth, window));
    EXPECT_EQ(records[0].outcome.error, "");
    std::map<std::int64_t, Ns> began;
    for (const Span& span : records[0].sink.spans) {
        if (span.kind == SpanKind::Forward) began.emplace(span.step, span.start);
    }
    return seconds(began.at(kFrom + window) - began.at(kFrom)) / static_cast<double>(window);
}

Result<CommunicationRound> roundOfAlgorithm(const std::string& name, const Value& settings) {
    const auto* entry = AlgorithmRegistry::find(name);
    DASGD_ASSIGN(const Value resolved, entry->resolve(settings, {"name"}));
    const Settings fields = settingsOf(resolved);
    const PatternValues values = [&](const std::string& field) -> std::optional<std::string> {
        const auto found = fields.find(field);
        return found == fields.end() ? std::nullopt : std::optional(found->second);
    };
    return roundOf(entry->traits, values, 2 * kFrom + 1);
}

// An element more than the weights (the loss of adacomm, the push-sum weight of sgp) and the rounding of a ring's parts
// to elements are 1e-4 of a step at most.
void expectTheFormula(const std::string& name, const Value& settings, const std::string& bandwidth,
                      double bytesPerSecond) {
    const auto round = roundOfAlgorithm(name, settings);
    ASSERT_TRUE(round) << round.error().message;
    const std::int64_t steps = round->period * round->fragments, window = (kFrom + steps - 1) / steps * steps;
    const LinkCost link{.alpha = 50e-6, .beta = 1 / bytesPerSecond};
    const double average = exchangeSeconds(*round, {}, link, kBytes, kWorkers);
    const double expected = roundStepSeconds(*round, kPatternStep, average);
    EXPECT_NEAR(simulatedStep(settings, bandwidth, window), expected, 1e-4 * expected) << name << " at " << bandwidth;
}

std::vector<std::string> algorithmsWithFormula() {
    std::vector<std::string> names;
    for (const auto& [name, entry] : AlgorithmRegistry::entries()) {
        if (entry.traits.kind >= CommunicationPattern::Kind::None) names.push_back(name);
    }
    return names;
}

// The algorithm's defaults, in one bucket where there are buckets, and with the numbers without which there is no
// formula.
Value plainSettings(const std::string& name) {
    Value settings = table({{"name", text(name)}});
    const CommunicationPattern& pattern = AlgorithmRegistry::find(name)->traits;
    const std::string& bucket = pattern.firstBucketMb.field;
    if (!bucket.empty()) settings.set(bucket, number(25));
    for (const PatternLimit& limit : pattern.limits) {
        if (limit.unless) settings.set(limit.field, integer(std::stoll(limit.value)));
    }
    return settings;
}

// The default of ssp lets workers come apart.
TEST(PatternTime, WorkersThatMayLeadHaveNoFormula) {
    const auto round = roundOfAlgorithm("ssp", table({{"name", text("ssp")}}));
    ASSERT_FALSE(round);
    EXPECT_THAT(round.error().message, ::testing::HasSubstr("staleness above 0"));
}

TEST(PatternTime, EveryAlgorithmDeclaresItsPatternOrWhyThereIsNone) {
    for (const auto& [name, entry] : AlgorithmRegistry::entries()) {
        const CommunicationPattern& pattern = entry.traits;
        EXPECT_NE(pattern.kind, CommunicationPattern::Kind::Undeclared) << name;
        EXPECT_EQ(pattern.kind == CommunicationPattern::Kind::NoFormula, !pattern.why.empty()) << name;
        for (const std::string& field : fieldsOf(pattern)) {
            EXPECT_NE(std::ranges::find(entry.fields, field, &FieldInfo::name), entry.fields.end())
                << name << " has no field " << field;
        }
    }
}

class EveryPattern : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

// T_m is 158 ms, eight steps, or 32 ms; of messages to one peer 105 ms or 21 ms.
TEST_P(EveryPattern, TakesTheTimeOfItsFormula) {
    const auto& [name, megabits] = GetParam();
    expectTheFormula(name, plainSettings(name), std::to_string(megabits) + "Mbps", megabits * 1e6 / 8);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryPattern,
                         ::testing::Combine(::testing::ValuesIn(algorithmsWithFormula()), ::testing::Values(20, 100)));

class PatternOfSettings : public ::testing::TestWithParam<int> {};

std::vector<Fields> otherSettings() {
    return {
        {{"name", text("dasgd")}, {"period", integer(6)}, {"delay", integer(0)}},
        {{"name", text("dasgd")}, {"period", integer(6)}, {"delay", integer(5)}, {"offset", integer(2)}},
        {{"name", text("dga")}, {"period", integer(3)}, {"delay", integer(1)}},
        {{"name", text("loscar")}, {"period", integer(6)}, {"delay", integer(2)}, {"share", number(0.5)}},
        {{"name", text("oldsgd")}, {"period", integer(2)}},
        {{"name", text("cocod_sgd")}, {"period", integer(1)}},
        {{"name", text("eager_diloco")}, {"period", integer(3)}},
        {{"name", text("streaming_diloco")}, {"period", integer(8)}, {"fragments", integer(4)}},
        {{"name", text("streaming_diloco")}, {"period", integer(12)}, {"fragments", integer(2)}, {"delay", integer(5)}},
        {{"name", text("sgp")}, {"overlap", boolean(true)}},
        {{"name", text("sgp")}, {"peers", integer(2)}},
        {{"name", text("sgp")}, {"peers", integer(3)}, {"overlap", boolean(true)}},
        {{"name", text("post_local_sgd")}, {"sync_steps", integer(1000)}, {"first_bucket_mb", number(25)}},
        {{"name", text("ssp")}, {"staleness", integer(0)}, {"servers", integer(2)}},
        {{"name", text("ssp")}, {"staleness", integer(0)}, {"servers", integer(3)}}};
}

TEST_P(PatternOfSettings, TakesTheTimeOfItsFormula) {
    const Value settings = table(otherSettings()[static_cast<std::size_t>(GetParam())]);
    expectTheFormula(*settings.find("name")->as<std::string>(), settings, "50Mbps", 50e6 / 8);
}

INSTANTIATE_TEST_SUITE_P(Chosen, PatternOfSettings, ::testing::Range(0, 15));

}  // namespace
}  // namespace dasgd::test
