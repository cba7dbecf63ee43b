// Cost of collectives by the α-β model: formulas in seconds for the methods that message_schedule.h lists message by
// message. Replaying a schedule over idle full-duplex links of this cost gives the same time where the payload divides
// evenly into parts. Otherwise each message may differ from the formula by one element (by two in a hierarchy, whose
// parts are cut twice), and parts without an element send no message (tests/core/cost/cost_test.cpp).
//
// The model is Hockney's (Parallel Computing 20, 1994) with a term for the reduction, as in Thakur, Rabenseifner and
// Gropp, "Optimization of collective communication operations in MPICH" (IJHPCA 19, 2005). All functions are pure.
// Symbols: S is `bytes` ≥ 0, P is `ranks` ≥ 1, and α, β, ρ are those of `link`. A collective of one rank or of an empty
// payload costs 0; a single message of 0 bytes costs α.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/cost/messages/message_schedule.h"

namespace dasgd {

// Cost of a link, and of the reduction at its ends.
struct LinkCost {
    double alpha = 0;  // seconds per message
    double beta = 0;   // seconds per byte on the wire: 1 / bandwidth
    double rho = 0;    // seconds per byte that a rank adds up
};

// Time of an all-reduce by the method of `kind`; every message goes over `link`. Precondition: checkAllReduce(kind,
// ranks).
[[nodiscard]] double allReduceSeconds(const AllReduceKind& kind, const LinkCost& link, double bytes, int ranks);

// Time of one message: α + Sβ.
[[nodiscard]] double messageSeconds(const LinkCost& link, double bytes);
// Time in which each rank exchanges messages with q `peers` ≥ 1 at the same time: α + qSβ, because the q messages share
// the rank's port in each direction. Sent one after the other they would take q(α + Sβ).
[[nodiscard]] double messagesSeconds(const LinkCost& link, double bytesEach, int peers);
// Reduce-scatter and all-gather around a ring: 2(P−1)α + 2S(P−1)/P·β + S(P−1)/P·ρ.
[[nodiscard]] double ringAllReduceSeconds(const LinkCost& link, double bytes, int ranks);
// For P = 2^L: 2Lα + 2S(P−1)/P·β + S(P−1)/P·ρ. For other P the time of the largest power of two below P, plus
// 2(α+Sβ) + Sρ: each rank in excess first sends its payload to a neighbour and receives the sum at the end.
[[nodiscard]] double halvingDoublingAllReduceSeconds(const LinkCost& link, double bytes, int ranks);
// For P = 2^L: L(α + Sβ + Sρ). For other P the time of the largest power of two below P, plus 2(α+Sβ) + Sρ.
[[nodiscard]] double recursiveDoublingAllReduceSeconds(const LinkCost& link, double bytes, int ranks);
// Reduction and broadcast along a binomial tree: 2⌈log₂P⌉(α+Sβ) + ⌈log₂P⌉Sρ.
[[nodiscard]] double treeAllReduceSeconds(const LinkCost& link, double bytes, int ranks);
// Groups of G ranks, where G `groupSize` divides P. Within a group, over `within`: 2(G−1)α + 2S(G−1)/G·β + S(G−1)/G·ρ.
// Then, over `between`, a ring all-reduce of S/G bytes among the P/G groups.
[[nodiscard]] double hierarchicalAllReduceSeconds(const LinkCost& within, const LinkCost& between, double bytes,
                                                  int ranks, int groupSize);
// The payload in n shards, each held by one of n workers (1 ≤ n `holders` ≤ P): 2α + 2S(P−1)/n·β + S(P−1)/n·ρ, because
// the port of a holder is the bottleneck in both directions. With n = P this is the traffic of the ring in two rounds.
[[nodiscard]] double parameterServerSeconds(const LinkCost& link, double bytes, int ranks, int holders);

// Reduce-scatter around a ring: (P−1)α + S(P−1)/P·(β+ρ). S: the whole payload of a rank.
[[nodiscard]] double reduceScatterSeconds(const LinkCost& link, double bytes, int ranks);
// All-gather around a ring: (P−1)(α+Sβ). S is `bytesEach`, the contribution of each rank; of unequal contributions the
// largest.
[[nodiscard]] double allGatherSeconds(const LinkCost& link, double bytesEach, int ranks);
// All-to-all by direct exchange: (P−1)(α + S/P·β). S: the whole payload of a rank, which sends S/P to each rank.
[[nodiscard]] double allToAllSeconds(const LinkCost& link, double bytes, int ranks);
// Broadcast along a binomial tree: ⌈log₂P⌉(α+Sβ).
[[nodiscard]] double broadcastSeconds(const LinkCost& link, double bytes, int ranks);

// The time model of the DaSGD authors' published code (paleo-dasgd, comm.py): bandwidth only, without latency and
// reduction. B' `bytesPerSecond` > 0 is the nominal bandwidth times its efficiency; P = 1 costs 0.
//   OneToAll 2(P−1)S/B'   Tree 2⌈log₂P⌉S/B'   Butterfly ⌈log₂P⌉S/B'   PartialMixing S/B'
enum class AuthorsExchange : std::uint8_t { OneToAll, Tree, Butterfly, PartialMixing };
inline constexpr std::array<std::string_view, 4> kAuthorsExchangeNames{"one-to-all", "tree", "butterfly",
                                                                       "partial-mixing"};
[[nodiscard]] double authorsExchangeSeconds(AuthorsExchange exchange, double bytesPerSecond, double bytes, int ranks);

}  // namespace dasgd
