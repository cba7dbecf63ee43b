// Communication patterns that algorithms declare, held against the virtual cluster: equal ranks on a star, time only;
// compressed exchanges too.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/analysis/runs/configuration.h"
#include "core/compression/sent_bytes.h"
#include "core/cost/communication_pattern.h"
#include "core/cost/memory/memory_passes.h"
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
double meanStep(const RankRecord& record, std::int64_t window) {
    EXPECT_EQ(record.outcome.error, "");
    std::map<std::int64_t, Ns> began;
    for (const Span& span : record.sink.spans) {
        if (span.kind == SpanKind::Forward) began.emplace(span.step, span.start);
    }
    return seconds(began.at(kFrom + window) - began.at(kFrom)) / static_cast<double>(window);
}
double simulatedStep(const Value& algorithm, const std::string& bandwidth, std::int64_t window) {
    return meanStep(trainVirtually(documentOf(algorithm, bandwidth, window))[0], window);
}

Result<CommunicationRound> roundOfAlgorithm(const std::string& name, const Value& settings,
                                            const CompressedExchange* compressed = nullptr) {
    const auto* entry = AlgorithmRegistry::find(name);
    DASGD_ASSIGN(const Value resolved, entry->resolve(settings, {"name"}));
    const Settings fields = settingsOf(resolved);
    const PatternValues values = [&](const std::string& field) -> std::optional<std::string> {
        const auto found = fields.find(field);
        return found == fields.end() ? std::nullopt : std::optional(found->second);
    };
    return roundOf(entry->traits, values, 2 * kFrom + 1, compressed);
}

// An element more than the weights (the loss of adacomm, the push-sum weight of sgp) and the rounding of a ring's parts
// to elements are 1e-4 of a step at most.
void expectTheFormula(const std::string& name, const Value& settings, const std::string& bandwidth,
                      double bytesPerSecond) {
    auto round = roundOfAlgorithm(name, settings);
    ASSERT_TRUE(round) << round.error().message;
    *round = withMessages(std::move(*round), kBytes, kWorkers);
    const std::int64_t steps = round->period * round->fragments, window = (kFrom + steps - 1) / steps * steps;
    const LinkCost link{.alpha = 50e-6, .beta = 1 / bytesPerSecond};
    const ExchangeSeconds exchange = exchangeSeconds(*round, {}, link, kBytes, kWorkers);
    const double expected = roundStepSeconds(*round, kPatternStep, exchange);
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

// Behind its first steps a part of 16,384 signs and a scale goes to each of three others, and as much comes back; the
// formula leaves out the scales, 4 bytes in 2,052.
TEST(PatternOfOwnCoding, OnebitAdamTakesTheTimeAndTheBytesOfItsFormula) {
    const Value settings = table({{"name", text("onebit_adam")}, {"freeze_steps", integer(3)}});
    Value document = documentOf(settings, "2Mbps", kFrom);
    Value compute = *document.find("compute");
    compute.set("memory_bandwidth", text("1GB/s"));
    document.set("compute", compute);
    const auto records = trainVirtually(document);
    auto round = roundOfAlgorithm("onebit_adam", settings);
    ASSERT_TRUE(round) << round.error().message;
    EXPECT_THAT(round->assumes, ::testing::Contains(::testing::HasSubstr("first 3 steps")));
    *round = withMessages(std::move(*round), kBytes, kWorkers);
    constexpr double kRate = 2e6 / 8;
    const LinkCost link{.alpha = 50e-6, .beta = 1 / kRate};
    const ExchangeSeconds exchange = exchangeSeconds(*round, {}, link, kBytes, kWorkers, 1e9);
    const double scales = 2 * 3 * 4 / kRate;
    EXPECT_NEAR(meanStep(records[0], kFrom), roundStepSeconds(*round, kPatternStep, exchange) + scales, 1e-6);
    EXPECT_GT(exchange.coding(), 0.1 * kPatternStep) << "of a slow memory";
    const std::int64_t coded = kFrom + kFrom + 1 - 3;
    const std::int64_t sent = sentInExchange(*round, static_cast<std::int64_t>(kBytes), kWorkers);
    EXPECT_EQ(sent, 2 * 3 * 2048);
    EXPECT_EQ(records[0].sink.metrics.at("train/step_ms").back().bytesSent,
              3 * static_cast<std::int64_t>(1.5 * kBytes) + coded * (sent + 2 * 3 * 4));
}

TEST(PatternOfOwnCoding, OneWorkerCodesNothing) {
    auto round = roundOfAlgorithm("onebit_adam", table({{"name", text("onebit_adam")}, {"freeze_steps", integer(3)}}));
    ASSERT_TRUE(round);
    *round = withMessages(std::move(*round), kBytes, 1);
    EXPECT_EQ(exchangeSeconds(*round, {}, {.alpha = 1, .beta = 1}, kBytes, 1, 1e9).transfers(), 0);
    EXPECT_EQ(exchangeSeconds(*round, {}, {.alpha = 1, .beta = 1}, kBytes, 1, 1e9).coding(), 0);
}

struct CompressedSetting {
    std::string name;
    Fields algorithm, compression;
    int workers = kWorkers;
    std::string collective = "ring", memory = "1000TB/s";
    double memoryRate = 1e15;
    double ownPasses = 0;   // of a round's snapshot and merge, which are in no formula
    double stepPasses = 0;  // of each step, which are part of its computing
    bool atZero = false;    // the first exchange leaves at the start
};

std::vector<std::pair<std::string, Fields>> operatorsOfEachScheme() {
    return {{"gather", {{"name", text("topk")}, {"ratio", number(0.013)}}},
            {"shard", {{"name", text("sign")}}},
            {"shard_blocks", {{"name", text("int")}, {"block", integer(100)}}},
            {"sum", {{"name", text("randk")}, {"ratio", number(0.125)}}},
            {"factors", {{"name", text("powersgd")}, {"rank", integer(3)}}},
            {"sketch", {{"name", text("sketch")}, {"rows", integer(3)}, {"columns", integer(1000)}}}};
}

Fields dasgdOf(std::int64_t period, std::int64_t delay) {
    return {{"name", text("dasgd")}, {"period", integer(period)}, {"delay", integer(delay)}};
}

// Passes of the snapshot and the merge of a blend.
constexpr double kBlendPasses = passesOfSnapshot(false) + passesOfMerge(true, false);
constexpr double kCorrectedPasses = passesOfSnapshot(true) + passesOfMerge(false, true);

std::vector<CompressedSetting> compressedSettings() {
    const Fields sync{{"name", text("sync_sgd")}, {"first_bucket_mb", number(25)}};
    std::vector<CompressedSetting> all;
    for (const auto& [scheme, fields] : operatorsOfEachScheme()) {
        for (const int workers : {2, 4, 8}) {
            const std::string of = "_" + scheme + "_" + std::to_string(workers);
            all.push_back({"sync" + of, sync, fields, workers});
            all.push_back({"blocking" + of, dasgdOf(4, 0), fields, workers});
            all.push_back({"delay1" + of, dasgdOf(4, 1), fields, workers});
            all.push_back({"delay3" + of, dasgdOf(4, 3), fields, workers});
        }
        all.push_back({.name = "sync_" + scheme + "_memory",
                       .algorithm = sync,
                       .compression = fields,
                       .memory = "10GB/s",
                       .memoryRate = 1e10});
        all.push_back({.name = "delay3_" + scheme + "_memory",
                       .algorithm = dasgdOf(4, 3),
                       .compression = fields,
                       .memory = "10GB/s",
                       .memoryRate = 1e10,
                       .ownPasses = kBlendPasses});
    }
    const Fields gathered = operatorsOfEachScheme()[0].second, sharded = operatorsOfEachScheme()[1].second;
    const auto atMemory = [&](const std::string& name, const Fields& algorithm, double ownPasses, double stepPasses = 0,
                              bool atZero = false) {
        for (const auto& [scheme, fields] : {std::pair{"gather", gathered}, std::pair{"shard", sharded}}) {
            all.push_back({.name = name + "_" + scheme + "_memory",
                           .algorithm = algorithm,
                           .compression = fields,
                           .memory = "10GB/s",
                           .memoryRate = 1e10,
                           .ownPasses = ownPasses,
                           .stepPasses = stepPasses,
                           .atZero = atZero});
        }
    };
    atMemory("local_sgd", {{"name", text("local_sgd")}}, passesOfSnapshot(false) + passesOfMerge(false, false));
    atMemory("cocod_sgd", {{"name", text("cocod_sgd")}, {"period", integer(3)}}, kCorrectedPasses, 0, true);
    // Each gradient is added to a sum.
    atMemory("dga", {{"name", text("dga")}}, kCorrectedPasses, kPassesOfCopy);
    for (const int workers : {2, 8}) {
        const std::string of = "_" + std::to_string(workers);
        all.push_back({"sync_dgc" + of, sync, {{"name", text("dgc")}, {"ratio", number(0.01)}}, workers});
        all.push_back({"sync_fetch_sgd" + of,
                       sync,
                       {{"name", text("sketch")}, {"error", text("sketch")}, {"columns", integer(1000)}},
                       workers});
        // The sums of gs-SGD.
        all.push_back({"sync_tree" + of, sync, operatorsOfEachScheme().back().second, workers, "tree"});
    }
    return all;
}

class CompressedPattern : public ::testing::TestWithParam<CompressedSetting> {
protected:
    static constexpr double kCompressedBandwidth = 2e6 / 8;  // bytes per second

    [[nodiscard]] static Value document(std::int64_t window) {
        const CompressedSetting& setting = GetParam();
        Value made = documentOf(table(setting.algorithm), "2Mbps", window);
        made.set("compression", table(setting.compression));
        const auto put = [&made](const char* section, const char* key, Value value) {
            Value changed = *made.find(section);
            changed.set(key, std::move(value));
            made.set(section, std::move(changed));
        };
        put("cluster", "workers", integer(setting.workers));
        put("network", "collective", text(setting.collective));
        put("compute", "memory_bandwidth", text(setting.memory));
        return made;
    }
    // Bytes of one rank until step `steps` is done, by a ring.
    [[nodiscard]] static std::int64_t sentUntil(const CommunicationRound& round, std::int64_t steps) {
        const auto& stages = round.compressed->stages;
        std::int64_t sent = 0;
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            const std::int64_t half = round.delay > 1 ? (round.delay + 1) / 2 : round.delay;
            const std::int64_t leaves = steps - (stage > 0 ? half : 0);
            const std::int64_t times = leaves / round.period + (GetParam().atZero ? 1 : 0);
            sent += times * sentInStage(stages[stage], GetParam().workers);
        }
        return sent;
    }
};

// One bit of each weight takes 49 ms at two Mbit/s.
TEST_P(CompressedPattern, TakesTheTimeAndTheBytesOfItsFormula) {
    const CompressedSetting& setting = GetParam();
    const Value algorithm = table(setting.algorithm);
    const auto experiment = readExperiment(document(kFrom));
    ASSERT_TRUE(experiment) << experiment.error().message;
    const CompressedExchange compressed = compressedExchange(
        *experiment->compression,
        {.shapes = {{128, 128}, {128, 128}, {128, 128}, {128, 128}}, .elementBytes = 4, .ranks = setting.workers});
    const auto round = roundOfAlgorithm(experiment->algorithmName, algorithm, &compressed);
    ASSERT_TRUE(round) << round.error().message;
    const std::int64_t window = (kFrom + round->period - 1) / round->period * round->period;
    const auto records = trainVirtually(document(window));
    const AllReduceKind kind{.method = allReduceMethodNamed(setting.collective).value()};
    const LinkCost link{.alpha = 50e-6, .beta = 1 / kCompressedBandwidth};
    const ExchangeSeconds exchange = exchangeSeconds(*round, kind, link, kBytes, setting.workers, setting.memoryRate);
    EXPECT_EQ(exchange.second > 0, compressed.stages.size() > 1);
    const double pass = kBytes / setting.memoryRate;
    const double expected = roundStepSeconds(*round, kPatternStep + setting.stepPasses * pass, exchange) +
                            setting.ownPasses * pass / static_cast<double>(round->period);
    EXPECT_NEAR(meanStep(records[0], window), expected, 1e-4 * expected);
    if (setting.collective != "ring") return;
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.sink.metrics.at("train/step_ms").back().bytesSent, sentUntil(*round, kFrom + window + 1));
    }
}

INSTANTIATE_TEST_SUITE_P(Chosen, CompressedPattern, ::testing::ValuesIn(compressedSettings()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace dasgd::test
