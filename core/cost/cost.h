// Cost of collectives by the α-β model, as formulas: seconds for the methods that message_schedule.h spells out in
// messages. Walking a schedule over idle full-duplex links of this cost gives the formula exactly where the payload
// divides evenly, and within an element a round otherwise (tests/core/cost/cost_test.cpp).
//
// The model is Hockney's (Parallel Computing 20, 1994) with a term for the reduction, as in Thakur, Rabenseifner and
// Gropp, "Optimization of collective communication operations in MPICH" (IJHPCA 19, 2005). All functions are pure.
// S `bytes`, P `ranks` ≥ 1; one rank alone, and an empty payload, cost nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/cost/message_schedule.h"

namespace dasgd {

struct LinkCost {
    double alpha = 0;  // seconds a message
    double beta = 0;   // seconds a byte on the wire, 1 / bandwidth
    double rho = 0;    // seconds a byte added up
};

// Seconds of the method of `kind` among `ranks`, for which checkAllReduce() holds; every message goes over `link`.
[[nodiscard]] double allReduceSeconds(const AllReduceKind& kind, const LinkCost& link, double bytes, int ranks);

// One message: α + Sβ.
[[nodiscard]] double messageSeconds(const LinkCost& link, double bytes);
// q messages at once from each rank, and to each: they share the rank's port in either direction, α + qSβ. (One after
// the other they would take q(α + Sβ).)
[[nodiscard]] double messagesSeconds(const LinkCost& link, double bytesEach, int peers);
// 2(P−1)α + 2S(P−1)/P·β + S(P−1)/P·ρ.
[[nodiscard]] double ringAllReduceSeconds(const LinkCost& link, double bytes, int ranks);
// P = 2^L: 2Lα + 2S(P−1)/P·β + S(P−1)/P·ρ. For other P that of the largest power of two below, and 2(α+Sβ) + Sρ to fold
// the ranks in excess in and out.
[[nodiscard]] double halvingDoublingAllReduceSeconds(const LinkCost& link, double bytes, int ranks);
// P = 2^L: L(α + Sβ + Sρ). For other P as above.
[[nodiscard]] double recursiveDoublingAllReduceSeconds(const LinkCost& link, double bytes, int ranks);
// Binomial reduction and broadcast: 2⌈log₂P⌉(α+Sβ) + ⌈log₂P⌉Sρ.
[[nodiscard]] double treeAllReduceSeconds(const LinkCost& link, double bytes, int ranks);
// Groups of G, which divides P: 2(G−1)α + 2S(G−1)/G·β + S(G−1)/G·ρ within, a ring of P/G on S/G between.
[[nodiscard]] double hierarchicalAllReduceSeconds(const LinkCost& within, const LinkCost& between, double bytes,
                                                  int ranks, int groupSize);
// n shards held by n of the workers, full duplex: the port of a holder is the bottleneck in both directions,
// 2α + 2S(P−1)/n·β + S(P−1)/n·ρ. With n = P this is the ring's traffic in two rounds.
[[nodiscard]] double parameterServerSeconds(const LinkCost& link, double bytes, int ranks, int servers);

// Ring: (P−1)α + S(P−1)/P·(β+ρ), S in all.
[[nodiscard]] double reduceScatterSeconds(const LinkCost& link, double bytes, int ranks);
// Ring: (P−1)(α+Sβ), S from each; where the ranks give unlike numbers of bytes, S is the largest of them.
[[nodiscard]] double allGatherSeconds(const LinkCost& link, double bytesEach, int ranks);
// Direct exchange: (P−1)(α + S/P·β), S in all from each.
[[nodiscard]] double allToAllSeconds(const LinkCost& link, double bytes, int ranks);
// Binomial tree: ⌈log₂P⌉(α+Sβ).
[[nodiscard]] double broadcastSeconds(const LinkCost& link, double bytes, int ranks);

// The time model in the DaSGD authors' published code (paleo-dasgd, comm.py): bandwidth alone, no latency, no
// reduction. B' `bytesPerSecond` is the nominal bandwidth times its efficiency; P = 1 costs nothing.
//   OneToAll 2(P−1)S/B'   Tree 2⌈log₂P⌉S/B'   Butterfly ⌈log₂P⌉S/B'   PartialMixing S/B'
enum class AuthorsExchange : std::uint8_t { OneToAll, Tree, Butterfly, PartialMixing };
inline constexpr std::array<std::string_view, 4> kAuthorsExchangeNames{"one-to-all", "tree", "butterfly",
                                                                       "partial-mixing"};
[[nodiscard]] double authorsExchangeSeconds(AuthorsExchange exchange, double bytesPerSecond, double bytes, int ranks);

}  // namespace dasgd
