// A rank's stage of a model that is cut in sequence over ranks (cluster.stages = K), as an algorithm works with it.
// Messages travel between the passes and never inside autograd, so that a simulated rank can be suspended while it
// waits: a pass begins with what was received, detached from the graph of the rank that sent it.
//
// Every rank has the modules of the whole model, and trains those of its stage: Stage::part() are their parameters. The
// others keep their first values. Owner: the rank's training thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/step/flat_params.h"

namespace dasgd {

// Rank r of a run has stage r mod K of replica r / K.
struct StagePlace {
    int stages = 1;
    int stage = 0;  // 0 has the input, K − 1 the loss
    int replicas = 1;
    int replica = 0;
    [[nodiscard]] bool isFirst() const { return stage == 0; }
    [[nodiscard]] bool isLast() const { return stage == stages - 1; }
    [[nodiscard]] Rank next() const { return Rank(replica * stages + stage + 1); }
    [[nodiscard]] Rank previous() const { return Rank(replica * stages + stage - 1); }
    // The ranks that have this stage, one of each replica.
    [[nodiscard]] std::vector<Rank> peers() const {
        std::vector<Rank> all;
        for (int other = 0; other < replicas; ++other) all.emplace_back(other * stages + stage);
        return all;
    }
};

// One micro-batch on its way through a stage.
struct StagePass {
    std::int64_t batch = 0;  // number of its batch among those of the replica, from 1
    bool first = true;       // of the micro-batches of its batch
    std::int64_t samples = 0;
    double share = 1;     // of the samples of its batch
    at::Tensor input;     // written by the receive; at the first stage undefined before the forward pass
    at::Tensor gradient;  // written by the receive: of the output; undefined at the last stage
    at::Tensor output;    // after the forward pass; at the last stage the mean loss times `share`
    at::Tensor targets;   // at the last stage, from the forward pass on
    at::Tensor weights;   // of the forward pass, where it keeps them
    at::Tensor random;    // state of the rank's forward stream before that pass
};

// State of a forward pass that lasts until the backward pass.
//  Graph            the graph; its backward pass reads the weights that the stage then has
//  GraphAndWeights  and a copy of the weights, for other weights in between
//  Input            the input alone: recompute() comes before the backward pass
enum class StageKeeps : std::uint8_t { Graph, GraphAndWeights, Input };

class Stage {
public:
    virtual ~Stage() = default;
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    [[nodiscard]] const StagePlace& place() const { return place_; }
    [[nodiscard]] FlatParams& part() { return part_; }
    // 1 for each element of FlatParams::buffers() that is of this stage, else 0, one after the other; undefined for a
    // model without buffers.
    [[nodiscard]] const at::Tensor& ownBuffers() const { return ownBuffers_; }

    // Passes over the micro-batches of batch `number`, with places for what is received.
    [[nodiscard]] virtual std::vector<StagePass> passesOf(std::int64_t number) const = 0;
    // Forward pass over what was received. The first and the last stage load their samples here, so that they make
    // these passes in the order of batches.
    virtual void forward(StagePass& pass, StageKeeps keeps) = 0;
    // Makes the graph from the input and the present weights, or those that the pass has kept, with the numbers that
    // the forward pass drew; buffers stay as they are.
    virtual void recompute(StagePass& pass) = 0;
    // Backward pass from pass.gradient. Adds the gradients of the stage's parameters to those of the micro-batches
    // before it; the first one of a batch sets them. Returns the gradient of the input; undefined at the first stage.
    [[nodiscard]] virtual at::Tensor backward(StagePass& pass) = 0;

protected:
    Stage(const StagePlace& place, FlatParams part, at::Tensor ownBuffers)
        : place_(place), part_(std::move(part)), ownBuffers_(std::move(ownBuffers)) {}

private:
    const StagePlace place_;
    FlatParams part_;
    const at::Tensor ownBuffers_;
};

}  // namespace dasgd
