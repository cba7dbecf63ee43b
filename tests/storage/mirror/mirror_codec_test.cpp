#include "storage/mirror/mirror_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "core/base/event.h"
#include "storage/levels/span_row.h"

namespace dasgd::storage {
namespace {

using ::testing::HasSubstr;

MirrorPart fullPart() {
    MirrorPart part{.runId = "run-a", .digest = 77, .complete = true};
    part.document =
        RunDocument{.tables = {{{std::int64_t{-5}, 2.5, std::string("text"), std::monostate()}}, {}}, .schema = "[]"};
    part.names = {"train/loss", "eval/loss"};
    part.metrics = {{.id = 3,
                     .name = 1,
                     .rank = -1,
                     .step = 4,
                     .epoch = 0.5,
                     .wall = 6,
                     .samples = 7,
                     .bytesSent = 8,
                     .value = 9.5},
                    {.id = 5, .name = 0, .rank = 2, .epoch = std::numeric_limits<double>::quiet_NaN()}};
    part.spans = {
        {.id = 11, .tag = 2 * 256 + 64 + 11, .step = 1, .start = -3, .duration = 4, .bytes = 5, .collective = 6}};
    part.labels = {{11, "matmul"}};
    part.events = {{.id = 2, .rank = 0, .state = 3, .step = 9, .text = "out of memory"}};
    part.files = {{"experiment.toml", 0, "name = \"e\"\n"}, {"logs/rank-0000.log", 100, std::string("\0\xff", 2)}};
    return part;
}

TEST(MirrorCodecTest, APartIsReadAsItWasWritten) {
    const std::string bytes = encode(fullPart());
    const auto part = decodePart(bytes);
    ASSERT_TRUE(part) << part.error().message;
    EXPECT_EQ(encode(*part), bytes);
    EXPECT_EQ(part->document, fullPart().document);
    EXPECT_EQ(part->labels, fullPart().labels);
    EXPECT_EQ(part->events, fullPart().events);
    EXPECT_EQ(part->files, fullPart().files);
    EXPECT_TRUE(std::isnan(part->metrics[1].epoch));
    EXPECT_EQ(part->records(), 4U);
}

TEST(MirrorCodecTest, WhatIsCutOffOrGoesOnIsRefusedWhole) {
    const std::string bytes = encode(fullPart());
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(decodePart(bytes.substr(0, length))) << length;
    }
    EXPECT_FALSE(decodePart(bytes + "x"));
}

TEST(MirrorCodecTest, WhatHasNoPlaceInATableIsRefused) {
    const struct {
        const char* says;
        std::function<void(MirrorPart&)> change;
    } cases[] = {
        {"id of its run", [](MirrorPart& part) { part.runId = "../run"; }},
        {"its end", [](MirrorPart& part) { part.document.reset(); }},
        {"order of its rows", [](MirrorPart& part) { part.metrics[1].id = 3; }},
        {"order of its rows", [](MirrorPart& part) { part.spans[0].id = 0; }},
        {"a metric", [](MirrorPart& part) { part.metrics[0].name = 2; }},
        {"a metric", [](MirrorPart& part) { part.metrics[0].rank = -2; }},
        {"a span", [](MirrorPart& part) { part.spans[0].tag = 63; }},
        {"a span", [](MirrorPart& part) { part.spans[0].tag = -1; }},
        {"a state", [](MirrorPart& part) { part.events[0].state = 5; }},
        {"name of a span", [](MirrorPart& part) { part.labels[0].span = 12; }},
        {"a file", [](MirrorPart& part) { part.files[0].path = "logs/../../lab.db"; }},
        {"a file", [](MirrorPart& part) { part.files[0].path = "owner.lock"; }},
        {"a file", [](MirrorPart& part) { part.files[0].offset = -1; }},
    };
    for (const auto& each : cases) {
        MirrorPart part = fullPart();
        each.change(part);
        const auto read = decodePart(encode(part));
        ASSERT_FALSE(read) << each.says;
        EXPECT_THAT(read.error().message, HasSubstr(each.says));
    }
}

TEST(MirrorCodecTest, CountsThatThereIsNoRoomForCostNothing) {
    // A part of no rows, with the number of its metrics in place of 0.
    MirrorPart part{.runId = "run-a"};
    std::string bytes = encode(part);
    const std::size_t counts = bytes.size() - 6 * sizeof(std::uint32_t);
    for (std::size_t at = counts; at < bytes.size(); at += sizeof(std::uint32_t)) {
        std::string hostile = bytes;
        hostile.replace(at, 4, "\xff\xff\xff\x7f");
        EXPECT_FALSE(decodePart(hostile));
    }
}

TEST(MirrorCodecTest, DamageIsRefusedOrReadAsSomethingThatIsWrittenTheSame) {
    const std::string bytes = encode(fullPart());
    std::mt19937 random(5);
    for (int round = 0; round < 20'000; ++round) {
        std::string damaged = bytes;
        for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
            damaged[random() % damaged.size()] = static_cast<char>(random());
        }
        if (const auto part = decodePart(damaged)) {
            EXPECT_EQ(encode(*part), damaged);
        }
    }
}

TEST(MirrorCodecTest, WhatIsKnownIsReadAsItWasWritten) {
    const std::vector<KnownRun> runs{{.runId = "run-a", .foreign = true},
                                     {.runId = "run-b",
                                      .taken = {1, 2, 3},
                                      .digest = 9,
                                      .files = {{"experiment.toml", 12}, {"logs/rank-0000.log", 0}}}};
    const std::string bytes = encode(runs);
    const auto read = decodeKnown(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, runs);
    for (std::size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(decodeKnown(bytes.substr(0, length)));
}

TEST(MirrorCodecTest, ADigestFollowsEveryValue) {
    const RunDocument document = *fullPart().document;
    RunDocument other = document;
    EXPECT_EQ(digestOf(document), digestOf(other));
    other.tables[0][0][1] = 2.25;
    EXPECT_NE(digestOf(document), digestOf(other));
    other = document;
    other.schema = "";
    EXPECT_NE(digestOf(document), digestOf(other));
}

}  // namespace
}  // namespace dasgd::storage
