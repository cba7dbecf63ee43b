// A rank that serves in a parameter server: it holds a shard of the weights and the optimiser's state of that shard,
// takes the workers' gradients and sends each worker the shard once it may start its next step.
//
// With c_i gradients of worker i taken, worker i may start once c_i − min c <= s (Ho et al., NIPS 2013): the weights
// that it gets contain every worker's first c_i − s gradients, and all of its own. With s = 0 the server makes one
// update of the mean gradient when all have come; otherwise each gradient is an update, in the order in which they were
// sent.
//
// Memory: for each worker a gradient of the shard, so that gradients arrive beside each other, and a copy of the shard
// for each version that is on its way to a worker.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comm/communicator.h"
#include "core/step/flat_params.h"
#include "core/step/step_context.h"

namespace dasgd {

class Archive;

inline constexpr int kGradientTag = 0;  // a worker's gradient of a shard
inline constexpr int kWeightsTag = 1;   // the shard's weights

// A range of the flat weights' elements.
struct Shard {
    std::int64_t begin = 0;
    std::int64_t size = 0;
    [[nodiscard]] at::Tensor of(const at::Tensor& flat) const { return flat.narrow(0, begin, size); }
};
// Shard of server `server` of `servers`: together they are all of `elements`, and no two sizes differ by more than 1.
[[nodiscard]] Shard shardOf(int server, int servers, std::int64_t elements);

// Owner: the rank's training thread.
class ShardServer {
public:
    // The workers are ranks 0 … workers − 1. The shard is part of the context's weights, which hold the values.
    // `staleness`: s >= 0.
    ShardServer(StepContext& context, const Shard& shard, int workers, std::int64_t staleness);

    // Takes gradients until those of step context.step() of every worker are in the weights, and answers the workers
    // that may start. Gradients of later steps that come meanwhile count as well, with the rate of context.step().
    // Throws CommError, which names the workers that are missing.
    void serve(StepContext& context);
    // Completes everything in flight, where no worker is ahead of the server. serve() may follow.
    void close(StepContext& context);

    // Saves, where no worker continues before it is done. Closes.
    void save(StepContext& context, Archive& archive);
    Status load(StepContext& context, const Archive& archive);

private:
    struct Worker {
        std::int64_t clock = 0;    // c: number of its gradients that were taken
        std::int64_t version = 0;  // version of the weights that it has
        std::size_t place = 0;     // place of its newest gradient
        bool waits = false;        // waits for weights
        Pending answer;
        std::int64_t answeredAt = 0;
    };
    // A buffer in which a gradient arrives.
    struct Place {
        FlatParams shard;
        Pending push;
    };

    [[nodiscard]] std::int64_t slowest() const;
    void post(StepContext& context);
    void take(StepContext& context);
    [[nodiscard]] Rank await(StepContext& context, Place& place);
    void update(StepContext& context, std::size_t place);
    void updateOfMean(StepContext& context);
    void answer(StepContext& context);
    void send(StepContext& context, int worker);
    [[nodiscard]] std::string missingWorkers(std::int64_t step) const;

    at::Tensor weights_;  // [shard], the rank's own
    const std::int64_t staleness_;
    std::int64_t bytes_;
    std::vector<Worker> workers_;
    std::vector<Place> places_;      // one per worker
    std::vector<std::size_t> free_;  // no receive waits at these
    std::deque<std::size_t> order_;  // places at which a receive waits, in the order in which gradients arrive
    std::int64_t version_ = 0;       // number of updates made
    at::Tensor copy_;                // copy of version copied_ that is sent
    std::int64_t copied_ = -1;
    std::int64_t taken_ = 0;  // number of gradients in the present step
    std::int64_t stale_ = 0;  // sum of their staleness
};

}  // namespace dasgd
