#include "core/journal/record_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>

#include "tests/support/journals.h"
#include "tests/support/temp_dir.h"

namespace dasgd {
namespace {

using ::testing::HasSubstr;

// Records of each kind, as a journal hands them out.
std::vector<test::OwnedEntry> written() {
    const test::TempDir folder;
    auto journal = test::newJournal(folder / "rank");
    journal->span({.lane = Lane::Comm,
                   .kind = SpanKind::Reduce,
                   .step = std::int64_t{1} << 40,
                   .start = -5,
                   .end = std::numeric_limits<Ns>::max(),
                   .bytes = 44'700'000,
                   .collective = std::numeric_limits<std::uint64_t>::max(),
                   .ranks = 3});
    journal->namedSpan({.kind = SpanKind::Other, .step = 2}, "aten::mm");
    journal->metric({.name = "train/loss", .step = 7, .epoch = 0.5, .wall = 9, .samples = 10, .value = std::nan("")});
    journal->of(Rank(5)).metric({.name = "eval/loss", .value = -0.0});
    journal->state(RankState::Failed, 3, std::string(5000, 'x'));
    return test::readAll(folder / "rank");
}

std::string frameOf(const std::vector<test::OwnedEntry>& entries) {
    std::string frame;
    for (const test::OwnedEntry& entry : entries) {
        EventRecord record = entry;
        record.name = entry.name;
        record.metric.name = entry.name;
        record.text = entry.text;
        appendRecord(frame, record);
    }
    return frame;
}

bool sameBits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

auto partsOf(const Span& span) {
    return std::tuple(span.lane, span.kind, span.step, span.start, span.end, span.bytes, span.collective, span.ranks);
}

TEST(RecordFrame, ComesBackAsItWas) {
    const auto before = written();
    ASSERT_EQ(before.size(), 5U);
    std::vector<test::OwnedEntry> after;
    const std::string frame = frameOf(before);
    const auto count = readRecords(frame, [&](const EventRecord& record) {
        const bool span = record.type == EventRecord::Type::Span;
        after.push_back({record, std::string(span ? record.name : record.metric.name), std::string(record.text)});
    });
    ASSERT_TRUE(count) << count.error().message;
    ASSERT_EQ(*count, before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        const test::OwnedEntry &a = before[i], &b = after[i];
        EXPECT_EQ(a.type, b.type);
        EXPECT_EQ(a.sequence, b.sequence);
        EXPECT_EQ(a.rank, b.rank);
        EXPECT_EQ(a.name, b.name);
        EXPECT_EQ(a.text, b.text);
        EXPECT_EQ(a.step, b.step);
        EXPECT_EQ(a.state, b.state);
        EXPECT_EQ(partsOf(a.span), partsOf(b.span)) << i;
        EXPECT_TRUE(sameBits(a.metric.value, b.metric.value) && sameBits(a.metric.epoch, b.metric.epoch));
        EXPECT_EQ(a.metric.wall, b.metric.wall);
        EXPECT_EQ(a.metric.samples, b.metric.samples);
    }
}

TEST(RecordFrame, OneThatIsCutOffHandsNothingOut) {
    const std::string frame = frameOf(written());
    for (std::size_t size = 1; size < frame.size(); size += size < 400 ? 1 : 97) {
        int taken = 0;
        const auto read = readRecords(std::string_view(frame).substr(0, size), [&](const EventRecord&) { ++taken; });
        // A frame that is cut between two records is a shorter frame.
        if (read) {
            EXPECT_EQ(*read, static_cast<std::size_t>(taken));
        } else {
            EXPECT_THAT(read.error().message, HasSubstr("damaged at record"));
            EXPECT_EQ(taken, 0) << size;
        }
    }
}

TEST(RecordFrame, NumbersHaveToGrow) {
    const auto entries = written();
    EXPECT_FALSE(readRecords(frameOf({entries[1], entries[0]}), [](const EventRecord&) {}));
    EXPECT_FALSE(readRecords(frameOf({entries[0], entries[0]}), [](const EventRecord&) {}));
}

TEST(RecordFrame, WhateverTheBytesItNamesNothingThatIsNot) {
    auto entries = written();
    entries.pop_back();  // of its long text nearly every byte could be any other
    const std::string frame = frameOf(entries);
    std::mt19937 random(1);
    int whole = 0, refused = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes = frame;
        for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<char>(random());
        const auto read = readRecords(bytes, [&](const EventRecord& record) {
            ++whole;
            EXPECT_LT(static_cast<std::size_t>(record.span.lane), kLaneNames.size());
            EXPECT_LT(static_cast<std::size_t>(record.span.kind), kSpanKindNames.size());
            EXPECT_LE(record.state, RankState::Stopped);
        });
        refused += !read;
    }
    EXPECT_GT(whole, 1000);
    EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace dasgd
