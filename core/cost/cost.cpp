#include "core/cost/cost.h"

#include <algorithm>
#include <bit>

#include "core/base/check.h"
#include "core/cost/messages/log2.h"

namespace dasgd {

namespace {

// True for a collective that costs 0: one rank alone, or an empty payload.
bool isNothing(double bytes, int ranks) {
    DASGD_CHECK(bytes >= 0 && ranks >= 1);
    return bytes == 0 || ranks == 1;
}

// Time in which the ranks in excess of a power of two send their payload to a neighbour, which adds it up, and receive
// the sum at the end.
double foldSeconds(const LinkCost& link, double bytes, int ranks) {
    if (std::has_single_bit(static_cast<unsigned>(ranks))) return 0;
    return 2 * messageSeconds(link, bytes) + bytes * link.rho;
}

// Reduce-scatter and all-gather of n `parts` in a number of `messages`: in each of the two, every rank sends and
// receives S(n−1)/n bytes.
double scatterGatherSeconds(const LinkCost& link, double bytes, double parts, double messages) {
    const double share = bytes * (parts - 1) / parts;
    return messages * link.alpha + 2 * share * link.beta + share * link.rho;
}

}  // namespace

double messageSeconds(const LinkCost& link, double bytes) { return link.alpha + bytes * link.beta; }

double messagesSeconds(const LinkCost& link, double bytesEach, int peers) {
    DASGD_CHECK(bytesEach >= 0 && peers >= 1);
    return messageSeconds(link, bytesEach * peers);
}

double ringAllReduceSeconds(const LinkCost& link, double bytes, int ranks) {
    if (isNothing(bytes, ranks)) return 0;
    return scatterGatherSeconds(link, bytes, ranks, 2.0 * (ranks - 1));
}

double halvingDoublingAllReduceSeconds(const LinkCost& link, double bytes, int ranks) {
    if (isNothing(bytes, ranks)) return 0;
    const int levels = floorLog2(ranks);
    return scatterGatherSeconds(link, bytes, 1 << levels, 2.0 * levels) + foldSeconds(link, bytes, ranks);
}

double recursiveDoublingAllReduceSeconds(const LinkCost& link, double bytes, int ranks) {
    if (isNothing(bytes, ranks)) return 0;
    return floorLog2(ranks) * (messageSeconds(link, bytes) + bytes * link.rho) + foldSeconds(link, bytes, ranks);
}

double treeAllReduceSeconds(const LinkCost& link, double bytes, int ranks) {
    if (isNothing(bytes, ranks)) return 0;
    return ceilLog2(ranks) * (2 * messageSeconds(link, bytes) + bytes * link.rho);
}

double hierarchicalAllReduceSeconds(const LinkCost& within, const LinkCost& between, double bytes, int ranks,
                                    int groupSize) {
    if (isNothing(bytes, ranks)) return 0;
    DASGD_CHECK(groupSize >= 1 && ranks % groupSize == 0);
    return ringAllReduceSeconds(within, bytes, groupSize) +
           ringAllReduceSeconds(between, bytes / groupSize, ranks / groupSize);
}

double parameterServerSeconds(const LinkCost& link, double bytes, int ranks, int holders) {
    if (isNothing(bytes, ranks)) return 0;
    DASGD_CHECK(holders >= 1 && holders <= ranks);
    const double intoOne = bytes * (ranks - 1) / holders;
    return 2 * messageSeconds(link, intoOne) + intoOne * link.rho;
}

double reduceScatterSeconds(const LinkCost& link, double bytes, int ranks) {
    if (isNothing(bytes, ranks)) return 0;
    return (ranks - 1) * (messageSeconds(link, bytes / ranks) + bytes / ranks * link.rho);
}

double allGatherSeconds(const LinkCost& link, double bytesEach, int ranks) {
    if (isNothing(bytesEach, ranks)) return 0;
    return (ranks - 1) * messageSeconds(link, bytesEach);
}

double allToAllSeconds(const LinkCost& link, double bytes, int ranks) {
    if (isNothing(bytes, ranks)) return 0;
    return (ranks - 1) * messageSeconds(link, bytes / ranks);
}

double broadcastSeconds(const LinkCost& link, double bytes, int ranks) {
    if (isNothing(bytes, ranks)) return 0;
    return ceilLog2(ranks) * messageSeconds(link, bytes);
}

double allReduceSeconds(const AllReduceKind& kind, const LinkCost& link, double bytes, int ranks) {
    DASGD_CHECK(checkAllReduce(kind, ranks).has_value());
    switch (kind.method) {
        case AllReduceMethod::Ring: return ringAllReduceSeconds(link, bytes, ranks);
        case AllReduceMethod::HalvingDoubling: return halvingDoublingAllReduceSeconds(link, bytes, ranks);
        case AllReduceMethod::RecursiveDoubling: return recursiveDoublingAllReduceSeconds(link, bytes, ranks);
        case AllReduceMethod::Tree: return treeAllReduceSeconds(link, bytes, ranks);
        case AllReduceMethod::Hierarchical:
            return hierarchicalAllReduceSeconds(link, link, bytes, ranks, kind.groupSize);
        case AllReduceMethod::ParameterServer: return parameterServerSeconds(link, bytes, ranks, kind.servers);
    }
    DASGD_CHECK(false && "a method outside the enumeration");
    return 0;
}

double authorsExchangeSeconds(AuthorsExchange exchange, double bytesPerSecond, double bytes, int ranks) {
    DASGD_CHECK(bytesPerSecond > 0);
    if (isNothing(bytes, ranks)) return 0;
    const double once = bytes / bytesPerSecond;
    switch (exchange) {
        case AuthorsExchange::OneToAll: return 2 * (ranks - 1) * once;
        case AuthorsExchange::Tree: return 2 * ceilLog2(ranks) * once;
        case AuthorsExchange::Butterfly: return ceilLog2(ranks) * once;
        case AuthorsExchange::PartialMixing: return once;
    }
    DASGD_CHECK(false && "an exchange outside the enumeration");
    return 0;
}

}  // namespace dasgd
