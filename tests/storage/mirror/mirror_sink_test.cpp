#include "storage/mirror/mirror_sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/dasgd_program.h"
#include "tests/support/mirrors.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RunRow rowIn(const std::filesystem::path& workspace, const std::string& id) {
    return orDie(orDie(RunReader::open(workspace)).row(id));
}

class MirrorSinkTest : public ::testing::Test {
protected:
    [[nodiscard]] std::filesystem::path there() const { return run_.folder / "workspace"; }
    [[nodiscard]] std::filesystem::path here() const { return run_.folder / "here"; }
    OneRun run_;
};

TEST_F(MirrorSinkTest, ARunArrivesAsItIs) {
    run_.rank(0).state(RankState::Running, 0, "");
    run_.rank(0).metric({.name = "train/loss", .step = 1, .epoch = 0.1, .wall = 5, .samples = 32, .value = 0.5});
    run_.rank(0).span({.kind = SpanKind::Forward, .step = 1, .start = 1, .end = 4, .bytes = 3});
    run_.rank(0).state(RankState::Finished, 1, "done");
    run_.finish();
    mirrorOnce(there(), here());
    EXPECT_EQ(contentOfRun(here(), "run-a"), contentOfRun(there(), "run-a"));
    const RunRow row = rowIn(here(), "run-a");
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.origin, "ssh://login/lab");
    EXPECT_EQ(row.originProgram, "dasgd");
    EXPECT_FALSE(row.heardAt.empty());
    EXPECT_EQ(rowIn(there(), "run-a").origin, "");
}

TEST_F(MirrorSinkTest, AgainTakesOnlyWhatIsNew) {
    addRecords(there(), "run-a", 1000, 500);
    EXPECT_EQ(mirrorOnce(there(), here()), 1500);
    EXPECT_EQ(mirrorOnce(there(), here()), 0);
    addRecords(there(), "run-a", 10, 20);
    EXPECT_EQ(mirrorOnce(there(), here()), 30);
    EXPECT_EQ(contentOfRun(here(), "run-a"), contentOfRun(there(), "run-a"));
}

// A part that comes a second time, as after an acknowledgement that was lost; two that take from one workspace.
TEST_F(MirrorSinkTest, WhatComesTwiceLandsOnce) {
    addRecords(there(), "run-a", 1000, 500);
    const auto first = sourceOf(there()), second = sourceOf(there());
    const auto sink = sinkFor(here(), *first), other = sinkFor(here(), *second);
    first->start(orDie(sink->known()));
    second->start(orDie(other->known()));
    const auto part = orDie(first->next());
    orDie(sink->apply(*part));
    orDie(sink->apply(*part));
    moveParts(*second, *other);
    moveParts(*first, *sink);
    EXPECT_EQ(sink->stored() + other->stored(), 1500);
    EXPECT_EQ(contentOfRun(here(), "run-a"), contentOfRun(there(), "run-a"));
}

TEST_F(MirrorSinkTest, ARunThatIsHereFromElsewhereStaysAsItIs) {
    addRecords(there(), "run-a", 100, 0);
    {
        Store store = orDie(Store::open(here()));
        orDie(store.addRun(runInfo("run-a")));
        orDie(store.abandonRun("run-a", "failed", "its own end"));
    }
    const auto before = contentOfRun(here(), "run-a");
    EXPECT_EQ(mirrorOnce(there(), here()), 0);
    EXPECT_EQ(contentOfRun(here(), "run-a"), before);
    const auto source = sourceOf(there());
    const auto sink = sinkFor(here(), *source);
    source->start(orDie(sink->known()));
    moveParts(*source, *sink);
    EXPECT_THAT(source->passedOver(), ::testing::ElementsAre("run-a"));
    // A run that is told all the same changes nothing.
    source->start({});
    moveParts(*source, *sink);
    EXPECT_EQ(contentOfRun(here(), "run-a"), before);
    EXPECT_THAT(sink->touched(), IsEmpty());
}

TEST_F(MirrorSinkTest, ItHasNoEndBeforeItsRecordIsWhole) {
    addRecords(there(), "run-a", 100'000, 0);
    run_.finish();
    const auto source = sourceOf(there());
    const auto sink = sinkFor(here(), *source);
    source->start(orDie(sink->known()));
    for (;;) {
        const auto part = orDie(source->next());
        if (!part) break;
        orDie(sink->apply(*part));
        const bool whole = contentOfRun(here(), "run-a").metrics == 100'000;
        if (!whole) {
            EXPECT_EQ(rowIn(here(), "run-a").status, "running");
            EXPECT_EQ(rowIn(here(), "run-a").endedAt, "");
        }
    }
    EXPECT_EQ(rowIn(here(), "run-a").status, "finished");
    EXPECT_NE(rowIn(here(), "run-a").endedAt, "");
}

// The run has its owner elsewhere: neither a reader nor the next opening gives it an end.
TEST_F(MirrorSinkTest, ARunUnderWayIsNotTakenForDead) {
    const auto recorder = orDie(Recorder::start(run_.store, "run-a", {0}));
    run_.rank(0).state(RankState::Running, 0, "");
    mirrorOnce(there(), here());
    EXPECT_EQ(orDie(Store::open(here())).recovered(), 0);
    EXPECT_EQ(rowIn(here(), "run-a").status, "running");
    // A lock in the run's folder that nobody holds changes nothing.
    std::ofstream(here() / "runs" / "run-a" / "owner.lock") << "1 elsewhere\n";
    EXPECT_FALSE(orDie(orDie(RunReader::open(here())).lost("run-a")));
    run_.journals.clear();
    orDie(recorder->finish("stopped", ""));
    mirrorOnce(there(), here());
    EXPECT_EQ(rowIn(here(), "run-a").status, "stopped");
}

TEST_F(MirrorSinkTest, LevelsOfDetailAreMadeHere) {
    addRecords(there(), "run-a", 0, 200'000);
    run_.finish();
    mirrorOnce(there(), here());
    SpanReader reader = orDie(SpanReader::open(here()));
    const auto roots = orDie(reader.roots("run-a"));
    ASSERT_FALSE(roots.empty());
    std::int64_t rows = 0;
    for (const SpanPart& part : roots) {
        rows += part.rows;
        EXPECT_GT(part.level, 0);
    }
    EXPECT_EQ(rows, 200'000);
    EXPECT_LT(roots.size(), 30U);
    EXPECT_EQ(contentOfRun(here(), "run-a"), contentOfRun(there(), "run-a"));
}

TEST_F(MirrorSinkTest, FilesAreAppendedTo) {
    const auto files = there() / "runs" / "run-a";
    writeText(files / "experiment.toml", "name = \"e\"\n");
    writeText(files / "logs" / "rank-0000.log", "one\n");
    const auto copied = here() / "runs" / "run-a";
    mirrorOnce(there(), here());
    EXPECT_EQ(contentOf(copied / "experiment.toml"), "name = \"e\"\n");
    EXPECT_EQ(contentOf(copied / "logs" / "rank-0000.log"), "one\n");
    std::ofstream(files / "logs" / "rank-0000.log", std::ios::app) << "two\n";
    std::filesystem::resize_file(copied / "logs" / "rank-0000.log", 2);
    mirrorOnce(there(), here());
    EXPECT_EQ(contentOf(copied / "logs" / "rank-0000.log"), "one\ntwo\n");
    run_.finish();
    mirrorOnce(there(), here());
    EXPECT_EQ(contentOf(copied / "logs" / "rank-0000.log"), "one\ntwo\n");
}

TEST_F(MirrorSinkTest, ALogThatIsALinkIsNotWrittenThrough) {
    writeText(there() / "runs" / "run-a" / "logs" / "rank-0000.log", "one\n");
    writeText(here() / "precious", "mine");
    std::filesystem::create_directories(here() / "runs" / "run-a" / "logs");
    std::filesystem::create_symlink(here() / "precious", here() / "runs" / "run-a" / "logs" / "rank-0000.log");
    const auto source = sourceOf(there());
    const auto sink = sinkFor(here(), *source);
    source->start({});
    const auto part = orDie(source->next());
    EXPECT_FALSE(sink->apply(*part));
    EXPECT_EQ(contentOf(here() / "precious"), "mine");
}

TEST_F(MirrorSinkTest, WhatCannotBeStoredLeavesNothing) {
    const auto source = sourceOf(there());
    const auto sink = sinkFor(here(), *source);
    source->start({});
    MirrorPart part = *orDie(source->next());
    const auto refused = [&](const std::function<void(MirrorPart&)>& change) {
        MirrorPart wrong = part;
        change(wrong);
        const Status done = sink->apply(wrong);
        return done ? "" : done.error().message;
    };
    EXPECT_THAT(refused([](MirrorPart& wrong) { wrong.document->tables.pop_back(); }), HasSubstr("its tables"));
    EXPECT_THAT(refused([](MirrorPart& wrong) { wrong.document->tables[0][0].pop_back(); }), HasSubstr("columns"));
    EXPECT_THAT(refused([](MirrorPart& wrong) { wrong.runId = "run-b"; }), HasSubstr("another run"));
    EXPECT_THAT(refused([](MirrorPart& wrong) { wrong.document.reset(); }), HasSubstr("not told before"));
    EXPECT_THAT(orDie(orDie(RunReader::open(here())).list()), IsEmpty());
    orDie(sink->apply(part));
}

// The other side is not trusted.
TEST_F(MirrorSinkTest, WhatIsMoreThanIsTakenIsRefused) {
    const auto source = sourceOf(there());
    const auto sink = sinkFor(here(), *source);
    source->start({});
    const MirrorPart part = *orDie(source->next());
    const auto refused = [&](const std::function<void(MirrorPart&)>& change) {
        MirrorPart wrong = part;
        change(wrong);
        EXPECT_EQ(sink->check(wrong).has_value(), sink->apply(wrong).has_value());
        const Status fits = sink->check(wrong);
        return fits ? "" : fits.error().message;
    };
    const auto log = [](std::int64_t offset, std::size_t bytes, const std::string& name = "rank-0000.log") {
        return FilePart{.path = "logs/" + name, .offset = offset, .bytes = std::string(bytes, 'x')};
    };
    constexpr std::int64_t kMost = MirrorSink::kMostFileBytes;
    EXPECT_THAT(refused([&](MirrorPart& wrong) { wrong.files = {log(kMost - 5, 6)}; }),
                HasSubstr("run run-a: more than 64 MiB of logs/rank-0000.log"));
    EXPECT_THAT(refused([&](MirrorPart& wrong) { wrong.files = {log(INT64_MAX - 1, 6)}; }), HasSubstr("64 MiB"));
    EXPECT_EQ(refused([&](MirrorPart& right) { right.files = {log(kMost - 6, 6)}; }), "");
    EXPECT_THAT(refused([&](MirrorPart& wrong) {
                    for (std::size_t i = 0; i <= MirrorSink::kMostFiles; ++i) {
                        wrong.files.push_back(log(0, 1, "rank-" + std::to_string(i) + ".log"));
                    }
                }),
                HasSubstr("more than 4096 files"));
    EXPECT_THAT(refused([&](MirrorPart& wrong) {
                    for (int i = 0; i < 17; ++i) {
                        wrong.files.push_back(log(kMost - 1, 1, "rank-" + std::to_string(i) + ".log"));
                    }
                }),
                HasSubstr("1024 MiB of them"));
    EXPECT_THAT(
        refused([](MirrorPart& wrong) { wrong.document->schema = std::string(MirrorSink::kMostTextBytes + 1, 'x'); }),
        HasSubstr("a text of more than 8 MiB"));
    EXPECT_LT(std::distance(std::filesystem::directory_iterator(here() / "runs" / "run-a" / "logs"), {}), 2);
}

// Rows land once also while another process takes from the same workspace: a killed one has left whole transactions.
TEST_F(MirrorSinkTest, EveryRowLandsOnceHoweverOftenItIsKilled) {
    run_.journals.clear();  // with their threads
    addRecords(there(), "run-a", 80'000, 80'000);
    std::mt19937 random(2);
    int killed = 0;
    for (int round = 0; round < 12; ++round) {
        SharedCounter parts;
        ChildProcess taker([&] {
            const auto source = sourceOf(there());
            const auto sink = sinkFor(here(), *source);
            source->start(orDie(sink->known()));
            while (moveParts(*source, *sink, 1) == 1) parts.add();
            return 0;
        });
        const auto wanted = static_cast<std::int64_t>(random() % 3);
        if (!eventually([&] { return parts.get() >= wanted; }, std::chrono::seconds(round < 3 ? 20 : 3))) break;
        ::usleep(random() % 3000);
        taker.kill();
        ++killed;
    }
    EXPECT_GT(killed, 2);
    mirrorOnce(there(), here());
    EXPECT_EQ(contentOfRun(here(), "run-a"), contentOfRun(there(), "run-a"));
}

TEST_F(MirrorSinkTest, WhatIsReachedOverSshStaysSoWhenACopyIsImported) {
    mirrorOnce(there(), here(), "ssh://login/lab");
    mirrorOnce(there(), here(), "/media/copy");
    EXPECT_EQ(rowIn(here(), "run-a").origin, "ssh://login/lab");
    mirrorOnce(there(), here(), "ssh://other/lab");
    EXPECT_EQ(rowIn(here(), "run-a").origin, "ssh://other/lab");
    EXPECT_TRUE(isRemote("ssh://login/lab"));
    EXPECT_FALSE(isRemote("/media/copy"));
}

}  // namespace
}  // namespace dasgd::storage
