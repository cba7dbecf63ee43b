// [train]: duration of the training, batch sizes, and the target at which it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/schema/fields.h"
#include "core/experiment/checkpoint_params.h"

namespace dasgd {

struct TrainParams {
    std::int64_t epochs = 0;  // one of epochs and steps is set; epochs = 1 where neither is
    std::int64_t steps = 0;
    std::string work = "steps";
    std::int64_t batchSize = 32;
    std::int64_t accumulate = 1;
    std::int64_t seed = 1;
    std::string precision = "float32";
    std::int64_t evalEvery = 0;  // steps; 0: see planSteps()
    std::int64_t evalSpacing = 0;
    double gradientClip = 0;
    double labelSmoothing = 0;
    std::int64_t referenceBatch = 0;
    std::int64_t patience = 0;
    double minDelta = 0;
    double targetAccuracy = 0;
    double targetLoss = 0;
    bool stopAtTarget = false;
    std::optional<CheckpointParams> checkpoint;
    std::string autocast = "off";
    bool channelsLast = false;
    bool tf32 = false;
    bool cudaGraph = false;
    std::string balance = "none";
    std::int64_t rebalance = 20;
    std::string weigh = "ranks";

    void visit(auto&& f) {
        visitLength(f);
        visitGradients(f);
        visitBalance(f);
        visitEnd(f);
        visitSpeed(f);
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    // Samples of one worker in a step.
    [[nodiscard]] std::int64_t samplesPerStep() const { return batchSize * accumulate; }
    [[nodiscard]] bool isShared() const { return work == "shared"; }
    [[nodiscard]] bool autocasts() const { return autocast != "off"; }
    // True where the ranks' batches have unequal sizes.
    [[nodiscard]] bool balances() const { return balance != "none"; }

private:
    void visitLength(auto&& f) {
        f(epochs, "epochs", {.min = 0, .max = 1e9, .help = "Passes over the training set; give this or steps"});
        f(steps, "steps", {.min = 0, .max = 1e12, .help = "Local steps a worker; give this or epochs"});
        f(work, "work",
          {.help = "steps: every worker makes as many steps. shared: all workers together make as many, that is steps "
                   "times their number, and whoever is ready makes the next; of algorithms with a parameter server, "
                   "some of which always do. "
                   "Every sample of an epoch is then drawn once by all workers together",
           .choices = {"steps", "shared"}});
        f(batchSize, "batch_size",
          {.min = 1,
           .max = 1e9,
           .unit = "samples per worker",
           .help = "Batch of one worker and step; of one micro-batch where accumulate is more than 1"});
        f(accumulate, "accumulate",
          {.min = 1,
           .max = 1e6,
           .unit = "micro-batches",
           .help = "Gradient accumulation: a step descends along the mean gradient of so many batches of batch_size "
                   "samples. Buckets of sync_sgd leave during the last one"});
        f(seed, "seed", {.min = 0, .max = 9e15, .help = "Seed of initial weights, shuffles and partitions"});
        f(precision, "precision", {.help = "Type of weights and arithmetic", .choices = {"float32", "float64"}});
        f(evalEvery, "eval_every",
          {.min = 0,
           .max = 1e12,
           .unit = "steps",
           .help = "Evaluate after so many steps; 0: after each epoch, or after as many epochs as eval_spacing needs"});
        f(evalSpacing, "eval_spacing",
          {.min = 0,
           .max = 1e12,
           .unit = "steps",
           .help = "Where eval_every is 0: at least so many steps between evaluations; 0: 20, and 4 rounds of the "
                   "algorithm, so that steps remain to be timed that no evaluation disturbs; all algorithms of a sweep "
                   "have that of the longest rounds, since the best accuracy is the best of so many evaluations"});
    }
    void visitGradients(auto&& f) {
        f(gradientClip, "gradient_clip",
          {.min = 0,
           .max = 1e12,
           .help = "Largest 2-norm of all gradients together that the optimiser is given; longer ones are scaled "
                   "down to it, as torch.nn.utils.clip_grad_norm_ does; 0: no limit"});
        f(labelSmoothing, "label_smoothing",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .help =
               "Share of each target that is spread evenly over all classes, or tokens, as 0.1; in the training loss "
               "alone, and of models that minimise cross entropy alone (arXiv 1512.00567); 0: none"});
        f(referenceBatch, "reference_batch",
          {.min = 0,
           .max = 1e12,
           .unit = "samples",
           .help = "Linear scaling (arXiv 1706.02677): the learning rate is multiplied by the samples of a step of all "
                   "workers / this; 0: it is as given"});
    }
    void visitBalance(auto&& f) {
        f(balance, "balance",
          {.help =
               "rate: the samples that all workers together have in a step are divided among them in proportion to "
               "the samples per second that each has computed, at least one each, so that slow workers do not hold "
               "up the others (HAP, arXiv 2401.05965); a mean of gradients weighs each worker by its samples. none: "
               "equal batches",
           .choices = {"none", "rate"}});
        f(rebalance, "rebalance",
          {.min = 1,
           .max = 1e9,
           .unit = "steps",
           .help = "With balance: all workers exchange their rates, and wait for each other, after so many steps"});
        f(weigh, "weigh",
          {.help = "With balance, in means of weights: ranks: all workers count alike; samples: each by its samples of "
                   "the step after which its weights leave. Means of gradients always go by samples",
           .choices = {"ranks", "samples"}});
    }
    void visitEnd(auto&& f) {
        f(patience, "patience",
          {.min = 0,
           .max = 1e9,
           .unit = "evaluations",
           .help = "Early stopping: the run ends after so many evaluations without a better accuracy, or of values and "
                   "texts a lower loss, on the validation set (needs data.validation); 0: it does not"});
        f(minDelta, "min_delta",
          {.min = 0,
           .max = 1e9,
           .help = "An evaluation that is better by more than this resets patience, in the unit of what is judged: "
                   "accuracy, 0 to 1, or for values and texts the loss"});
        f(targetAccuracy, "target_accuracy",
          {.min = 0,
           .max = 1,
           .help = "Accuracy to reach, 0 to 1, on the validation set, or the test set without one; the run records "
                   "at which step, time, samples and bytes it first does; 0: none"});
        f(targetLoss, "target_loss",
          {.min = 0,
           .max = 1e12,
           .help = "Loss to come down to, instead of target_accuracy, on the same set and recorded alike; 0: none"});
        f(stopAtTarget, "stop_at_target",
          {.help = "The run ends with the evaluation that reaches target_accuracy or target_loss"});
        f(checkpoint, "checkpoint",
          {.help = "Save the state of all ranks at intervals, so that `dasgd resume` can continue after a rank or the "
                   "host has died: { every = \"10min\", keep = 3 }"});
    }
    void visitSpeed(auto&& f) {
        f(autocast, "autocast",
          {.help =
               "bfloat16: forward passes of training compute matrix products and convolutions in it, from weights in "
               "float32 (torch.autocast); evaluations do not",
           .choices = {"off", "bfloat16"}});
        f(channelsLast, "channels_last",
          {.help = "Images and convolution kernels lie in memory with their channels innermost (torch.channels_last), "
                   "which GPUs convolve faster, in bfloat16 above all; sums are formed in another order"});
        f(tf32, "tf32",
          {.help = "On a GPU, matrix products and convolutions of float32 round their factors to TensorFloat-32, which "
                   "has 10 bits of mantissa"});
        f(cudaGraph, "cuda_graph",
          {.help = "On a GPU, forward and backward pass of a full batch and the update of sgd, adam and adamw are "
                   "captured once, as CUDA graphs, and given again each step, which spares small models the launch of "
                   "every kernel; where they cannot be captured, the run reports it and continues without"});
    }
};

}  // namespace dasgd
