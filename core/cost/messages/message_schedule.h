// Collectives as messages: which slice of the payload each rank sends to whom, round by round. Pure data:
// the caller that walks a schedule (a simulated network, a test with real numbers) decides what a message costs.
//
// Named MessageSchedule because a Schedule of core/train is a learning rate's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace dasgd {

// A range of the payload, in bytes.
struct PayloadRange {
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
};

// One message, as either of its two ends sees it.
struct Transfer {
    int peer = 0;             // the rank at the other end
    std::int64_t bytes = 0;   // never 0: an empty slice is not sent
    std::int64_t offset = 0;  // bytes; where the slice begins in the payload, the same at both ends
    bool adds = false;        // the receiver adds the slice to its own; otherwise it replaces its own
};

// One rank's part of one round: it sends and receives all of these, in parallel; the round is over when all have ended
// and `reduceBytes` have been added up. Messages carry the payload as it was when the round began. A round may be
// empty. A message of round r from i to j is a send in i's round r and a receive with the same slice in j's round r.
struct Round {
    std::vector<Transfer> sends, receives;
    std::int64_t reduceBytes = 0;
    void clear();  // keeps the capacity
    // Adds nothing where the slice is empty.
    void addSend(int peer, const PayloadRange& slice, bool adds);
    void addReceive(int peer, const PayloadRange& slice, bool adds);
};

// Immutable; any number of threads may call it.
class MessageSchedule {
public:
    virtual ~MessageSchedule() = default;
    // Number of rounds, the same for every rank; 0 where there is nothing to send.
    [[nodiscard]] virtual int rounds() const = 0;
    // Overwrites `out`. 0 <= rank < ranks, 0 <= round < rounds(). Computed, not looked up: time in proportion to the
    // transfers of the round, no memory, no allocation where `out` has the capacity.
    virtual void fill(int rank, int round, Round& out) const = 0;
};

// Data to be moved: whole elements, which are never split between messages.
struct Payload {
    std::int64_t bytes = 0;  // a multiple of elementBytes
    std::int64_t elementBytes = 4;
};

// P ranks, S bytes; L = log₂ of the largest power of two P' ≤ P.
//  Ring               reduce-scatter and all-gather around the ring of ranks, P−1 rounds each.
//  HalvingDoubling    the same two by exchanges of S/2, S/4, … with rank ± 1, 2, 4, …: L rounds each.
//  RecursiveDoubling  the whole payload exchanged with rank ± 1, 2, 4, …: L rounds.
//                     In both, where P > P', 2(P−P') neighbouring ranks pair up first: the odd one of a pair gives its
//                     payload to the even one and receives the sum at the end, one round more on either side.
//  Tree               reduced to rank 0 along a binomial tree and broadcast back, ⌈log₂P⌉ rounds each.
//  Hierarchical       groups of G neighbouring ranks: ring reduce-scatter within the group, ring all-reduce of each
//                     slice between the groups, ring all-gather within the group.
//  ParameterServer    the payload in n shards held by ranks 0 … n−1, which are workers too: everyone pushes its shards
//                     to their holders, which add them up, and pulls the sums; two rounds.
enum class AllReduceMethod : std::uint8_t {
    Ring,
    HalvingDoubling,
    RecursiveDoubling,
    Tree,
    Hierarchical,
    ParameterServer
};
inline constexpr std::array<std::string_view, 6> kAllReduceMethodNames{"ring", "halving-doubling", "recursive-doubling",
                                                                       "tree", "hierarchical",     "parameter-server"};
constexpr std::string_view nameOf(AllReduceMethod method) {
    return kAllReduceMethodNames[static_cast<std::size_t>(method)];
}
[[nodiscard]] Result<AllReduceMethod> allReduceMethodNamed(std::string_view name);

struct AllReduceKind {
    AllReduceMethod method = AllReduceMethod::Ring;
    int groupSize = 1;  // G, for Hierarchical; divides the number of ranks
    int servers = 1;    // n, for ParameterServer; 1 … ranks
};
// Checks that `ranks` ranks can carry out `kind`; the error says what to change.
[[nodiscard]] Status checkAllReduce(const AllReduceKind& kind, int ranks);

// Schedule after which every rank holds the sum. Errors: as checkAllReduce, and a payload of broken elements.
[[nodiscard]] Result<std::unique_ptr<MessageSchedule>> allReduceSchedule(const AllReduceKind& kind,
                                                                         const Payload& payload, int ranks);
// Ring reduce-scatter, P−1 rounds: rank i ends with the sum of part i of P, the first half of the ring all-reduce.
[[nodiscard]] std::unique_ptr<MessageSchedule> reduceScatterSchedule(const Payload& payload, int ranks);
// Ring all-gather, P−1 rounds: block i of the payload of P · bytesEach is rank i's.
[[nodiscard]] std::unique_ptr<MessageSchedule> allGatherSchedule(std::int64_t bytesEach, int ranks);
// Broadcast along a binomial tree from `root`, ⌈log₂P⌉ rounds.
[[nodiscard]] std::unique_ptr<MessageSchedule> broadcastSchedule(std::int64_t bytes, int ranks, int root);

// Part `part` of `parts` of a payload: as even as whole elements allow.
[[nodiscard]] PayloadRange partOf(const Payload& payload, int part, int parts);

}  // namespace dasgd
