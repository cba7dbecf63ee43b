// Levels of detail equal their rows, whichever process collected them and whenever one was killed.
#include "storage/levels/level_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>
#include <tuple>

#include "storage/collect/ingest.h"
#include "storage/collect/journal_source.h"
#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

using Sums = std::map<std::tuple<int, Lane, SpanKind>, std::pair<std::int64_t, Ns>>;  // count and time

void add(Sums& sums, int rank, Lane lane, SpanKind kind, std::int64_t spans, Ns time) {
    auto& [count, sum] = sums[{rank, lane, kind}];
    count += spans;
    sum += time;
}

// Sums of what `part` itself holds; every span and bucket must lie in its range.
Sums sumsOf(SpanReader& reader, const SpanPart& part) {
    Sums sums;
    if (part.level == 0) {
        for (const auto& [rank, span] : orDie(reader.rows(part))) {
            add(sums, rank, span.lane, span.kind, 1, span.end - span.start);
            EXPECT_LE(part.range.start, span.start);
            EXPECT_GE(part.range.end, span.end);
        }
        return sums;
    }
    const SpanLevel level = orDie(reader.level(part));
    EXPECT_EQ(level.width(), part.width);
    std::size_t span = 0, cell = 0;
    for (const LevelLane& lane : level.lanes) {
        for (; span < lane.spansEnd; ++span) {
            const Span& one = level.spans[span];
            add(sums, lane.rank, lane.lane, one.kind, 1, one.end - one.start);
        }
        for (; cell < lane.cellsEnd; ++cell) {
            const LevelCell& one = level.cells[cell];
            add(sums, lane.rank, lane.lane, one.kind, one.count, one.covered);
            EXPECT_LE(level.startOf(one), part.range.end);
            EXPECT_GE(level.startOf(one) + level.width(), part.range.start);
        }
    }
    return sums;
}

void join(Sums& sums, const Sums& more) {
    for (const auto& [key, value] : more) {
        add(sums, std::get<0>(key), std::get<1>(key), std::get<2>(key), value.first, value.second);
    }
}

struct Tree {
    int parts = 0, levels = 0;
    std::int64_t rowsWithoutLevel = 0;
};

// Each part is what its parts are, down to the rows, and the roots together are all rows.
Sums checkBelow(SpanReader& reader, const std::string& run, const SpanPart& part, Tree& tree) {
    ++tree.parts;
    tree.levels = std::max(tree.levels, part.level);
    const Sums own = sumsOf(reader, part);
    if (part.level == 0) return own;
    Sums below;
    std::int64_t rows = 0;
    for (const SpanPart& child : orDie(reader.parts(run, part))) {
        EXPECT_EQ(child.level, part.level - 1);
        EXPECT_TRUE(child.settled);
        rows += child.rows;
        join(below, checkBelow(reader, run, child, tree));
    }
    EXPECT_EQ(rows, part.rows);
    EXPECT_EQ(own, below) << "level " << part.level;
    return own;
}

Tree expectLevelsAreTheRows(const WorkspacePaths& paths, const std::string& run) {
    SpanReader reader = orDie(SpanReader::open(paths.root));
    Sums all, roots;
    orDie(reader.each(run, [&](const SpanRow& row) {
        add(all, row.rank, row.span.lane, row.span.kind, 1, row.span.end - row.span.start);
        return true;
    }));
    Tree tree;
    for (const SpanPart& part : orDie(reader.roots(run))) {
        if (part.level == 0) tree.rowsWithoutLevel += part.rows;
        join(roots, checkBelow(reader, run, part, tree));
    }
    EXPECT_EQ(roots, all);
    return tree;
}

void writeStep(JournalWriter& rank, int number, std::int64_t step) {
    const Ns at = step * 1000 + number;
    rank.span({.kind = SpanKind::Forward, .step = step, .start = at, .end = at + 300});
    rank.span({.kind = SpanKind::Backward, .step = step, .start = at + 300, .end = at + 900});
    if (step % 4 == 0) {
        rank.span({.lane = Lane::Comm,
                   .kind = SpanKind::Reduce,
                   .step = step,
                   .start = at + 900,
                   .end = at + 2500,
                   .bytes = 64,
                   .collective = static_cast<std::uint64_t>(step / 4 + 1)});
    }
}

TEST(LevelWriter, AFinishedRunHasLevelsOverAllItsRows) {
    OneRun run(3);
    for (std::int64_t step = 0; step < 80'000; ++step) {
        for (int rank = 0; rank < 3; ++rank) writeStep(run.rank(rank), rank, step);
    }
    run.finish();
    const Tree tree = expectLevelsAreTheRows(run.store.paths(), run.runId);
    EXPECT_EQ(tree.levels, 3);
    EXPECT_LT(tree.rowsWithoutLevel, LevelWriter::kLeastRows);
}

TEST(LevelWriter, AShortRunHasRowsOnly) {
    OneRun run;
    for (std::int64_t step = 0; step < 300; ++step) writeStep(run.rank(0), 0, step);
    run.finish();
    const Tree tree = expectLevelsAreTheRows(run.store.paths(), run.runId);
    EXPECT_EQ(tree.levels, 0);
    EXPECT_GT(tree.rowsWithoutLevel, 600);
}

class CollectorsTest : public ::testing::TestWithParam<CollectorScope> {};
INSTANTIATE_TEST_SUITE_P(Collectors, CollectorsTest,
                         ::testing::Values(CollectorScope::AllRanks, CollectorScope::SomeRanks),
                         [](const auto& kind) { return kind.param == CollectorScope::AllRanks ? "One" : "EachRank"; });

// Ranks report a collective far apart, collectors are replaced, and at no time a level is not what its rows are.
TEST_P(CollectorsTest, LateReportsDivideNothingThatHasALevel) {
    OneRun run(2);
    const auto connection = orDie(WriteConnection::open(run.store.paths()));
    std::vector<std::unique_ptr<RunIngest>> collectors;
    const auto start = [&] {
        collectors.clear();
        const auto add = [&](const std::vector<int>& journals) {
            collectors.push_back(std::make_unique<RunIngest>(*connection, keyOf(run.store.paths(), run.runId),
                                                             journalSources(run.store.paths(), run.runId, journals),
                                                             GetParam()));
        };
        if (GetParam() == CollectorScope::AllRanks) return add({0, 1});
        add({0});
        add({1});
    };
    start();
    std::mt19937 random(7);
    std::array<std::int64_t, 2> steps{};
    int levels = 0;
    for (int round = 0; round < 40; ++round) {
        const auto rank = static_cast<std::size_t>(random() % 2);
        const std::int64_t until = steps[rank] + static_cast<std::int64_t>(random() % 3000);
        for (; steps[rank] < until; ++steps[rank]) {
            writeStep(run.rank(static_cast<int>(rank)), static_cast<int>(rank), steps[rank]);
        }
        if (random() % 6 == 0) start();
        for (const auto& collector : collectors) orDie(collector->collect(random() % 4000 + 1));
        levels = std::max(levels, expectLevelsAreTheRows(run.store.paths(), run.runId).levels);
    }
    EXPECT_GT(levels, 0);
    collectors.clear();
    run.finish();
    EXPECT_LT(expectLevelsAreTheRows(run.store.paths(), run.runId).rowsWithoutLevel, LevelWriter::kLeastRows);
}

TEST(LevelWriter, KilledCollectorsLeaveLevelsOfExactlyTheirRows) {
    OneRun run;
    run.journals.clear();
    std::filesystem::remove_all(run.store.paths().journal(run.runId, 0));
    const WorkspacePaths paths = run.store.paths();
    const std::int64_t key = keyOf(paths, run.runId);
    ChildProcess writer([&] {
        const auto journal = newJournal(paths.journal(run.runId, 0), {.segmentRecords = 4096});
        for (std::int64_t step = 0;; ++step) {
            writeStep(*journal, 0, step);
            // A slower writer leaves less for the end: that is read twice, which a sanitizer makes slow.
            if (step % 100 == 0) ::usleep(1000);
        }
        return 0;
    });
    std::mt19937 random(5);
    for (int round = 0; round < 30; ++round) {
        SharedCounter transactions;
        ChildProcess collector([&] {
            const auto connection = orDie(WriteConnection::open(paths));
            RunIngest ingest(*connection, key, journalSources(paths, run.runId, {0}));
            for (;;) transactions.set(transactions.get() + (orDie(ingest.collect(1000)) > 0 ? 1 : 0));
            return 0;
        });
        ASSERT_TRUE(eventually([&] { return transactions.get() > 10; }));
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
        collector.kill();
    }
    writer.kill();
    expectLevelsAreTheRows(paths, run.runId);
    run.finish();
    const Tree tree = expectLevelsAreTheRows(paths, run.runId);
    EXPECT_LT(tree.rowsWithoutLevel, LevelWriter::kLeastRows);
    EXPECT_GT(tree.levels, 0);
}

// The state of a run whose collector was killed before it made the levels.
TEST(LevelWriter, OpeningAWorkspaceMakesTheLevelsThatAreMissing) {
    OneRun run(2);
    for (std::int64_t step = 0; step < 30'000; ++step) {
        for (int rank = 0; rank < 2; ++rank) writeStep(run.rank(rank), rank, step);
    }
    run.finish();
    const WorkspacePaths paths = run.store.paths();
    {
        SQLite::Database database(paths.database().string(), SQLite::OPEN_READWRITE);
        database.exec("DELETE FROM span_node; UPDATE span_chunk SET node = 0");
    }
    EXPECT_EQ(expectLevelsAreTheRows(paths, run.runId).levels, 0) << "readers see the rows";
    const Store store = orDie(Store::open(paths.root));
    const Tree tree = expectLevelsAreTheRows(paths, run.runId);
    EXPECT_EQ(tree.levels, 2);
    EXPECT_LT(tree.rowsWithoutLevel, LevelWriter::kLeastRows);
}

}  // namespace
}  // namespace dasgd::storage
