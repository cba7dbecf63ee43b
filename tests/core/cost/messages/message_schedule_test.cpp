// A schedule is right if walking it with real numbers leaves the sum everywhere: the interpreter here does nothing
// else.
#include "core/cost/messages/message_schedule.h"

#include <gmock/gmock.h>

#include <bit>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <random>

#include "tests/support/all_reduce_kinds.h"
#include "tests/support/sim/schedule_interpreter.h"

namespace dasgd {
namespace {

using test::Interpreter;
using test::kElementBytes;
using test::Numbers;

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::vector<int> kRankCounts{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17};

// Every element of every rank differs, and sums of them are exact.
std::vector<Numbers> distinctNumbers(int ranks, std::int64_t length) {
    std::vector<Numbers> all(ranks, Numbers(length));
    for (int rank = 0; rank < ranks; ++rank) {
        for (std::int64_t i = 0; i < length; ++i) all[rank][i] = 1000.0 * (rank * rank + 1) + static_cast<double>(i);
    }
    return all;
}

Numbers sumOf(const std::vector<Numbers>& all) {
    Numbers sum(all.front().size());
    for (const Numbers& each : all) std::ranges::transform(sum, each, sum.begin(), std::plus<>());
    return sum;
}

std::vector<std::int64_t> lengthsFor(int ranks) { return {0, 1, ranks - 1, ranks, ranks + 1, 12L * ranks, 1000}; }

std::int64_t bytesOf(std::int64_t length) { return length * kElementBytes; }

std::unique_ptr<MessageSchedule> make(const AllReduceKind& kind, std::int64_t length, int ranks) {
    auto schedule = allReduceSchedule(kind, {bytesOf(length), kElementBytes}, ranks);
    EXPECT_TRUE(schedule) << schedule.error().message;
    return std::move(*schedule);
}

std::vector<AllReduceKind> everyKindFor(int ranks) {
    std::vector<int> parts(static_cast<std::size_t>(ranks));
    std::iota(parts.begin(), parts.end(), 1);
    return test::kindsFor(ranks, parts);
}

TEST(Schedule, EveryRankEndsWithTheExactSum) {
    for (const int ranks : kRankCounts) {
        for (const AllReduceKind& kind : everyKindFor(ranks)) {
            for (const std::int64_t length : lengthsFor(ranks)) {
                SCOPED_TRACE(test::describe(kind, ranks) + " length=" + std::to_string(length));
                const auto schedule = make(kind, length, ranks);
                const std::vector<Numbers> start = distinctNumbers(ranks, length);
                Interpreter interpreter(*schedule, start);
                ASSERT_TRUE(interpreter.run());
                for (const Numbers& end : interpreter.values()) ASSERT_EQ(end, sumOf(start));
            }
        }
    }
}

TEST(Schedule, NothingToSendTakesNoRounds) {
    for (const AllReduceKind& kind : everyKindFor(6)) EXPECT_EQ(make(kind, 0, 6)->rounds(), 0) << nameOf(kind.method);
    for (const AllReduceKind& kind : everyKindFor(1)) EXPECT_EQ(make(kind, 100, 1)->rounds(), 0) << nameOf(kind.method);
    EXPECT_EQ(allGatherSchedule(0, 6)->rounds(), 0);
    EXPECT_EQ(allGatherSchedule(8, 1)->rounds(), 0);
    EXPECT_EQ(broadcastSchedule(0, 6, 2)->rounds(), 0);
    EXPECT_EQ(broadcastSchedule(8, 1, 0)->rounds(), 0);
}

TEST(Schedule, RoundsAreThoseOfTheFormulas) {
    EXPECT_EQ(make({AllReduceMethod::Ring}, 1000, 9)->rounds(), 16);
    EXPECT_EQ(make({AllReduceMethod::HalvingDoubling}, 1000, 16)->rounds(), 8);
    EXPECT_EQ(make({AllReduceMethod::HalvingDoubling}, 1000, 17)->rounds(), 10);
    EXPECT_EQ(make({AllReduceMethod::RecursiveDoubling}, 1000, 16)->rounds(), 4);
    EXPECT_EQ(make({AllReduceMethod::RecursiveDoubling}, 1000, 9)->rounds(), 5);
    EXPECT_EQ(make({AllReduceMethod::Tree}, 1000, 16)->rounds(), 8);
    EXPECT_EQ(make({AllReduceMethod::Tree}, 1000, 17)->rounds(), 10);
    EXPECT_EQ(make({AllReduceMethod::Hierarchical, 4}, 1000, 12)->rounds(), 3 + 2 * 2 + 3);
    EXPECT_EQ(make({AllReduceMethod::ParameterServer, 1, 3}, 1000, 12)->rounds(), 2);
}

std::vector<std::int64_t> sentBy(const AllReduceKind& kind, std::int64_t length, int ranks) {
    const auto schedule = make(kind, length, ranks);
    Interpreter interpreter(*schedule, distinctNumbers(ranks, length));
    EXPECT_TRUE(interpreter.run());
    return interpreter.sent();
}

TEST(Schedule, EachRankSendsTheBytesOfTheFormula) {
    for (const std::int64_t p : {2, 4, 8, 16}) {
        const std::int64_t length = 24 * p;
        const std::int64_t s = bytesOf(length);
        const int ranks = static_cast<int>(p);
        const std::vector<std::int64_t> optimal(ranks, 2 * s * (p - 1) / p);
        EXPECT_EQ(sentBy({AllReduceMethod::Ring}, length, ranks), optimal);
        EXPECT_EQ(sentBy({AllReduceMethod::HalvingDoubling}, length, ranks), optimal);
        EXPECT_EQ(sentBy({AllReduceMethod::ParameterServer, 1, ranks}, length, ranks), optimal);
        const std::vector<std::int64_t> whole(ranks, s * std::countr_zero(static_cast<unsigned>(ranks)));
        EXPECT_EQ(sentBy({AllReduceMethod::RecursiveDoubling}, length, ranks), whole);
    }
    EXPECT_EQ(sentBy({AllReduceMethod::Ring}, 15, 5), std::vector<std::int64_t>(5, bytesOf(24)));
    // 12 ranks in groups of 4: 2·S·3/4 within and 2·(S/4)·2/3 between the groups.
    EXPECT_EQ(sentBy({AllReduceMethod::Hierarchical, 4}, 120, 12), std::vector<std::int64_t>(12, bytesOf(180 + 40)));
    // 5 ranks, 2 shards: a holder pushes the other shard and serves 4 pulls; the others push both.
    EXPECT_EQ(sentBy({AllReduceMethod::ParameterServer, 1, 2}, 10, 5),
              (std::vector<std::int64_t>{bytesOf(25), bytesOf(25), bytesOf(10), bytesOf(10), bytesOf(10)}));
    // A tree has P−1 edges, and S goes up and down each.
    const std::vector<std::int64_t> tree = sentBy({AllReduceMethod::Tree}, 10, 7);
    EXPECT_EQ(std::accumulate(tree.begin(), tree.end(), std::int64_t{0}), bytesOf(120));
    // 5 = 4 + 1: the folded rank sends S once, its partner S·2·3/4 and the sum; 12 elements in quarters.
    EXPECT_EQ(sentBy({AllReduceMethod::HalvingDoubling}, 12, 5),
              (std::vector<std::int64_t>{bytesOf(30), bytesOf(12), bytesOf(18), bytesOf(18), bytesOf(18)}));
}

TEST(Schedule, UnevenPartsDifferByOneElement) {
    for (const std::int64_t length : {0, 1, 6, 7, 8, 1000}) {
        std::int64_t next = 0;
        for (int part = 0; part < 7; ++part) {
            const PayloadRange slice = partOf({bytesOf(length), kElementBytes}, part, 7);
            EXPECT_EQ(slice.offset, next);
            EXPECT_GE(slice.bytes, bytesOf(length / 7));
            EXPECT_LE(slice.bytes, bytesOf((length + 6) / 7));
            next += slice.bytes;
        }
        EXPECT_EQ(next, bytesOf(length));
    }
}

TEST(Schedule, AllGatherBringsEveryBlockToEveryRank) {
    for (const int ranks : kRankCounts) {
        for (const std::int64_t each : {0, 1, 5}) {
            std::vector<Numbers> start(ranks, Numbers(each * ranks, -1));
            Numbers whole(each * ranks);
            std::iota(whole.begin(), whole.end(), 0);
            for (int rank = 0; rank < ranks; ++rank) {
                std::copy_n(whole.begin() + rank * each, each, start[rank].begin() + rank * each);
            }
            const auto schedule = allGatherSchedule(bytesOf(each), ranks);
            Interpreter interpreter(*schedule, start);
            ASSERT_TRUE(interpreter.run());
            EXPECT_EQ(interpreter.values(), std::vector<Numbers>(ranks, whole));
            EXPECT_EQ(interpreter.sent(), std::vector<std::int64_t>(ranks, bytesOf(each) * (ranks - 1)));
        }
    }
}

TEST(Schedule, ReduceScatterLeavesEachRankItsPartOfTheSum) {
    for (const int ranks : kRankCounts) {
        for (const std::int64_t length : lengthsFor(ranks)) {
            const Payload payload{bytesOf(length), kElementBytes};
            const auto schedule = reduceScatterSchedule(payload, ranks);
            const std::vector<Numbers> start = distinctNumbers(ranks, length);
            const Numbers sum = sumOf(start);
            Interpreter interpreter(*schedule, start);
            ASSERT_TRUE(interpreter.run());
            for (int rank = 0; rank < ranks; ++rank) {
                const PayloadRange part = partOf(payload, rank, ranks);
                for (auto i = part.offset / kElementBytes; i < (part.offset + part.bytes) / kElementBytes; ++i) {
                    EXPECT_EQ(interpreter.values()[rank][i], sum[i]);
                }
            }
        }
    }
}

TEST(Schedule, BroadcastReachesEveryRankOnceFromAnyRoot) {
    for (const int ranks : kRankCounts) {
        for (const int root : {0, ranks / 2, ranks - 1}) {
            const std::vector<Numbers> start = distinctNumbers(ranks, 10);
            const auto schedule = broadcastSchedule(bytesOf(10), ranks, root);
            Interpreter interpreter(*schedule, start);
            ASSERT_TRUE(interpreter.run());
            EXPECT_EQ(interpreter.values(), std::vector<Numbers>(ranks, start[root]));
            EXPECT_EQ(std::accumulate(interpreter.sent().begin(), interpreter.sent().end(), std::int64_t{0}),
                      bytesOf(10) * (ranks - 1));
        }
    }
}

bool hasMatch(const std::vector<Transfer>& transfers, const Transfer& mine, int rank) {
    return std::ranges::any_of(transfers, [&](const Transfer& other) {
        return other.peer == rank && other.bytes == mine.bytes && other.offset == mine.offset &&
               other.adds == mine.adds;
    });
}

// 100 GB in elements of 2 bytes: offsets that 32 bits do not hold.
TEST(Schedule, FourThousandRanksAgreeOnEveryMessageSampled) {
    const Payload payload{100'000'000'000, 2};
    std::mt19937 random(3);
    for (const int ranks : {3000, 4096}) {
        for (const AllReduceKind kind : {AllReduceKind{AllReduceMethod::Ring},
                                         {AllReduceMethod::HalvingDoubling},
                                         {AllReduceMethod::RecursiveDoubling},
                                         {AllReduceMethod::Tree},
                                         {AllReduceMethod::Hierarchical, 8},
                                         {AllReduceMethod::ParameterServer, 1, 4}}) {
            const auto schedule = *allReduceSchedule(kind, payload, ranks);
            Round mine, other;
            for (int sample = 0; sample < 2000; ++sample) {
                const int rank = static_cast<int>(random() % ranks);
                const int round = static_cast<int>(random() % schedule->rounds());
                schedule->fill(rank, round, mine);
                const auto check = [&](const Transfer& transfer, auto otherEnd) {
                    ASSERT_THAT(transfer.peer, testing::AllOf(testing::Ge(0), testing::Lt(ranks), testing::Ne(rank)));
                    ASSERT_GE(transfer.offset, 0);
                    ASSERT_LE(transfer.offset + transfer.bytes, payload.bytes);
                    schedule->fill(transfer.peer, round, other);
                    ASSERT_TRUE(hasMatch(other.*otherEnd, transfer, rank)) << test::describe(kind, ranks);
                };
                if (!mine.sends.empty()) check(mine.sends[random() % mine.sends.size()], &Round::receives);
                if (!mine.receives.empty()) check(mine.receives[random() % mine.receives.size()], &Round::sends);
            }
        }
    }
}

TEST(Schedule, FillReusesTheMemoryOfItsRound) {
    for (const AllReduceKind& kind : everyKindFor(9)) {
        const auto schedule = make(kind, 1000, 9);
        Round round;
        round.sends.reserve(9 + 9);
        round.receives.reserve(9 + 9);
        const Transfer* const sends = round.sends.data();
        const Transfer* const receives = round.receives.data();
        for (int number = 0; number < schedule->rounds(); ++number) {
            for (int rank = 0; rank < 9; ++rank) schedule->fill(rank, number, round);
        }
        EXPECT_EQ(round.sends.data(), sends);
        EXPECT_EQ(round.receives.data(), receives);
    }
}

TEST(Schedule, NamesAreReadBack) {
    for (const std::string_view name : kAllReduceMethodNames) EXPECT_EQ(nameOf(*allReduceMethodNamed(name)), name);
    EXPECT_EQ(*allReduceMethodNamed("parameter-server"), AllReduceMethod::ParameterServer);
    EXPECT_THAT(allReduceMethodNamed("butterfly").error().message,
                AllOf(HasSubstr("\"butterfly\""), HasSubstr("ring, halving-doubling")));
}

TEST(Schedule, WhatCannotBeIsRefusedWithWhatToDo) {
    const Payload payload{400, 4};
    EXPECT_THAT(allReduceSchedule({AllReduceMethod::Hierarchical, 8}, payload, 12).error().message,
                AllOf(HasSubstr("groups of 8 with 12 ranks"), HasSubstr("divides")));
    EXPECT_FALSE(allReduceSchedule({AllReduceMethod::Hierarchical, 0}, payload, 12));
    EXPECT_THAT(allReduceSchedule({AllReduceMethod::ParameterServer, 1, 13}, payload, 12).error().message,
                AllOf(HasSubstr("13 servers with 12 ranks"), HasSubstr("1 to 12")));
    EXPECT_FALSE(allReduceSchedule({AllReduceMethod::ParameterServer, 1, 0}, payload, 12));
    EXPECT_THAT(allReduceSchedule({AllReduceMethod::Ring}, {401, 4}, 12).error().message, HasSubstr("401 bytes"));
    EXPECT_FALSE(allReduceSchedule({AllReduceMethod::Ring}, {-4, 4}, 12));
    EXPECT_FALSE(allReduceSchedule({AllReduceMethod::Ring}, payload, 0));
    // The sizes of the other methods are nobody's concern.
    EXPECT_TRUE(checkAllReduce({AllReduceMethod::Ring, 8, 13}, 12));
}

}  // namespace
}  // namespace dasgd
