// Bytes on the wire against the rules, in plain arithmetic.
#include "core/compression/sent_bytes.h"

#include <gmock/gmock.h>

#include "tests/support/document.h"

namespace dasgd::test {
namespace {

CompressionSettings settingsOf(const std::string& name, Fields fields, const std::string& scheme = "auto",
                               const std::string& scope = "tensor") {
    CompressionSettings settings{
        .name = name,
        .compressor = CompressorRegistry::find(name)->create(table(std::move(fields)), {}).value(),
        .params = {.scheme = scheme, .scope = scope}};
    EXPECT_FALSE(settleScheme(*settings.compressor, settings.params));
    return settings;
}

// A matrix of 40 × 25 numbers and a vector of 40.
SentModel model(int ranks, std::int64_t elementBytes = 4) {
    return {.shapes = {{40, 25}, {40}}, .elementBytes = elementBytes, .ranks = ranks};
}

TEST(SentBytes, AreThoseOfTheMessagesByEachScheme) {
    for (const int ranks : {1, 2, 4, 7, 8}) {
        const double others = ranks - 1;
        EXPECT_EQ(sentBytes(settingsOf("sign", {}, "gather"), model(ranks)), others * (125 + 4 + 5 + 4));
        EXPECT_EQ(sentBytes(settingsOf("sign", {}, "gather", "model"), model(ranks)), others * (130 + 4));
        EXPECT_EQ(sentBytes(settingsOf("topk", {{"ratio", number(0.01)}}), model(ranks)), others * (10 + 1) * 8);
        EXPECT_EQ(sentBytes(settingsOf("topk", {{"ratio", number(0.01)}}), model(ranks, 8)), others * (10 + 1) * 12);
        // A part is ⌈1040 / P⌉ numbers, and the rows of all parts are as long as the longest.
        const std::int64_t part = (1040 + ranks - 1) / ranks;
        const double row = static_cast<double>((part + 7) / 8 + 4);
        EXPECT_DOUBLE_EQ(sentBytes(settingsOf("sign", {}, "shard", "model"), model(ranks)), 2 * others * row);
        EXPECT_DOUBLE_EQ(sentBytes(settingsOf("fp16", {}), model(ranks)), 2 * others * static_cast<double>(part) * 2);
        EXPECT_DOUBLE_EQ(sentWhole(model(ranks)), 2.0 * 1040 * 4 * others / ranks);
    }
}

TEST(CompressedExchange, IsTheStagesAndThePassesOfEachScheme) {
    using Collective = CompressedExchange::Collective;
    struct Stages {
        std::string name;
        Fields fields;
        std::string scheme;
        std::vector<std::pair<Collective, std::int64_t>> stages;
    };
    // Of four ranks each averages 260 numbers, of the matrix; the last one 220 of it and the vector of 40.
    const std::int64_t row = (220 + 7) / 8 + 4 + (40 + 7) / 8 + 4;
    for (const Stages& expected : std::vector<Stages>{
             {"sign", {}, "gather", {{Collective::AllGather, 125 + 4 + 5 + 4}}},
             {"sign", {}, "shard", {{Collective::AllToAll, 4 * row}, {Collective::AllGather, row}}},
             {"randk", {{"ratio", number(0.1)}}, "sum", {{Collective::AllReduce, 4 * (100 + 4)}}},
             {"powersgd", {}, "sum", {{Collective::AllReduce, 4 * (40 + 40)}, {Collective::AllReduce, 4 * 25}}},
             {"sketch",
              {{"columns", integer(50)}},
              "sum",
              {{Collective::AllReduce, 4 * 5 * 50}, {Collective::AllReduce, 4 * 4 * 11}}},
             {"sketch", {{"columns", integer(50)}, {"error", text("sketch")}}, "sum", {{Collective::AllReduce, 1000}}},
             {"dgc", {{"ratio", number(0.01)}}, "gather", {{Collective::AllGather, 10 * 8 + 40 * 4}}}}) {
        std::vector<std::pair<Collective, std::int64_t>> stages;
        const CompressedExchange chosen =
            compressedExchange(settingsOf(expected.name, expected.fields, expected.scheme), model(4));
        for (const auto& stage : chosen.stages) stages.emplace_back(stage.collective, stage.bytes);
        EXPECT_EQ(stages, expected.stages) << expected.name << " by " << expected.scheme;
        EXPECT_EQ(chosen.why, "");
    }
    CompressionSettings settings = settingsOf("sign", {}, "shard");
    const auto properties = settings.compressor->properties();
    const CompressedExchange without = compressedExchange(settings, model(4));
    EXPECT_DOUBLE_EQ(without.passes.encode, properties.encodePasses);
    EXPECT_DOUBLE_EQ(without.passes.recode, properties.decodePasses + properties.encodePasses / 4);
    EXPECT_DOUBLE_EQ(without.passes.decode, properties.decodePasses);
    settings.params.errorFeedback = true;
    settings.params.start = 7;
    const CompressedExchange with = compressedExchange(settings, model(4));
    EXPECT_DOUBLE_EQ(with.passes.encode, properties.encodePasses + properties.decodePasses + 3);
    EXPECT_EQ(with.wholeSteps, 7);
}

TEST(CompressedExchange, OfAWarmUpHasNoOneSize) {
    EXPECT_THAT(compressedExchange(settingsOf("dgc", {{"warmup", vector({0.25, 0.06})}}), model(4)).why,
                testing::HasSubstr("first epochs"));
}

TEST(SendsTooMuch, WhereGatheringDoesAndNamesTheRemedy) {
    EXPECT_FALSE(sendsTooMuch(settingsOf("topk", {{"ratio", number(0.01)}}), model(8)));
    EXPECT_FALSE(sendsTooMuch(settingsOf("topk", {{"ratio", number(0.5)}}), model(1))) << "nobody sends anything";
    const auto said = sendsTooMuch(settingsOf("topk", {{"ratio", number(0.5)}}), model(8));
    ASSERT_TRUE(said);
    EXPECT_THAT(*said,
                testing::AllOf(testing::HasSubstr("[compression] topk sends 4 times the bytes of no compression"),
                               testing::HasSubstr("set scheme = \"shard\", or a ratio below 1 / 8 (workers)")));
}

}  // namespace
}  // namespace dasgd::test
