// Training with a parameter server: the last `servers` ranks serve (shard_server.h), each a shard of the weights; the
// others train. A worker computes a gradient, pushes each server its shard of it and pulls the shard's weights, with
// which it begins its next step. The optimiser steps on the servers alone.
//
// Per step a worker sends S bytes and receives S bytes, and each of n servers receives and sends P·S/n. Nothing
// overlaps: a pull follows the push, a step follows the pull.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/server/shard_server.h"
#include "core/step/step_context.h"

namespace dasgd {

struct ParameterServerParams {
    std::int64_t servers = 1;    // n >= 1
    std::int64_t staleness = 0;  // s >= 0
};

class ParameterServer : public Algorithm, public Checkpointed, public HasRoles, public OwnUpdate, public NamesWeights {
public:
    explicit ParameterServer(const ParameterServerParams& params) : params_(params) {}

    // Every server needs a weight to hold. Refused: simulated messages that share no link, where a server would serve
    // any number of workers in the time of one; and, with several servers, an optimiser whose step needs norms of more
    // than a shard.
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override;
    [[nodiscard]] Roles roles(int ranks) const override;
    void start(StepContext& context) override;
    void serve(StepContext& context) override { server_->serve(context); }
    // Does nothing: the servers update.
    void update(StepContext&, Optimizer&) override {}
    void afterStep(StepContext& context) override;
    void drain(StepContext& context) override;
    void save(StepContext& context, Archive& archive) override;
    Status load(StepContext& context, const Archive& archive) override;
    // True where the bound is one that no two workers can reach.
    [[nodiscard]] bool hasUnboundedSkew(std::int64_t steps) const override { return params_.staleness >= steps - 1; }
    // A server's shard. Where ranks meet for an evaluation after step k, it contains the workers' first k gradients and
    // no others; on the virtual cluster, where workers continue, gradients of later steps may be in it too.
    [[nodiscard]] at::Tensor namedWeights(StepContext& context) override;

private:
    [[nodiscard]] std::optional<FieldError> checkNorms(const RunOutline& facts) const;
    [[nodiscard]] int serversOf(int ranks) const;
    [[nodiscard]] int workersOf(int ranks) const { return ranks - serversOf(ranks); }
    // Number of this rank among the servers; nullopt for a worker.
    [[nodiscard]] std::optional<int> serverIndex(StepContext& context) const;
    [[nodiscard]] Shard shard(StepContext& context, int server) const;
    void awaitPull(StepContext& context, Pending& pull, int server, std::int64_t bytes) const;

    ParameterServerParams params_;
    std::optional<ShardServer> server_;  // for a rank that serves
};

}  // namespace dasgd
