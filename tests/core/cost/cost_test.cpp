// The formulas against numbers worked out by hand, and against the schedules walked in idealised time.
#include "core/cost/cost.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/cost/messages/exchange_schedule.h"
#include "tests/support/all_reduce_kinds.h"

namespace dasgd {
namespace {

// Powers of two, so that every sum below is exact: 1/4 s a message, 1/1024 s a byte, 1/4096 s a byte added.
constexpr LinkCost kExactLink{.alpha = 0.25, .beta = 1.0 / 1024, .rho = 1.0 / 4096};

TEST(Cost, CollectivesByHand) {
    // S = 4096 bytes: Sβ = 4 s, Sρ = 1 s.
    EXPECT_DOUBLE_EQ(messageSeconds(kExactLink, 4096), 4.25);
    EXPECT_DOUBLE_EQ(ringAllReduceSeconds(kExactLink, 4096, 4), 6 * 0.25 + 6 + 0.75);
    EXPECT_DOUBLE_EQ(halvingDoublingAllReduceSeconds(kExactLink, 4096, 4), 4 * 0.25 + 6 + 0.75);
    EXPECT_DOUBLE_EQ(halvingDoublingAllReduceSeconds(kExactLink, 4096, 5), 4 * 0.25 + 6 + 0.75 + 2 * 4.25 + 1);
    EXPECT_DOUBLE_EQ(recursiveDoublingAllReduceSeconds(kExactLink, 4096, 8), 3 * (0.25 + 4 + 1));
    EXPECT_DOUBLE_EQ(recursiveDoublingAllReduceSeconds(kExactLink, 4096, 9), 3 * (0.25 + 4 + 1) + 2 * 4.25 + 1);
    EXPECT_DOUBLE_EQ(treeAllReduceSeconds(kExactLink, 4096, 5), 6 * 4.25 + 3);
    EXPECT_DOUBLE_EQ(reduceScatterSeconds(kExactLink, 4096, 4), 3 * 0.25 + 3 + 0.75);
    EXPECT_DOUBLE_EQ(allGatherSeconds(kExactLink, 4096, 4), 3 * 4.25);
    EXPECT_DOUBLE_EQ(allToAllSeconds(kExactLink, 4096, 4), 3 * 1.25);
    EXPECT_DOUBLE_EQ(broadcastSeconds(kExactLink, 4096, 5), 3 * 4.25);
}

TEST(Cost, AHierarchyPaysEachLinkForItsOwnTraffic) {
    // 8 ranks in fours, 4 s within: 6/4 + 2·3 + 3/4. Between two groups S/4 at a tenth of the speed: 2α' + 10 + Sρ/8.
    const LinkCost slow{.alpha = 1, .beta = 10.0 / 1024, .rho = 1.0 / 4096};
    EXPECT_DOUBLE_EQ(hierarchicalAllReduceSeconds(kExactLink, slow, 4096, 8, 4), 1.5 + 6 + 0.75 + 2 + 10 + 0.125);
    EXPECT_DOUBLE_EQ(hierarchicalAllReduceSeconds(kExactLink, slow, 4096, 8, 8),
                     ringAllReduceSeconds(kExactLink, 4096, 8));
    EXPECT_DOUBLE_EQ(hierarchicalAllReduceSeconds(kExactLink, slow, 4096, 8, 1), ringAllReduceSeconds(slow, 4096, 8));
}

TEST(Cost, ParameterServersArePaidAtTheBusiestPort) {
    // One of 5 ranks holds all: 4 payloads in, 4 out.
    EXPECT_DOUBLE_EQ(parameterServerSeconds(kExactLink, 4096, 5, 1), 0.5 + 2 * 16 + 4);
    EXPECT_DOUBLE_EQ(parameterServerSeconds(kExactLink, 4096, 5, 2), 0.5 + 2 * 8 + 2);
    EXPECT_DOUBLE_EQ(parameterServerSeconds(kExactLink, 4096, 4, 4), 0.5 + 2 * 3 + 0.75);
}

TEST(Cost, TheExampleOfTheDocumentation) {
    // ResNet-50: 25.6 M parameters in float32 over 10 Gb/s, 8 workers: about 143 ms.
    const LinkCost tenGigabit{.beta = 8 / 10e9};
    EXPECT_NEAR(ringAllReduceSeconds(tenGigabit, 4 * 25.6e6, 8), 0.143, 0.0005);
}

TEST(Cost, AuthorsPresetsByHand) {
    // 256 workers at 70 Gb/s = 8.75 GB/s, 0.875 GB: a payload takes 0.1 s.
    const auto seconds = [](AuthorsExchange exchange) {
        return authorsExchangeSeconds(exchange, 8.75e9, 0.875e9, 256);
    };
    EXPECT_DOUBLE_EQ(seconds(AuthorsExchange::OneToAll), 51);
    EXPECT_DOUBLE_EQ(seconds(AuthorsExchange::Tree), 1.6);
    EXPECT_DOUBLE_EQ(seconds(AuthorsExchange::Butterfly), 0.8);
    EXPECT_DOUBLE_EQ(seconds(AuthorsExchange::PartialMixing), 0.1);
    EXPECT_DOUBLE_EQ(authorsExchangeSeconds(AuthorsExchange::Tree, 8.75e9, 0.875e9, 5), 0.6) << "⌈log₂5⌉ = 3";
    EXPECT_EQ(authorsExchangeSeconds(AuthorsExchange::PartialMixing, 8.75e9, 0.875e9, 1), 0);
}

// Kinds with some numbers of servers, of which there may be hundreds.
std::vector<AllReduceKind> someKindsFor(int ranks) {
    std::vector<int> parts;
    for (int part = 1; part <= ranks; part = part < 4 ? part + 1 : 2 * part) parts.push_back(part);
    return test::kindsFor(ranks, parts);
}

TEST(Cost, AloneOrWithNothingToSendCostsNothing) {
    for (const AllReduceKind& kind : someKindsFor(1)) EXPECT_EQ(allReduceSeconds(kind, kExactLink, 4096, 1), 0);
    for (const AllReduceKind& kind : someKindsFor(6)) EXPECT_EQ(allReduceSeconds(kind, kExactLink, 0, 6), 0);
    EXPECT_EQ(allGatherSeconds(kExactLink, 4096, 1), 0);
    EXPECT_EQ(allToAllSeconds(kExactLink, 4096, 1), 0);
    EXPECT_EQ(broadcastSeconds(kExactLink, 4096, 1), 0);
    EXPECT_EQ(reduceScatterSeconds(kExactLink, 4096, 1), 0);
}

std::int64_t through(const std::vector<Transfer>& transfers) {
    return std::accumulate(transfers.begin(), transfers.end(), std::int64_t{0},
                           [](std::int64_t sum, const Transfer& transfer) { return sum + transfer.bytes; });
}

// Idealised time: a rank begins a round when it has ended its last one; a message begins when both ends are in the
// round and takes α + bytes·β, where `bytes` are all those that share the busier of its two ports in that round and
// direction; then the rank adds up what it received. Nothing else is in the way.
double walkedSeconds(const MessageSchedule& schedule, const LinkCost& link, int ranks) {
    std::vector<double> now(ranks, 0), next(ranks);
    std::vector<Round> rounds(ranks);
    for (int number = 0; number < schedule.rounds(); ++number) {
        for (int rank = 0; rank < ranks; ++rank) schedule.fill(rank, number, rounds[rank]);
        for (int rank = 0; rank < ranks; ++rank) {
            const Round& round = rounds[rank];
            double end = now[rank];
            const auto carry = [&](int peer, std::int64_t bytes) {
                end = std::max(end, std::max(now[rank], now[peer]) + messageSeconds(link, static_cast<double>(bytes)));
            };
            for (const Transfer& out : round.sends) {
                carry(out.peer, std::max(through(round.sends), through(rounds[out.peer].receives)));
            }
            for (const Transfer& in : round.receives) {
                carry(in.peer, std::max(through(round.receives), through(rounds[in.peer].sends)));
            }
            next[rank] = end + static_cast<double>(round.reduceBytes) * link.rho;
        }
        now.swap(next);
    }
    return *std::ranges::max_element(now);
}

double walkedSeconds(const AllReduceKind& kind, std::int64_t bytes, int ranks) {
    return walkedSeconds(**allReduceSchedule(kind, {bytes, 4}, ranks), kExactLink, ranks);
}

// Only the parts' rounding to whole elements separates the two, so none where the payload divides evenly. That holds
// for every P, since the formulas count the folding of ranks in excess of a power of two.
TEST(Cost, SchedulesWalkedTakeExactlyTheFormulaWherePartsAreEven) {
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 32, 48, 64, 128, 256}) {
        for (const AllReduceKind& kind : someKindsFor(ranks)) {
            const std::int64_t pieces = static_cast<std::int64_t>(ranks) * kind.servers * 256;
            const std::int64_t bytes = 4 * pieces;
            const double formula = allReduceSeconds(kind, kExactLink, static_cast<double>(bytes), ranks);
            EXPECT_DOUBLE_EQ(walkedSeconds(kind, bytes, ranks), formula)
                << test::describe(kind, ranks) << " S=" << bytes;
        }
    }
}

// Uneven parts: a message is within an element of S/P (within two where a part is cut again), so each round is within
// that many of the formula's share.
TEST(Cost, SchedulesWalkedAreWithinAnElementARoundOtherwise) {
    for (const int ranks : {2, 3, 5, 7, 8, 9, 16, 17, 33, 64}) {
        for (const AllReduceKind& kind : someKindsFor(ranks)) {
            for (const std::int64_t bytes : {4L * ranks + 4, 4 * 1009L, 4 * 65537L}) {
                const auto schedule = *allReduceSchedule(kind, {bytes, 4}, ranks);
                const double formula = allReduceSeconds(kind, kExactLink, static_cast<double>(bytes), ranks);
                const bool twice = kind.method == AllReduceMethod::Hierarchical;
                const double perMessage = (twice ? 8 : 4) * (kExactLink.beta + kExactLink.rho);
                const double messages = kind.method == AllReduceMethod::ParameterServer ? ranks - 1 : 1;
                EXPECT_NEAR(walkedSeconds(*schedule, kExactLink, ranks), formula,
                            schedule->rounds() * messages * perMessage)
                    << test::describe(kind, ranks) << " S=" << bytes;
            }
        }
    }
}

TEST(Cost, FewerElementsThanRanksSendFewerMessagesThanTheFormulaCounts) {
    // One element among 8: only one part of the ring is not empty, and it travels 7 hops twice.
    const double hop = messageSeconds(kExactLink, 4);
    EXPECT_DOUBLE_EQ(walkedSeconds({AllReduceMethod::Ring}, 4, 8), 14 * hop + 7 * 4 * kExactLink.rho);
    EXPECT_DOUBLE_EQ(walkedSeconds({AllReduceMethod::ParameterServer, 1, 8}, 4, 8),
                     2 * messageSeconds(kExactLink, 28) + 28 * kExactLink.rho);
}

TEST(Cost, TheOtherSchedulesWalkedTakeTheirFormula) {
    for (const int ranks : {1, 2, 3, 4, 7, 8, 16, 17, 100}) {
        const std::int64_t bytes = 4L * ranks * 64;
        EXPECT_DOUBLE_EQ(walkedSeconds(*allGatherSchedule(bytes, ranks), kExactLink, ranks),
                         allGatherSeconds(kExactLink, static_cast<double>(bytes), ranks));
        EXPECT_DOUBLE_EQ(walkedSeconds(*reduceScatterSchedule({bytes, 4}, ranks), kExactLink, ranks),
                         reduceScatterSeconds(kExactLink, static_cast<double>(bytes), ranks));
        EXPECT_DOUBLE_EQ(walkedSeconds(*allToAllSchedule(bytes / ranks, ranks), kExactLink, ranks),
                         allToAllSeconds(kExactLink, static_cast<double>(bytes), ranks));
        // Shares of 0, 1, 2, …: the largest one's way around the ring decides.
        std::vector<std::int64_t> uneven(static_cast<std::size_t>(ranks));
        for (int rank = 0; rank < ranks; ++rank) uneven[static_cast<std::size_t>(rank)] = 256L * rank;
        EXPECT_DOUBLE_EQ(walkedSeconds(*allGatherSchedule(uneven), kExactLink, ranks),
                         allGatherSeconds(kExactLink, 256.0 * (ranks - 1), ranks));
        for (const int root : {0, ranks - 1}) {
            EXPECT_DOUBLE_EQ(walkedSeconds(*broadcastSchedule(bytes, ranks, root), kExactLink, ranks),
                             broadcastSeconds(kExactLink, static_cast<double>(bytes), ranks));
        }
    }
}

}  // namespace
}  // namespace dasgd
