// A rank that serves in a parameter server: it holds a shard of the weights and the optimiser's state of that shard,
// takes the workers' gradients, makes the updates that a policy asks for (server_policy.h) and sends each worker the
// shard once the policy lets it start its next step. Gradients are taken in the order in which they arrive.
//
// Memory: for each worker a gradient of the shard, so that gradients arrive beside each other, and a copy of the shard
// for each version that is on its way to a worker.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/algorithms/server/server_policy.h"
#include "core/algorithms/server/shard_update.h"
#include "core/base/result.h"
#include "core/comm/communicator.h"
#include "core/step/flat_params.h"
#include "core/step/step_context.h"

namespace dasgd {

class Archive;

inline constexpr int kGradientTag = 0;  // a worker's gradient of a shard
inline constexpr int kWeightsTag = 1;   // the shard's weights
inline constexpr int kWordTag = 2;      // with them, where workers share the work: a ServerWord

// What a server tells a worker with the weights, where the workers share the work; sent as int64 [2].
struct ServerWord {
    std::int64_t gradient = 0;  // the number of the worker's next gradient, kOver or kStopped
    std::int64_t step = 0;      // the run's step to which that belongs, or 0
};
inline constexpr std::int64_t kWordBytes = 2 * sizeof(std::int64_t);
inline constexpr std::int64_t kOver = 0;      // there is none
inline constexpr std::int64_t kStopped = -1;  // the run is stopped

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
    // Parts in which the algorithms differ.
    struct Rule {
        std::unique_ptr<ServerPolicy> policy;
        std::unique_ptr<ShardUpdate> update;
        std::int64_t period = 1;  // steps that a worker makes between two pushes
    };
    // The workers are ranks 0 … workers − 1. The shard is part of the context's weights, which hold the values.
    ShardServer(StepContext& context, const Shard& shard, int workers, Rule rule);

    // Takes gradients until those of every worker up to step context.step() are in the weights, and answers the workers
    // that may start. Gradients of later steps that come meanwhile count as well, with the rate of context.step().
    // Throws CommError, which names the workers that are missing.
    void serve(StepContext& context);
    // From now on the workers share so many gradients, a multiple of their number, of which each has begun one. serve()
    // then ends a step when as many gradients as there are workers have been taken, whosoever they are; where the
    // policy counts updates, with each update, until there are gradients / workers of them. The last step ends with
    // isOver().
    void share(std::int64_t gradients);
    [[nodiscard]] std::int64_t gradientsTaken() const { return takenInAll_; }
    // True where nobody begins another gradient and all that were begun have been taken.
    [[nodiscard]] bool isOver() const { return ended_ && takenInAll_ == granted_; }
    // Lets nobody begin another gradient; false where nobody would anyway.
    bool endSharing(bool stopped);
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
        std::int64_t lead = 0;     // over the slowest when it was let start its present step
        bool waits = false;        // waits for weights
        bool isDismissed = false;  // of shared work: was told to make no further gradient
        Pending answer, word;
        std::int64_t answeredAt = 0;
    };
    // A buffer in which a gradient arrives.
    struct Place {
        FlatParams shard;
        Pending push;
    };

    [[nodiscard]] std::int64_t slowest() const;
    [[nodiscard]] bool isDone(std::int64_t step) const;
    void sendWord(StepContext& context, Worker& worker, int to);
    void post(StepContext& context);
    void take(StepContext& context);
    [[nodiscard]] std::size_t nextArrival(StepContext& context);
    [[nodiscard]] Rank await(StepContext& context, Place& place);
    void makeUpdate(StepContext& context, const ServerPolicy::Update& update);
    void obeyPolicy(StepContext& context);
    void answer(StepContext& context);
    void send(StepContext& context, int worker);
    [[nodiscard]] const at::Tensor& copyOfWeights(StepContext& context);
    [[nodiscard]] std::string missingWorkers(std::int64_t step) const;

    at::Tensor weights_;  // [shard], the rank's own
    Rule rule_;
    std::int64_t bytes_;
    std::vector<Worker> workers_;
    std::vector<Place> places_;           // one per worker
    std::vector<std::size_t> free_;       // places at which no receive waits
    std::vector<std::size_t> receiving_;  // places at which one waits
    std::int64_t version_ = 0;            // number of updates made
    at::Tensor copy_;                     // copy of version copied_ that is sent
    std::int64_t copied_ = -1;
    std::int64_t gradients_ = 0;   // of shared work; 0: workers make equal steps
    std::int64_t granted_ = 0;     // of these the ones that have begun
    std::int64_t takenInAll_ = 0;  // and those that were taken
    std::int64_t updates_ = 0;     // after which shared work ends, where the policy counts these; else 0
    bool ended_ = false;           // nobody begins another gradient
    bool stopped_ = false;
    std::int64_t taken_ = 0;    // number of gradients in the present step
    std::int64_t applied_ = 0;  // of these, and of earlier ones that were held, those that went into updates
    std::int64_t dropped_ = 0;
    std::int64_t stale_ = 0;  // sum of the staleness of those applied
    std::int64_t lead_ = 0;   // the largest lead over the slowest with which one of the step's gradients was begun
};

}  // namespace dasgd
