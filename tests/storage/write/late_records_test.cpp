#include "storage/write/late_records.h"

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

// Offers the wanted spans up to number `last`, which are their steps too; then, where `state` is given, that state as
// the rank's last record, and the end.
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

// A step of 10 ns each, of which the rank stood still for 2.
void appendSteps(std::string& frame, std::int64_t from, std::int64_t to) {
    for (std::int64_t step = from; step <= to; ++step) {
        const Ns at = 10 * step;
        const auto number = static_cast<std::uint64_t>(2 * step);
        appendRecord(frame, {.type = EventRecord::Type::Span,
                             .sequence = number - 1,
                             .span = {.kind = SpanKind::Forward, .step = step, .start = at, .end = at + 8}});
        appendRecord(frame, {.type = EventRecord::Type::Span,
                             .sequence = number,
                             .span = {.kind = SpanKind::Wait, .step = step, .start = at + 8, .end = at + 10}});
    }
}

void appendWindow(std::string& frame, std::uint64_t number, std::int64_t from, std::int64_t to) {
    appendRecord(frame, {.type = EventRecord::Type::Span,
                         .sequence = number,
                         .span = {.lane = Lane::Io,
                                  .kind = SpanKind::Window,
                                  .step = to,
                                  .start = 10 * from,
                                  .end = 10 * (to + 1),
                                  .bytes = to + 1 - from}});
}

class LateRecordsTest : public ::testing::Test {
protected:
    // The steps of rank 1's spans, how often each.
    [[nodiscard]] std::map<std::int64_t, int> steps() const {
        std::map<std::int64_t, int> steps;
        auto reader = run_.reader();
        test::orDie(reader.spans().each(run_.runId, [&](const SpanRow& row) {
            if (row.rank == kAway) ++steps[row.span.step];
            return true;
        }));
        return steps;
    }
    [[nodiscard]] RunRow row() const { return test::orDie(run_.reader().runs().row(run_.runId)); }
    Result<std::unique_ptr<LateRecords>> open(const std::shared_ptr<RecordStream>& stream = streamOfAway()) {
        return LateRecords::open(run_.store, run_.runId, {stream});
    }
    // Takes in the records of rank 1 as rank 0's host does, each frame in a transaction of its own.
    void collectLive(const std::vector<std::string>& frames) {
        const auto connection = test::orDie(WriteConnection::open(run_.store.paths()));
        const auto stream = streamOfAway();
        RecordSources sources;
        sources.push_back(std::make_unique<StreamSource>(stream));
        RunIngest live(*connection, test::keyOf(run_.store.paths(), run_.runId), std::move(sources),
                       CollectorScope::SomeRanks);
        test::orDie(live.collect(65536));
        for (const std::string& frame : frames) {
            const auto wanted = stream->wanted();
            ASSERT_EQ(stream->offer(wanted->round, wanted->after, frame), RecordStream::Taken::Yes);
            test::orDie(live.collect(65536));
        }
    }
    // Takes in `frame`, which ends with record `last`, and all that was to come.
    std::vector<int> collectLate(const std::string& frame, std::uint64_t last, const std::string& damage = "") {
        const auto stream = streamOfAway();
        const auto late = test::orDie(open(stream));
        test::orDie(late->collect());
        const auto wanted = stream->wanted();
        if (!frame.empty()) {
            EXPECT_EQ(stream->offer(wanted->round, wanted->after, frame), RecordStream::Taken::Yes);
        }
        stream->end(wanted->round, last, damage);
        test::orDie(late->collect());
        return test::orDie(late->finish());
    }
    test::OneRun run_{2};
};

// The window that the last steps close began long before rank 0 died.
TEST_F(LateRecordsTest, LateStepsAddToTheOverlapOfThoseBefore) {
    std::string before, metric, late;
    appendSteps(before, 1, 100);
    appendWindow(before, 201, 1, 100);
    std::string more;
    for (std::int64_t step = 101; step <= 190; ++step) {
        appendRecord(more, {.type = EventRecord::Type::Span,
                            .sequence = static_cast<std::uint64_t>(step + 101),
                            .span = {.kind = SpanKind::Wait, .step = step, .start = 10 * step, .end = 10 * step + 4}});
    }
    appendRecord(metric, {.type = EventRecord::Type::Metric,
                          .sequence = 292,
                          .metric = {.name = "train/loss", .step = 190, .wall = 1905, .samples = 1, .value = 1}});
    collectLive({before, more, metric});
    test::orDie(run_.store.abandonRun(run_.runId, "interrupted", "the process that ran it died"));
    EXPECT_DOUBLE_EQ(row().blockedS.value(), 200e-9);
    for (std::int64_t step = 191; step <= 200; ++step) {
        appendRecord(late, {.type = EventRecord::Type::Span,
                            .sequence = static_cast<std::uint64_t>(step + 102),
                            .span = {.kind = SpanKind::Wait, .step = step, .start = 10 * step, .end = 10 * step + 4}});
    }
    appendWindow(late, 303, 101, 200);
    EXPECT_THAT(collectLate(late, 303), ElementsAre(kAway));
    EXPECT_DOUBLE_EQ(row().blockedS.value(), 600e-9) << "2 ns of each of 100 steps, 4 of 100 more";
    EXPECT_DOUBLE_EQ(row().measuredS.value(), 2000e-9);
}

// A run that an older version ended has no meter left.
TEST_F(LateRecordsTest, WhatTheOverlapOfAllStepsIsStaysWhereItCannotBeGoneOnWith) {
    std::string before, late;
    appendSteps(before, 1, 100);
    appendWindow(before, 201, 1, 100);
    collectLive({before});
    test::orDie(run_.store.abandonRun(run_.runId, "interrupted", "the process that ran it died"));
    test::orDie(WriteConnection::open(run_.store.paths()))->database().exec("DELETE FROM rank_meter");
    for (std::int64_t part = 0; part < 2; ++part) {
        const std::int64_t step = 101 + part;
        const auto number = static_cast<std::uint64_t>(202 + part);
        late.clear();
        appendWindow(late, number, step, step);
        collectLate(late, number);
        EXPECT_DOUBLE_EQ(row().blockedS.value(), 200e-9) << part;
    }
}

TEST_F(LateRecordsTest, ADamagedJournalIsSaidAndNotComplete) {
    collectLive({});
    test::orDie(run_.store.abandonRun(run_.runId, "interrupted", "died"));
    std::string frame;
    appendSteps(frame, 1, 10);
    const std::string damage = "the journal of rank 1 is damaged after record 20, what follows is not read";
    EXPECT_THAT(collectLate(frame, 20, damage), IsEmpty());
    EXPECT_EQ(row().error, "died; " + damage);
    EXPECT_THAT(collectLate("", 20, damage), IsEmpty());
    EXPECT_EQ(row().error, "died; " + damage) << "said once";
    EXPECT_EQ(steps().size(), 10U) << "what can be read is here";
}

TEST_F(LateRecordsTest, ThatRecordsCameLaterIsNotedOnce) {
    test::orDie(run_.store.abandonRun(run_.runId, "interrupted", "died"));
    std::string frame;
    appendSteps(frame, 1, 10);
    EXPECT_THAT(collectLate(frame, 20), ElementsAre(kAway));
    const std::string noted = row().error;
    EXPECT_THAT(noted, HasSubstr("died; the last records of rank 1 came later, 20"));
    EXPECT_THAT(collectLate("", 20), ElementsAre(kAway));
    EXPECT_EQ(row().error, noted);
}

// Opening the workspace makes the levels of a run that has ended, whether or not more of it is to come.
TEST_F(LateRecordsTest, RowsThatComeAfterLevelsWereMadeHaveThemToo) {
    test::orDie(run_.store.abandonRun(run_.runId, "interrupted", "died"));
    const auto stream = streamOfAway();
    const auto late = test::orDie(open(stream));
    test::orDie(late->collect());
    for (const std::uint64_t last : {3'000U, 6'000U}) {
        offer(*stream, last);
        test::orDie(late->collect());
        test::orDie(Store::open(run_.store.paths().root));
    }
    offer(*stream, 6'100, RankState::Failed);
    test::orDie(late->collect());
    test::orDie(late->finish());
    std::int64_t rows = 0;
    for (const SpanPart& part : test::orDie(run_.reader().spans().roots(run_.runId))) rows += part.rows;
    EXPECT_EQ(rows, 6'100);
}

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
    EXPECT_THAT(open(std::make_shared<RecordStream>(2)).error().message,
                HasSubstr("has 2 ranks, from 0 on; there is no rank 2"));
    const auto first = open();
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_THAT(open().error().message, HasSubstr("rank 1 of run-a is being collected by process"));
}

}  // namespace
}  // namespace dasgd::storage
