// Levels of detail are read as they were written, and damaged bytes are an error (storage/levels/level_codec.cpp).
#include <gtest/gtest.h>

#include <random>

#include "storage/levels/span_level.h"

namespace dasgd::storage {
namespace {

// A level with spans of any length, some negative starts, and ranks that are missing.
SpanLevel randomLevel(unsigned seed, int count, std::size_t entries) {
    std::mt19937_64 random(seed);
    LevelBuilder builder;
    for (int i = 0; i < count; ++i) {
        const Ns start = static_cast<Ns>(random() % 50'000'000) - 1'000;
        const Ns length = static_cast<Ns>(random() % (random() % 40 == 0 ? 30'000'000 : 900));
        builder.add(static_cast<int>(random() % 150) * 2, {.lane = static_cast<Lane>(random() % 3),
                                                           .kind = static_cast<SpanKind>(random() % 14),
                                                           .step = i,
                                                           .start = start,
                                                           .end = start + length,
                                                           .bytes = i % 7,
                                                           .collective = random() % 5});
    }
    return builder.build(entries);
}

void expectSame(const SpanLevel& a, const SpanLevel& b) {
    EXPECT_EQ(a.shift, b.shift);
    EXPECT_EQ(a.origin, b.origin);
    ASSERT_EQ(a.lanes.size(), b.lanes.size());
    for (std::size_t i = 0; i < a.lanes.size(); ++i) {
        EXPECT_EQ(a.lanes[i].rank, b.lanes[i].rank);
        EXPECT_EQ(a.lanes[i].lane, b.lanes[i].lane);
        EXPECT_EQ(a.lanes[i].spansEnd, b.lanes[i].spansEnd);
        EXPECT_EQ(a.lanes[i].cellsEnd, b.lanes[i].cellsEnd);
    }
    ASSERT_EQ(a.spans.size(), b.spans.size());
    for (std::size_t i = 0; i < a.spans.size(); ++i) {
        const Span &one = a.spans[i], &other = b.spans[i];
        EXPECT_EQ(std::tie(one.lane, one.kind, one.step, one.start, one.end, one.bytes, one.collective),
                  std::tie(other.lane, other.kind, other.step, other.start, other.end, other.bytes, other.collective));
    }
    ASSERT_EQ(a.cells.size(), b.cells.size());
    for (std::size_t i = 0; i < a.cells.size(); ++i) {
        const LevelCell &one = a.cells[i], &other = b.cells[i];
        EXPECT_EQ(std::tie(one.covered, one.bucket, one.count, one.step, one.kind),
                  std::tie(other.covered, other.bucket, other.count, other.step, other.kind));
    }
}

TEST(LevelCodec, IsReadAsItWasWritten) {
    for (const std::size_t entries : {50UL, 1000UL, 100'000UL}) {
        const SpanLevel level = randomLevel(11, 8192, entries);
        const auto read = decode(encode(level));
        ASSERT_TRUE(read);
        expectSame(*read, level);
    }
    const auto empty = decode(encode({}));
    ASSERT_TRUE(empty);
    EXPECT_TRUE(empty->lanes.empty());
}

TEST(LevelCodec, DamagedBytesAreAnErrorAndNothingElse) {
    const std::string bytes = encode(randomLevel(13, 2000, 300));
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
        std::string broken = bytes;
        if (i % 2 == 0) broken.resize(random() % bytes.size());
        if (!broken.empty()) broken[random() % broken.size()] = static_cast<char>(random());
        const auto level = decode(broken);
        EXPECT_TRUE(!level || level->spans.size() + level->cells.size() <= bytes.size());
    }
    for (int i = 0; i < 3000; ++i) {
        std::string noise(random() % 200, '\0');
        for (char& byte : noise) byte = static_cast<char>(random());
        const auto level = decode(noise);
        if (!level) continue;
        for (const LevelLane& lane : level->lanes) EXPECT_LT(static_cast<std::size_t>(lane.lane), kLaneNames.size());
        for (const LevelCell& cell : level->cells) EXPECT_GE(level->startOf(cell) + 2 * level->width(), level->origin);
    }
    EXPECT_FALSE(decode(""));
    EXPECT_FALSE(decode(bytes + "more"));
}

}  // namespace
}  // namespace dasgd::storage
