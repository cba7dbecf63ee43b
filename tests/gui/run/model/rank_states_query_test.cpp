#include "gui/run/model/rank_states_query.h"

#include <gtest/gtest.h>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

// The first clean window of a run ends with its first evaluation; what its ranks do is known before.
TEST(RankStatesQuery, SaysWhatALiveRunDoesBeforeAnythingIsTimed) {
    LiveBench bench;
    test::SyntheticRun run(bench.workspace.store(), {.ranks = 3, .steps = 100});
    run.train(40);
    bench.know();
    bench.store.setWatch({QString::fromStdString(run.id()), {}});
    RankStatesQuery query;
    query.setWanted(true);
    RankStates last;
    QObject::connect(&query, &RankStatesQuery::arrived, [&](const RankStates& states) { last = states; });
    ASSERT_TRUE(eventually([&] {
        bench.store.touch();
        bench.refresh(query);
        return last.now.size() == 3 && last.hidden.has_value();
    }));
    EXPECT_GT(*last.hidden, 0.5);
    EXPECT_LE(last.seconds, 2.01);
    for (const storage::RankRow& row : last.timed) EXPECT_FALSE(row.hidden) << "no window yet";
    run.train(100);
    run.finish();
    bench.know();
    ASSERT_TRUE(eventually([&] {
        bench.store.touch();
        bench.refresh(query);
        return last.now.empty() && last.timed.size() == 3;
    })) << "of an ended run only what was timed";
    EXPECT_TRUE(last.timed[2].hidden);
}

// Rounds of 2.7 s: in the newest 2 s there is no whole one.
TEST(RankStatesQuery, LooksBackAsFarAsTheLastWholeRounds) {
    LiveBench bench;
    test::SyntheticRun run(bench.workspace.store(), {.ranks = 2, .period = 100, .steps = 1000, .stepsPerEpoch = 1000});
    bench.know();
    bench.store.setWatch({QString::fromStdString(run.id()), {}});
    RankStatesQuery query;
    query.setWanted(true);
    RankStates last;
    QObject::connect(&query, &RankStatesQuery::arrived, [&](const RankStates& states) { last = states; });
    const auto after = [&](std::int64_t steps) {
        run.train(steps);
        const bool isStored = eventually([&] {
            bench.know();
            const auto extent = bench.store.reader().spans().extent(run.id()).value();
            return extent && extent->end > steps * 25'000'000;
        });
        last = {};
        return isStored && eventually([&] {
                   bench.store.touch();
                   bench.refresh(query);
                   return last.now.size() == 2;
               });
    };
    ASSERT_TRUE(after(60));
    EXPECT_FALSE(last.samplesPerS) << "steps that nothing was waited for in are faster than any round";
    ASSERT_TRUE(after(160));
    EXPECT_FALSE(last.samplesPerS) << "one reduction: no whole round";
    ASSERT_TRUE(after(260));
    ASSERT_TRUE(last.samplesPerS);
    EXPECT_NEAR(last.rateSeconds, 2.7, 0.2) << "from the reduction of step 100 to that of step 200";
    EXPECT_NEAR(*last.samplesPerS, 2 * 32 * 100 / last.rateSeconds, 20) << "of the ranks the slower one";
    EXPECT_GE(last.seconds, last.rateSeconds);
    run.finish();
}

// Averages over a minute would stand there for the rest of the run.
TEST(RankStatesQuery, AStallMakesTheReachLongerOnlyUntilRoundsAreShortAgain) {
    LiveBench bench;
    test::SyntheticRun run(bench.workspace.store(), {.ranks = 2, .steps = 400, .stepsPerEpoch = 1000});
    bench.know();
    bench.store.setWatch({QString::fromStdString(run.id()), {}});
    RankStatesQuery query;
    query.setWanted(true);
    RankStates last;
    QObject::connect(&query, &RankStatesQuery::arrived, [&](const RankStates& states) { last = states; });
    const auto isStored = [&](double untilS) {
        return eventually([&] {
            bench.know();
            const auto extent = bench.store.reader().spans().extent(run.id()).value();
            return extent && static_cast<double>(extent->end) / 1e9 > untilS;
        });
    };
    const auto look = [&] {
        query.setWanted(false);
        query.setWanted(true);
        bench.store.touch();
        bench.refresh(query);
        return last.seconds;
    };
    run.train(200);
    ASSERT_TRUE(isStored(5.0));
    EXPECT_NEAR(look(), 2, 1e-6);
    run.stall(20);
    run.train(202);
    ASSERT_TRUE(isStored(25.1));
    EXPECT_NEAR(look(), 4, 1e-6) << "twice as far in one refresh: others wait for it";
    EXPECT_NEAR(look(), 8, 1e-6);
    EXPECT_NEAR(look(), 16, 1e-6);
    run.train(400);
    ASSERT_TRUE(isStored(30.0));
    EXPECT_NEAR(look(), 2, 1e-6);
    EXPECT_TRUE(last.samplesPerS);
    run.finish();
}

// A finished run of two ranks of which the second computes for twice as long.
QString recordUnequalRanks(storage::Store& store) {
    const std::string id = store.newRunId("dasgd");
    storage::RunInfo info{.runId = id, .experiment = "unequal", .algorithm = "dasgd", .backend = "gloo"};
    info.workers = 2;
    EXPECT_TRUE(store.addRun(info));
    auto recorder = storage::Recorder::start(store, id, {0, 1});
    EXPECT_TRUE(recorder);
    for (int rank = 0; rank < 2; ++rank) {
        auto journal = JournalWriter::create(store.paths().journal(id, rank));
        EXPECT_TRUE(journal);
        for (std::int64_t step = 1; step <= 200; ++step) {
            const Ns start = step * 3'000'000;
            (*journal)->span({.lane = Lane::Compute,
                              .kind = SpanKind::Forward,
                              .step = step,
                              .start = start,
                              .end = start + (rank + 1) * 1'000'000});
        }
        (*journal)->state(RankState::Finished, 200, "");
    }
    EXPECT_TRUE((*recorder)->finish("finished", ""));
    return QString::fromStdString(id);
}

TEST(RankStatesQuery, NamesTheStragglerOfAnEndedRunToo) {
    LiveBench bench;
    const QString run = recordUnequalRanks(bench.workspace.store());
    bench.know();
    bench.store.setWatch({run, {}});
    RankStatesQuery query;
    query.setWanted(true);
    RankStates last;
    QObject::connect(&query, &RankStatesQuery::arrived, [&](const RankStates& states) { last = states; });
    bench.refresh(query);
    ASSERT_TRUE(last.straggler);
    EXPECT_EQ(last.straggler->rank, 1);
    EXPECT_TRUE(last.now.empty());
}

TEST(RankStatesQuery, ReadsOnlyWhileSomeoneLooks) {
    LiveBench bench;
    const QString run = bench.workspace.record({.ranks = 2, .steps = 20});
    bench.know();
    bench.store.setWatch({run, {}});
    RankStatesQuery query;
    int arrived = 0;
    QObject::connect(&query, &RankStatesQuery::arrived, [&] { ++arrived; });
    bench.refresh(query);
    EXPECT_EQ(arrived, 0);
    query.setWanted(true);
    bench.refresh(query);
    EXPECT_EQ(arrived, 1);
    query.setWanted(false);
    bench.store.setWatch({bench.workspace.record({.ranks = 2, .steps = 20}), {}});
    bench.know();
    bench.refresh(query);
    EXPECT_EQ(arrived, 1);
    query.setWanted(true);
    bench.refresh(query);
    EXPECT_EQ(arrived, 2) << "of the run that is watched by now";
    query.setWanted(false);
    bench.store.touch();
    bench.refresh(query);
    query.setWanted(true);
    bench.refresh(query);
    EXPECT_EQ(arrived, 3) << "who comes back does not wait for the interval";
}

}  // namespace
}  // namespace dasgd::gui
