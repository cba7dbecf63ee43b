#include "storage/compare/external_load.h"

#include <gmock/gmock.h>

#include "tests/support/runs.h"

namespace dasgd::storage {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwoCores = "Processor, 2 cores to use, 24.0 GB memory";

void record(test::OneRun& one, int rank, const char* name, int second, double cores) {
    one.rank(rank).metric({.name = name, .wall = second * 1'000'000'000LL, .value = cores});
}

std::vector<ExternalLoad> loadsOf(test::OneRun& one, const std::string& cpu = kTwoCores) {
    one.finish();
    one.describe(cpu);
    auto reader = one.reader();
    return test::orDie(readExternalLoad(reader, test::orDie(reader.runs().row(one.runId))));
}

// Load beside a run of one rank that computed with `own` of the `host` cores that were busy.
std::vector<ExternalLoad> loadsOf(double host, double own, int seconds, const std::string& cpu = kTwoCores) {
    test::OneRun one(1);
    for (int second = 1; second <= seconds; ++second) {
        record(one, 0, "host/cpu_cores", second, host);
        record(one, 0, "process/cpu_cores", second, own);
    }
    return loadsOf(one, cpu);
}

TEST(ExternalLoad, IsWhatTheHostComputedBesideTheRanks) {
    test::OneRun one(2);
    for (int second = 1; second <= 4; ++second) {
        record(one, 0, "host/cpu_cores", second, second == 4 ? 2.0 : 1.6);
        record(one, 0, "process/cpu_cores", second, 0.5);
        record(one, 1, "process/cpu_cores", second, 0.7);
    }
    const auto loads = loadsOf(one);
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_DOUBLE_EQ(loads[0].ranks, 1.2);
    EXPECT_NEAR(loads[0].others, 0.5, 1e-12);
    EXPECT_EQ(loads[0].seconds, 4U);
    EXPECT_TRUE(loads[0].disturbs());
    ExternalLoad wide = loads[0];
    wide.cores = 16;
    EXPECT_FALSE(wide.disturbs()) << "there was room for both";
    EXPECT_THAT(externalLoadText(loads[0]), HasSubstr("0.50 cores by other programs, beside the ranks' 1.20"));
}

TEST(ExternalLoad, OfALauncherDisturbsNothing) {
    const auto loads = loadsOf(1.1, 1.0, 3);
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_FALSE(loads[0].disturbs());
}

TEST(ExternalLoad, IsNotJudgedWhereTheCoresAreNotKnown) {
    for (const char* cpu : {"cpu", "cpu, 0 cores to use, 24.0 GB memory", "cpu, 99999999999 cores to use"}) {
        const auto loads = loadsOf(2, 1, 3, cpu);
        ASSERT_EQ(loads.size(), 1U) << cpu;
        EXPECT_DOUBLE_EQ(loads[0].others, 1) << cpu;
        EXPECT_FALSE(loads[0].disturbs()) << cpu;
    }
}

TEST(ExternalLoad, ARankThatWentEarlyHidesNone) {
    test::OneRun one(2);
    for (int second = 1; second <= 4; ++second) {
        record(one, 0, "host/cpu_cores", second, 2);
        record(one, 0, "process/cpu_cores", second, 1);
    }
    record(one, 1, "process/cpu_cores", 1, 1);
    const auto loads = loadsOf(one);
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_DOUBLE_EQ(loads[0].ranks, 1.25);
    EXPECT_DOUBLE_EQ(loads[0].others, 0.75);
}

// Neighbours on cores that the run may not use take none of its own.
TEST(ExternalLoad, IsNotJudgedWhereTheRunHasButAPartOfTheHost) {
    const auto loads = loadsOf(48, 8, 3, "EPYC, 8 of 64 cores to use, 512.0 GB memory");
    ASSERT_EQ(loads.size(), 1U);
    EXPECT_DOUBLE_EQ(loads[0].others, 40);
    EXPECT_FALSE(loads[0].disturbs());
}

TEST(ExternalLoad, IsOfEachHostForItself) {
    test::OneRun one(4);
    for (int rank = 0; rank < 4; ++rank) {
        one.rank(rank).state(RankState::Starting, 0, rank < 2 ? "node1" : "node2");
        for (int second = 1; second <= 3; ++second) {
            record(one, rank, "process/cpu_cores", second, 0.5);
            if (rank % 2 == 0) record(one, rank, "host/cpu_cores", second, 1.0 + rank / 4.0);
        }
    }
    const auto loads = loadsOf(one);
    ASSERT_EQ(loads.size(), 2U);
    EXPECT_EQ(loads[0].host, "node1");
    EXPECT_DOUBLE_EQ(loads[0].others, 0);
    EXPECT_EQ(loads[1].host, "node2");
    EXPECT_DOUBLE_EQ(loads[1].others, 0.5);
    EXPECT_THAT(externalLoadText(loads[1]), HasSubstr("node2: 0.50 cores by other programs"));
}

TEST(ExternalLoad, OfAMomentIsNotKnown) { EXPECT_THAT(loadsOf(2, 1, 1), ::testing::IsEmpty()); }

}  // namespace
}  // namespace dasgd::storage
