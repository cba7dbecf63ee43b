// The work of one local step of a rank: batch, forward, backward, update. In time-only runs nothing is computed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/models/model.h"
#include "core/optimizers/optimizer.h"
#include "core/step/flat_params.h"
#include "core/step/gradient_feed.h"
#include "core/train/data/training_data.h"
#include "core/train/device/sample_places.h"

namespace dasgd {

// Part of a step's batch, which gradient accumulation cuts up. By default all of it.
struct MicroBatch {
    std::int64_t samples = 1;
    std::int64_t before = 0;  // samples of the step's micro-batches before it
    std::int64_t of = 1;      // samples of the step
    double weight = 1;        // factor on the step's gradients, and not on its loss: of batches of unequal size
    [[nodiscard]] bool first() const { return before == 0; }
    [[nodiscard]] bool last() const { return before + samples == of; }
    [[nodiscard]] double share() const { return static_cast<double>(samples) / static_cast<double>(of); }
};

class LocalStep {
public:
    virtual ~LocalStep() = default;
    // On a device: makes the passes of the next step and undoes their effects on the module and on `random`, which the
    // model draws from. The first passes of a process take long (kernels are loaded, memory is taken, libraries
    // choose), and a different time on each rank: ranks that average with a delay would stay as far apart as the first
    // passes leave them. Does nothing on the CPU, and for a model that keeps more than its module does.
    virtual void warmUp(at::Generator& random) { static_cast<void>(random); }
    // Where ranks share the work: the next batch is number `gradient`, from 1, of those of all ranks. Called before
    // each step; numbers rise.
    virtual void moveTo([[maybe_unused]] std::int64_t gradient) {}
    // Loads the next micro-batch.
    virtual void load(const MicroBatch& part) = 0;
    // Where samples are drawn by their gradients' norms: finds those of the micro-batch, by a forward pass of its own.
    virtual void learnNorms() {}
    // The micro-batch that was loaded, until the next one is loaded; empty where nothing is computed.
    [[nodiscard]] virtual const Batch& batch() const = 0;
    virtual void forward(const MicroBatch& part) = 0;
    // After the last micro-batch the gradients are those of the mean loss over the step's samples.
    virtual void backward() = 0;
    virtual void update(double learningRate) = 0;
    // Mean loss of the samples just trained on, a scalar [] where the step is computed; the next step may write over
    // it. Undefined where nothing is computed.
    [[nodiscard]] virtual at::Tensor loss() = 0;
};

// Device on which a step is computed, if not on the CPU.
struct StepDevice {
    TensorDevice* device = nullptr;  // null: the CPU
    SamplePlaces::Placed train;      // the training set, in its place
    // Asked before passes are captured: the obstacle, such as a listener to the backward pass; "" where there is none.
    // May be empty.
    std::function<std::string()> capturePrevented;
    // name of the algorithm that makes the update in place of the optimiser: then update() is not called
    std::string ownUpdate;
    std::function<void(const std::string&)> note;  // told why passes or update are not captured; may be empty
};

// Choice of a rank's samples, where the plan alone does not make it.
struct ChosenSamples {
    BatchesOfStep batches;          // sizes of all ranks' batches; empty: those of the plan
    SrgSampler* sampler = nullptr;  // draws them; null: passes over the data. Outlives the step
};

// Local step that is computed. All arguments outlive it. `rank`: among those that train. On a device no function waits
// for it. `done`: steps that are complete; the first one here is the one after them.
[[nodiscard]] std::unique_ptr<LocalStep> makeLocalStep(const Experiment& experiment, const TrainingData& data,
                                                       Model& model, FlatParams& params, Optimizer& optimizer,
                                                       Rank rank, const StepDevice& where = {}, std::int64_t done = 0,
                                                       const ChosenSamples& chosen = {});

// Local step for parameters that are shapes only: computes nothing, tells `feed` of every gradient in the order in
// which a backward pass makes them.
[[nodiscard]] std::unique_ptr<LocalStep> makeIdleStep(const FlatParams& params, GradientFeed& feed);

}  // namespace dasgd
