// Where the ranks of a run meet; those of one that has a secret where nobody without it reads, writes or joins.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/comm/gloo/rendezvous.h"
#include "experiments/ranks/meeting/rank_environment.h"
#include "experiments/transport/curve/curve_server.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

struct RankMeeting {
    std::unique_ptr<CurveServer> server;  // for rank 0 of a run with a secret, else null; it outlives its clients
    Rendezvous rendezvous;
    // "; somebody came with another DASGD_SECRET …"; "" where nobody did.
    [[nodiscard]] std::string rejectedPeersNote() const;
};

// Rank 0 serves the words that ranks leave for each other at the environment's address and port, there alone. Without a
// secret, or where torchrun serves a store of its own, it is c10d's, which lets anybody in. Errors: the port is taken;
// rank 0 did not appear within `timeout`, or has another secret.
[[nodiscard]] Result<RankMeeting> meetRanks(const RankEnvironment& environment, const std::optional<RunSecret>& secret,
                                            std::chrono::milliseconds timeout);

}  // namespace dasgd::experiments
