// Training with a parameter server: the last `servers` ranks serve (shard_server.h), each a shard of the weights; the
// others train. A worker computes a gradient, pushes each server its shard of it and pulls the shard's weights, with
// which it begins its next step. The optimiser steps on the servers alone. The algorithms of this folder differ in
// their policy: which gradients make an update, and when a worker may start. All workers make the same number of steps,
// or share the gradients of the run (SharesWork).
//
// Per step a worker sends S bytes and receives S bytes, and each of n servers receives and sends P·S/n. Nothing
// overlaps: a pull follows the push, a step follows the pull.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/server/shard_server.h"
#include "core/step/step_context.h"

namespace dasgd {

// Field of the number of servers that a policy of which every server makes its own decisions allows.
[[nodiscard]] inline FieldSpec serversField() {
    return {.min = 1,
            .max = 1e4,
            .unit = "ranks",
            .symbol = "n",
            .help =
                "How many of the ranks, the last ones, serve instead of training; each holds an equal share of the "
                "weights"};
}
// The same where decisions depend on the order of gradients, on their instants or on draws. These differ between
// servers, so that a worker would start with shards of two decisions.
[[nodiscard]] inline FieldSpec oneServerField() {
    return {.min = 1,
            .max = 1,
            .unit = "ranks",
            .symbol = "n",
            .help =
                "Number of ranks, the last ones, that serve instead of training; with several their decisions would "
                "differ"};
}

class ParameterServer : public Algorithm,
                        public Checkpointed,
                        public HasRoles,
                        public OwnUpdate,
                        public StepsPart,
                        public NamesWeights,
                        public SharesWork,
                        public SendsUncoded {
public:
    // `servers`: n >= 1.
    explicit ParameterServer(std::int64_t servers) : servers_(servers) {}
    [[nodiscard]] std::string whyUncoded() const override {
        return "sends gradients to a server, where they are not compressed yet: remove [compression], or choose an "
               "algorithm without a server, as sync_sgd or dasgd";
    }
    [[nodiscard]] virtual std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const = 0;
    // For one server's shard of `size` elements like those of `context`'s weights.
    [[nodiscard]] virtual std::unique_ptr<ShardUpdate> makeUpdate(StepContext&,
                                                                  [[maybe_unused]] std::int64_t size) const {
        return std::make_unique<ShardUpdate>();
    }

    // True where the workers step themselves, each with the whole model.
    [[nodiscard]] virtual bool workersStep() const { return false; }

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
    // A server's shard. Where ranks meet for an evaluation after step k, it contains the workers' first k gradients and
    // no others; on the virtual cluster, where workers continue, gradients of later steps may be in it too.
    [[nodiscard]] at::Tensor namedWeights(StepContext& context) override;
    // A server's shard.
    [[nodiscard]] FlatParams steppedPart(StepContext& context) override;

    // Server 0 numbers the gradients: with the weights it sends a worker the number of its next one.
    void share(std::int64_t gradients) override { gradients_ = gradients; }
    [[nodiscard]] std::optional<Gradient> nextGradient(StepContext& context) override;
    [[nodiscard]] std::int64_t gradientsMade() const override { return server_ ? server_->gradientsTaken() : 0; }
    [[nodiscard]] bool isOver() const override { return server_ && server_->isOver(); }
    bool endSharing(bool stopped) override { return server_->endSharing(stopped); }
    [[nodiscard]] bool wasStopped() const override { return word_ && word_->gradient == kStopped; }

protected:
    // Steps that a worker makes between two pushes.
    [[nodiscard]] virtual std::int64_t period() const { return 1; }
    // A worker's push of `push`, [N], and pull into `pull`, [N], with all servers. Waits for both.
    void exchange(StepContext& context, const at::Tensor& push, const at::Tensor& pull);
    // What a server waits for before it answers a worker that has made `step`, for the error at that worker's deadline:
    // behind "sends them once it has". "": nothing.
    [[nodiscard]] virtual std::string awaitedAfter([[maybe_unused]] std::int64_t step) const { return ""; }
    [[nodiscard]] static std::string gradientsOfAll(std::int64_t step) {
        return step > 0 ? "the gradients of step " + std::to_string(step) + " of all workers" : "";
    }
    [[nodiscard]] int workersOf(int ranks) const { return ranks - serversOf(ranks); }

private:
    [[nodiscard]] std::optional<FieldError> checkNorms(const RunOutline& facts) const;
    [[nodiscard]] int serversOf(int ranks) const;
    // Number of this rank among the servers; nullopt for a worker.
    [[nodiscard]] std::optional<int> serverIndex(StepContext& context) const;
    [[nodiscard]] Shard shard(StepContext& context, int server) const;
    void awaitPull(StepContext& context, Pending& pull, int server, std::int64_t bytes) const;

    std::int64_t servers_;
    std::int64_t gradients_ = 0;         // of all workers together, where they share the work; else 0
    std::optional<ServerWord> word_;     // what server 0 last sent this worker
    std::optional<ShardServer> server_;  // for a rank that serves
};

}  // namespace dasgd
