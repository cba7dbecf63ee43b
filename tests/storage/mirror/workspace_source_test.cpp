#include "storage/mirror/workspace_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/journal/record_frame.h"
#include "storage/collect/record_stream.h"
#include "storage/write/late_records.h"
#include "tests/support/mirrors.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Every part until there is nothing more; empty ones are left out.
std::vector<MirrorPart> partsOf(WorkspaceSource& source) {
    std::vector<MirrorPart> parts;
    while (auto part = orDie(source.next())) {
        if (!part->empty()) parts.push_back(std::move(*part));
    }
    return parts;
}

TEST(WorkspaceSourceTest, PartsAreBoundedAndHaveEveryRowOnce) {
    OneRun run;
    addRecords(run.folder / "workspace", "run-a", 50'000, 40'000);
    run.finish();
    const auto source = sourceOf(run.folder / "workspace");
    source->start({});
    RowPositions last;
    std::size_t metrics = 0, spans = 0;
    const auto parts = partsOf(*source);
    for (const MirrorPart& part : parts) {
        EXPECT_LE(part.metrics.size(), WorkspaceSource::kMostRows);
        EXPECT_LE(part.spans.size(), WorkspaceSource::kMostRows);
        for (const MirroredMetric& row : part.metrics) EXPECT_GT(row.id, std::exchange(last.metric, row.id));
        for (const MirroredSpan& row : part.spans) EXPECT_GT(row.id, std::exchange(last.span, row.id));
        metrics += part.metrics.size();
        spans += part.spans.size();
    }
    EXPECT_EQ(metrics, 50'000U);
    EXPECT_EQ(spans, 40'000U);
    EXPECT_TRUE(parts.front().document) << "whoever takes it needs a row for the run";
    EXPECT_FALSE(parts.front().complete);
    EXPECT_TRUE(parts.back().complete);
    EXPECT_FALSE(orDie(source->next()));
}

TEST(WorkspaceSourceTest, WhatTheOtherSideHasIsNotToldAgain) {
    OneRun run;
    addRecords(run.folder / "workspace", "run-a", 100, 50);
    run.finish();
    const auto source = sourceOf(run.folder / "workspace");
    source->start({});
    const auto parts = partsOf(*source);
    ASSERT_EQ(parts.size(), 1U);
    KnownRun known{.runId = "run-a", .taken = {40, 50, 0}, .digest = parts[0].digest};
    source->start({known});
    const auto rest = partsOf(*source);
    ASSERT_EQ(rest.size(), 1U);
    EXPECT_EQ(rest[0].metrics.size(), 60U);
    EXPECT_EQ(rest[0].spans.size(), 0U);
    known.taken = {100, 50, 0};
    source->start({known});
    EXPECT_THAT(partsOf(*source), ElementsAre());
    known.digest = 1;
    source->start({known});
    EXPECT_EQ(partsOf(*source).size(), 1U) << "its row is another one by now";
    source->start({{.runId = "run-a", .foreign = true}});
    EXPECT_THAT(partsOf(*source), ElementsAre());
    EXPECT_THAT(source->passedOver(), ElementsAre("run-a"));
}

TEST(WorkspaceSourceTest, ALiveRunGoesOnWhereItWas) {
    OneRun run;
    const auto recorder = orDie(Recorder::start(run.store, "run-a", {0}));
    const auto source = sourceOf(run.folder / "workspace");
    source->start({});
    EXPECT_EQ(partsOf(*source).size(), 1U);
    std::size_t seen = 0;
    for (std::int64_t step = 1; step <= 200; ++step) {
        run.rank(0).metric({.name = "train/loss", .step = step, .value = 1});
        if (step % 50 != 0) continue;
        EXPECT_TRUE(eventually([&] {
            for (const MirrorPart& part : partsOf(*source)) seen += part.metrics.size();
            return seen == static_cast<std::size_t>(step);
        })) << seen;
    }
    run.journals.clear();
    orDie(recorder->finish("finished", ""));
    // A summary that changes all the time is told every now and then.
    EXPECT_TRUE(eventually([&] {
        const auto parts = partsOf(*source);
        return !parts.empty() && parts.back().complete && parts.back().document;
    }));
}

TEST(WorkspaceSourceTest, RunsUnderWayComeFirstThenTheNewest) {
    const TempDir folder;
    Store store = orDie(Store::open(folder / "w"));
    for (const char* id : {"run-a", "run-b", "run-c"}) {
        orDie(store.addRun(runInfo(id)));
        if (id != std::string("run-b")) orDie(store.abandonRun(id, "failed", "why"));
    }
    const auto source = sourceOf(folder / "w");
    source->start({});
    std::vector<std::string> order;
    for (const MirrorPart& part : partsOf(*source)) order.push_back(part.runId);
    EXPECT_THAT(order, ElementsAre("run-b", "run-c", "run-a"));
    orDie(store.addRun(runInfo("run-d")));
    const auto next = partsOf(*source);
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(next[0].runId, "run-d");
}

// `dasgd collect` takes late records in like this while a mirror is connected.
TEST(WorkspaceSourceTest, LateRecordsOfARunThatWasToldToItsEndAreTold) {
    OneRun run(2);
    addRecords(run.folder / "workspace", "run-a", 10, 10);
    orDie(run.store.abandonRun("run-a", "interrupted", "died"));
    const auto source = sourceOf(run.folder / "workspace");
    source->start({});
    EXPECT_EQ(partsOf(*source).size(), 1U);
    EXPECT_THAT(partsOf(*source), ElementsAre());
    const auto stream = std::make_shared<RecordStream>(1);
    const auto late = orDie(LateRecords::open(run.store, "run-a", {stream}));
    orDie(late->collect());
    std::string frame;
    appendRecord(frame, {.type = EventRecord::Type::Span, .sequence = 1, .span = {.start = 1, .end = 2}});
    EXPECT_EQ(stream->offer(stream->wanted()->round, 0, frame), RecordStream::Taken::Yes);
    orDie(late->collect());
    std::vector<MirrorPart> told;
    const auto isTold = [&] {
        std::ranges::move(partsOf(*source), std::back_inserter(told));
        return !told.empty() && told.back().complete;
    };
    EXPECT_TRUE(eventually(isTold));
    EXPECT_EQ(told.back().spans.size(), 1U);
    told.clear();
    stream->end(stream->wanted()->round, 1, "");
    orDie(late->collect());
    EXPECT_THAT(orDie(late->finish()), ElementsAre(1));
    EXPECT_TRUE(eventually(isTold)) << "how rank 1 ended";
}

// The run's owner is dead there: the source tells what the next opening of that workspace will write.
TEST(WorkspaceSourceTest, ALostRunIsToldWithItsEnd) {
    const TempDir folder;
    auto store = std::make_unique<Store>(orDie(Store::open(folder / "w")));
    orDie(store->addRun(runInfo("run-a")));
    store.reset();
    ASSERT_TRUE(orDie(orDie(RunReader::open(folder / "w")).lost("run-a")));
    mirrorOnce(folder / "w", folder / "here");
    const RunRow row = orDie(orDie(RunReader::open(folder / "here")).row("run-a"));
    EXPECT_EQ(row.status, "interrupted");
    EXPECT_THAT(row.error, HasSubstr("died"));
}

TEST(WorkspaceSourceTest, ItHasAnIdentityThatItsCopiesShare) {
    OneRun run;
    run.finish();
    const std::string identity = sourceOf(run.folder / "workspace")->identity();
    EXPECT_FALSE(identity.empty());
    std::filesystem::copy(run.folder / "workspace", run.folder / "copy", std::filesystem::copy_options::recursive);
    EXPECT_EQ(sourceOf(run.folder / "copy")->identity(), identity);
    { const Store other = orDie(Store::open(run.folder / "other")); }
    EXPECT_NE(sourceOf(run.folder / "other")->identity(), identity);
}

}  // namespace
}  // namespace dasgd::storage
