#include <gtest/gtest.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using namespace dasgd::test;

TEST(LastSeenTest, OfEachRankTheSpanThatEndedLast) {
    OneRun run(3);
    run.rank(0).state(RankState::Starting, 0, "node0");
    run.rank(1).state(RankState::Starting, 0, "node1");
    run.rank(0).span({.kind = SpanKind::Forward, .step = 4, .start = 50, .end = 60});
    run.rank(0).span(
        {.lane = Lane::Comm, .kind = SpanKind::Transfer, .step = 3, .start = 20, .end = 90, .collective = 7});
    run.rank(0).span({.kind = SpanKind::Backward, .step = 4, .start = 60, .end = 80});
    run.rank(0).state(RankState::Failed, 4, "a peer is gone");
    run.rank(1).span({.kind = SpanKind::Wait, .step = 2, .start = 5, .end = 8, .collective = 6});
    run.finish("failed");
    const auto ranks = orDie(run.reader().lastSeen(run.runId));
    ASSERT_EQ(ranks.size(), 3U);
    EXPECT_EQ(ranks[0].host, "node0");
    EXPECT_EQ(ranks[0].state, "failed");
    EXPECT_EQ(ranks[0].text, "a peer is gone");
    EXPECT_EQ(ranks[0].step, 4);
    EXPECT_EQ(ranks[0].last.value().span.kind, SpanKind::Transfer) << "it began first and ended last";
    EXPECT_EQ(ranks[0].last->span.collective, 7);
    EXPECT_EQ(ranks[1].host, "node1");
    EXPECT_EQ(ranks[1].state, "starting");
    EXPECT_EQ(ranks[1].text, "") << "the name of its host";
    EXPECT_EQ(ranks[1].last.value().span.step, 2);
    EXPECT_EQ(ranks[2].host, "");
    EXPECT_EQ(ranks[2].state, "") << "it never said anything";
    EXPECT_FALSE(ranks[2].last);
    EXPECT_TRUE(orDie(run.reader().run(run.runId)).rankHosts.empty()) << "one rank did not say where it is";
}

TEST(LastSeenTest, HostsAreKnownWhereEveryRankSaidItsOwn) {
    OneRun run(2);
    run.rank(1).state(RankState::Starting, 0, "node1");
    run.rank(0).state(RankState::Starting, 0, "node0");
    run.finish();
    EXPECT_EQ(orDie(run.reader().run(run.runId)).rankHosts, (std::vector<std::string>{"node0", "node1"}));
}

TEST(LastSeenTest, ProvenanceCountsTheHostsOfTheRanks) {
    OneRun run(3);
    for (const int rank : {0, 1}) run.rank(rank).state(RankState::Starting, 0, "node0");
    run.finish();
    EXPECT_EQ(orDie(run.reader().provenance(run.runId)).hosts, 0U) << "one rank did not say where it is";
    OneRun two(3, "run-b");
    for (const int rank : {0, 1, 2}) two.rank(rank).state(RankState::Starting, 0, rank == 1 ? "node1" : "node0");
    two.finish();
    const RunProvenance found = orDie(two.reader().provenance("run-b"));
    EXPECT_EQ(found.hosts, 2U);
    EXPECT_EQ(found.host + found.cpu, "labcpu");
    EXPECT_TRUE(found.gitDirty);
    EXPECT_FALSE(two.reader().provenance("another"));
}

}  // namespace
}  // namespace dasgd::storage
