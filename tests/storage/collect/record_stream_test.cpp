#include "storage/collect/record_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/journal/record_frame.h"

namespace dasgd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Taken = RecordStream::Taken;

// Spans of these numbers, which are their steps, too.
std::string frame(std::uint64_t first, std::uint64_t last, std::size_t name = 0) {
    std::string bytes;
    const std::string text(name, 'n');
    for (std::uint64_t number = first; number <= last; ++number) {
        appendRecord(bytes, {.type = EventRecord::Type::Span,
                             .sequence = number,
                             .span = {.step = static_cast<std::int64_t>(number)},
                             .name = text});
    }
    return bytes;
}

std::vector<std::int64_t> readSteps(RecordSource& source, std::size_t limit = 1'000'000) {
    std::vector<std::int64_t> steps;
    const auto read = source.read(limit, [&](const EventRecord& record) { steps.push_back(record.span.step); });
    EXPECT_TRUE(read && *read == steps.size());
    return steps;
}

struct Both {
    std::shared_ptr<RecordStream> stream = std::make_shared<RecordStream>(3);
    StreamSource source{stream};
};

TEST(RecordStream, NothingIsWantedBeforeTheCollectorSaysFromWhere) {
    Both both;
    EXPECT_FALSE(both.stream->wanted());
    EXPECT_EQ(both.stream->offer(0, 0, frame(1, 2)), Taken::NotNow);
    EXPECT_EQ(both.source.rank(), 3);
    both.source.startAfter(7);
    const auto wanted = both.stream->wanted();
    ASSERT_TRUE(wanted);
    EXPECT_EQ(wanted->after, 7U);
    EXPECT_TRUE(wanted->room);
    EXPECT_EQ(both.stream->offer(wanted->round, 7, frame(8, 9)), Taken::Yes);
    EXPECT_THAT(readSteps(both.source), ElementsAre(8, 9));
}

TEST(RecordStream, ARecordIsTakenOnceHoweverOftenItIsOffered) {
    Both both;
    both.source.startAfter(0);
    const auto round = both.stream->wanted()->round;
    EXPECT_EQ(both.stream->offer(round, 0, frame(1, 3)), Taken::Yes);
    EXPECT_EQ(both.stream->offer(round, 0, frame(1, 3)), Taken::NotNow);
    EXPECT_EQ(both.stream->offer(round, 2, frame(3, 4)), Taken::NotNow) << "it goes on after 3";
    EXPECT_EQ(both.stream->offer(round, 3, frame(3, 4)), Taken::Damaged) << "it is not what it says";
    EXPECT_EQ(both.stream->offer(round, 3, frame(4, 4)), Taken::Yes);
    EXPECT_THAT(readSteps(both.source), ElementsAre(1, 2, 3, 4));
}

TEST(RecordStream, ATransactionThatWasNotCommittedIsAskedForAgain) {
    Both both;
    both.source.startAfter(0);
    const auto before = both.stream->wanted()->round;
    EXPECT_EQ(both.stream->offer(before, 0, frame(1, 5)), Taken::Yes);
    EXPECT_THAT(readSteps(both.source), ElementsAre(1, 2, 3, 4, 5));
    both.source.startAfter(0);
    const auto now = both.stream->wanted();
    EXPECT_GT(now->round, before);
    EXPECT_EQ(now->after, 0U);
    EXPECT_EQ(both.stream->offer(before, 5, frame(6, 6)), Taken::NotNow) << "of the round before";
    EXPECT_THAT(readSteps(both.source), IsEmpty());
    EXPECT_EQ(both.stream->offer(now->round, 0, frame(1, 5)), Taken::Yes);
    EXPECT_THAT(readSteps(both.source), ElementsAre(1, 2, 3, 4, 5));
}

TEST(RecordStream, WhatWaitsIsBounded) {
    Both both;
    both.source.startAfter(0);
    const auto round = both.stream->wanted()->round;
    std::uint64_t last = 0;
    while (both.stream->offer(round, last, frame(last + 1, last + 1, 100'000)) == Taken::Yes) ++last;
    EXPECT_LE(last * 100'000, RecordStream::kMostBytes + 200'000);
    EXPECT_GE(last * 100'000, RecordStream::kMostBytes - 200'000);
    EXPECT_FALSE(both.stream->wanted()->room);
    EXPECT_EQ(readSteps(both.source, 2).size(), 2U);
    EXPECT_TRUE(both.stream->wanted()->room);
    EXPECT_EQ(both.stream->offer(round, last, frame(last + 1, last + 1)), Taken::Yes);
}

TEST(RecordStream, DamagedFramesAreRefusedWhole) {
    Both both;
    both.source.startAfter(0);
    const auto round = both.stream->wanted()->round;
    const std::string good = frame(1, 3);
    EXPECT_EQ(both.stream->offer(round, 0, good.substr(0, good.size() - 1)), Taken::Damaged);
    EXPECT_EQ(both.stream->offer(round, 0, ""), Taken::Damaged);
    EXPECT_EQ(both.stream->offer(round, 0, std::string(1000, '\xff')), Taken::Damaged);
    EXPECT_THAT(readSteps(both.source), IsEmpty());
    EXPECT_EQ(both.stream->offer(round, 0, good), Taken::Yes);
}

TEST(RecordStream, ItsEndIsKnownOnceAllIsCommitted) {
    Both both;
    both.source.startAfter(0);
    const auto round = both.stream->wanted()->round;
    EXPECT_EQ(both.stream->offer(round, 0, frame(1, 3)), Taken::Yes);
    EXPECT_THAT(both.source.damage(), HasSubstr("rank 3 recorded after number 0 has not arrived"));
    both.stream->end(round, 2, "");
    EXPECT_FALSE(both.stream->hasEnded()) << "record 3 is there already: that end is of another time";
    both.stream->end(round, 3, "");
    EXPECT_TRUE(both.stream->hasEnded());
    EXPECT_FALSE(both.stream->isCommitted());
    EXPECT_EQ(readSteps(both.source).size(), 3U);
    both.source.release(3);
    EXPECT_TRUE(both.stream->isCommitted());
    EXPECT_EQ(both.source.damage(), "");
}

TEST(RecordStream, DamageOfTheJournalIsToldOn) {
    Both both;
    both.source.startAfter(0);
    both.stream->end(both.stream->wanted()->round, 0, "the journal is damaged");
    EXPECT_EQ(both.source.damage(), "the journal is damaged");
}

}  // namespace
}  // namespace dasgd::storage
