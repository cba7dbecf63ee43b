#include "storage/late_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/journal/record_frame.h"
#include "storage/collect/ingest.h"
#include "storage/collect/record_stream.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kAway = 1;

std::shared_ptr<RecordStream> streamOfAway() { return std::make_shared<RecordStream>(kAway); }

// Offers spans of the numbers up to `last`, which are their steps too, as far as they are wanted; then, where `state`
// is given, that as the rank's last word, and the end.
void offer(RecordStream& stream, std::uint64_t last, std::optional<RankState> state = {}) {
    const auto wanted = stream.wanted();
    ASSERT_TRUE(wanted);
    std::string frame;
    for (std::uint64_t number = wanted->after + 1; number <= last; ++number) {
        const auto step = static_cast<std::int64_t>(number);
        appendRecord(frame, {.type = EventRecord::Type::Span,
                             .sequence = number,
                             .span = {.step = step, .start = 10 * step, .end = 10 * step + 5}});
    }
    if (state) {
        appendRecord(frame, {.type = EventRecord::Type::State, .sequence = last + 1, .state = *state, .text = "over"});
    }
    ASSERT_EQ(stream.offer(wanted->round, wanted->after, frame), RecordStream::Taken::Yes);
    if (state) stream.end(wanted->round, last + 1, "");
}

class LateRecordsTest : public ::testing::Test {
protected:
    // The steps of rank 1's spans, how often each.
    [[nodiscard]] std::map<std::int64_t, int> steps() const {
        std::map<std::int64_t, int> steps;
        auto reader = run_.reader();
        test::orDie(reader.eachSpan(run_.runId, [&](const SpanRow& row) {
            if (row.rank == kAway) ++steps[row.span.step];
            return true;
        }));
        return steps;
    }
    [[nodiscard]] RunRow row() const { return test::orDie(run_.reader().row(run_.runId)); }
    Result<std::unique_ptr<LateRecords>> open(const std::shared_ptr<RecordStream>& stream = streamOfAway()) {
        return LateRecords::open(run_.store, run_.runId, {stream});
    }
    test::OneRun run_{2};
};

// Rank 0's host has taken in some of what rank 1 recorded when it dies; the rest comes after the run was given up.
TEST_F(LateRecordsTest, WhatACollectorThatDiedDidNotTakeInComesOnce) {
    {
        const auto connection = test::orDie(WriteConnection::open(run_.store.paths()));
        const auto stream = streamOfAway();
        RecordSources sources;
        sources.push_back(std::make_unique<StreamSource>(stream));
        RunIngest first(*connection, test::keyOf(run_.store.paths(), run_.runId), std::move(sources));
        test::orDie(first.collect(65536));
        offer(*stream, 700);
        EXPECT_EQ(test::orDie(first.collect(65536)), 700U);
        offer(*stream, 900);  // received, and in no transaction yet
    }
    run_.finish("interrupted", "the process that ran it died");
    const auto stream = streamOfAway();
    const auto late = test::orDie(open(stream));
    test::orDie(late->collect());
    EXPECT_EQ(stream->wanted()->after, 700U) << "what is stored is not asked for again";
    offer(*stream, 2000, RankState::Failed);
    test::orDie(late->collect());
    EXPECT_THAT(test::orDie(late->finish()), ElementsAre(kAway));
    EXPECT_EQ(steps().size(), 2000U);
    for (const auto& [step, times] : steps()) EXPECT_EQ(times, 1) << step;
    EXPECT_EQ(row().status, "interrupted") << "that its records are there makes it no other run";
    EXPECT_THAT(row().error, HasSubstr("died; the last records of rank 1 came later, 20"));
}

TEST_F(LateRecordsTest, ARankThatDoesNotComeCanComeAnotherTime) {
    run_.finish("interrupted", "the process that ran it died");
    {
        const auto late = test::orDie(open());
        EXPECT_THAT(test::orDie(late->finish()), IsEmpty());
    }
    EXPECT_EQ(row().error, "the process that ran it died");
    const auto stream = streamOfAway();
    const auto late = test::orDie(open(stream));
    test::orDie(late->collect());
    offer(*stream, 10);
    test::orDie(late->collect());
    EXPECT_THAT(test::orDie(late->finish()), IsEmpty()) << "its end has not come";
    EXPECT_EQ(steps().size(), 10U) << "what has come stays";
}

TEST_F(LateRecordsTest, RefusesWhatItCannotDo) {
    EXPECT_THAT(open().error().message, HasSubstr("is queued: it collects its records itself"));
    EXPECT_THAT(LateRecords::open(run_.store, "20260101-000000-dasgd-0000", {}).error().message,
                HasSubstr("there is no run"));
    run_.finish();
    const auto first = open();
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_THAT(open().error().message, HasSubstr("rank 1 of run-a is being collected by process"));
}

}  // namespace
}  // namespace dasgd::storage
