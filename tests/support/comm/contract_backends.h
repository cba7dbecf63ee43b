// The communicators between real ranks, for the contract: threads and Gloo, as they are and over an emulated link.
#pragma once

#include <vector>

#include "core/comm/emulated_link.h"
#include "tests/support/comm/communicator_contract.h"
#include "tests/support/ranks.h"

namespace dasgd::test {

inline ContractBackend realBackend(Backend backend) {
    return {.name = nameOf(backend),
            .run = [backend](int ranks, const RankBody& body,
                             std::chrono::milliseconds timeout) { runRanks(backend, ranks, body, timeout); },
            .pairwise = backend == Backend::Threads};
}

// `linkSeconds`: of a message of kLinkFloats.
inline ContractBackend emulatedBackend(Backend backend, double linkSeconds) {
    const LinkCost link{.alpha = 1e-5, .beta = linkSeconds / (4.0 * ContractBackend::kLinkFloats)};
    return {.name = nameOf(backend) + "_link",
            .run =
                [backend, link](int ranks, const RankBody& body, std::chrono::milliseconds timeout) {
                    runRanksOwning(
                        backend, ranks,
                        [&](std::unique_ptr<Communicator> comm, Clock& clock) {
                            const auto slow = emulateLink(std::move(comm), link, clock);
                            body(*slow, clock);
                        },
                        timeout);
                },
            .pairwise = backend == Backend::Threads,
            .linkSeconds = linkSeconds};
}

inline std::vector<ContractBackend> realBackends(double linkSeconds) {
    return {realBackend(Backend::Threads), realBackend(Backend::Gloo), emulatedBackend(Backend::Threads, linkSeconds),
            emulatedBackend(Backend::Gloo, linkSeconds)};
}

}  // namespace dasgd::test
