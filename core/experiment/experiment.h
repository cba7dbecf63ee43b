// An experiment, checked and resolved: the input of a run in every process that has a part in it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/algorithms/algorithm.h"
#include "core/backends/backend.h"
#include "core/backends/cluster.h"
#include "core/base/result.h"
#include "core/base/schema/experiment_schema.h"
#include "core/base/schema/fields.h"
#include "core/base/schema/value.h"
#include "core/compression/settings.h"
#include "core/datasets/dataset.h"
#include "core/datasets/sampling/partition.h"
#include "core/experiment/plan.h"
#include "core/experiment/profile_params.h"
#include "core/experiment/train_params.h"
#include "core/graphs/graph.h"
#include "core/models/model.h"
#include "core/optimizers/optimizer.h"
#include "core/schedules/schedule.h"
#include "core/sim/compute/compute.h"
#include "core/sim/faults/faults.h"
#include "core/sim/network/network.h"
#include "core/step/roles.h"

namespace dasgd {

struct RecordParams {
    std::string trace = "full";
    bool weights = false;
    std::optional<ProfileParams> profile;
    void visit(auto&& f) {
        f(trace, "trace",
          {.help = "full: every span; summary: the overlap numbers; off: neither",
           .choices = {"full", "summary", "off"}});
        f(weights, "weights", {.help = "Record every rank's weights at every step; small models only"});
        f(profile, "profile",
          {.help = "Steps whose operators, on a GPU its kernels, are recorded by LibTorch's profiler, which slows them "
                   "down: step times, hidden, blocked and throughput leave them out"});
    }
};

struct DataParams {
    std::string partition = "iid";
    std::string shuffle = "global";  // for partitions other than iid: "shard"
    bool dropLast = false;
    std::int64_t threads = -1;
    std::int64_t prefetch = 4;
    double validation = 0;
    std::string deviceData = "auto";
    std::string sampler = "passes";
    std::string samplerForm = "mixture";
    double samplerFloor = 0.5;
    void visit(auto&& f) {
        visitOrder(f);
        visitSampler(f);
        f(threads, "threads",
          {.min = -1,
           .max = 64,
           .help = "Threads of each worker that make batches before they are needed; 0: each step makes its own; -1: 2 "
                   "where files have to be decoded and time is real, else 0. Batches do not depend on it"});
        f(prefetch, "prefetch",
          {.min = 1, .max = 64, .unit = "batches", .help = "How far ahead of the step the threads work"});
        f(validation, "validation",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .help = "Share of the training set that is not trained on but evaluated: drawn by train.seed, of a text its "
                   "end. The best model is chosen on it, by accuracy, or of values and texts by loss, and reported on "
                   "the test set; train.patience and the targets of [train] look at it too; 0: none, so that the best "
                   "is chosen on the test set itself"});
        f(deviceData, "device_data",
          {.help =
               "Where ranks compute on GPUs. resident: each has all samples on its GPU; prefetch: batches are made on "
               "the host and copied one ahead; auto: resident up to 2 GiB of samples that lie in memory. Batches "
               "do not depend on it",
           .choices = {"auto", "resident", "prefetch"}});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    // True where a rank draws its samples by their importance, instead of taking each once a pass.
    [[nodiscard]] bool drawsSamples() const { return sampler == "srg"; }

private:
    void visitOrder(auto&& f) {
        f(partition, "partition",
          {.help =
               "iid, by-label, dirichlet(alpha), or contiguous: equal parts as the samples lie, of text always. "
               "Shards of dirichlet are of unequal size, and each worker takes samples / workers an epoch: those of "
               "a small shard several times, of a large one only a part"});
        f(shuffle, "shuffle",
          {.help = "global: one permutation of the training set an epoch, dealt out to the workers, as "
                   "DistributedSampler does; shard: each worker keeps its shard and reshuffles it, the default of "
                   "partitions other than iid; none: always in the same order",
           .choices = {"global", "shard", "none"}});
        f(dropLast, "drop_last",
          {.help = "Drop what does not fill a batch of every worker at the end of an epoch; otherwise the training "
                   "set is extended by its first samples until the workers' shares are equal, and the last batch of "
                   "an epoch is short"});
    }
    void visitSampler(auto&& f) {
        f(sampler, "sampler",
          {.help =
               "passes: each sample once a pass; srg: stochastic reweighted gradient descent, which draws samples "
               "with replacement by the norms of their last known gradients and divides by the probability "
               "(arXiv 2103.12293); of the models logistic and linear_svm, and from a shard that each worker keeps. "
               "Simulated time does not count the second forward pass that the norms take here",
           .choices = {"passes", "srg"}});
        f(samplerForm, "sampler_form",
          {.help = "Probabilities of srg. mixture: a share uniform, the rest in proportion to the norms (ICML 2022); "
                   "threshold: in proportion to the norms, but at least the floor, which is the best for that floor "
                   "(2021)",
           .choices = {"mixture", "threshold"}});
        f(samplerFloor, "sampler_floor",
          {.min = 0,
           .max = 1,
           .minOpen = true,
           .symbol = "θ",
           .help = "Least probability of a sample with srg, times their number; 1: all are equally likely"});
    }
};

// Default plug-ins of the sections that may leave the name out.
inline constexpr std::string_view kDefaultData = "mnist";
inline constexpr std::string_view kDefaultOptimizer = "sgd";
inline constexpr std::string_view kDefaultSchedule = "constant";
inline constexpr std::string_view kDefaultNetwork = "star";

struct Experiment {
    std::string name;
    std::string algorithmName, modelName, dataName, optimizerName, scheduleName, topologyName;
    TrainParams train;
    ClusterParams cluster;
    RecordParams record;
    DataParams data;
    PartitionSpec partition;
    std::string graphName;                                   // "" where the algorithm mixes over none
    std::shared_ptr<const Graph> graph;                      // null likewise
    std::shared_ptr<const CompressionSettings> compression;  // null where exchanges travel whole
    std::unique_ptr<Model> model;                            // the model, not built yet
    std::unique_ptr<Dataset> dataset;
    std::unique_ptr<Optimizer> optimizer;
    std::unique_ptr<Schedule> schedule;
    std::unique_ptr<Backend> backend;
    Layout layout;                       // placement of its ranks
    std::unique_ptr<Topology> topology;  // topology of the simulated cluster; null in real time
    NetworkParams network;
    std::optional<NetworkFile> networkFile;  // source of `topology`
    ComputeParams compute;
    std::optional<FaultParams> faults;
    Value algorithmTable;  // the algorithm is made per rank: makeAlgorithm()
    Value modelTable, optimizerTable, scheduleTable;
    Value dataTable, trainTable;  // the tables as they were read, for the places in errors
    Value resolved;               // every field of every section written out: the run's record

    [[nodiscard]] std::unique_ptr<Algorithm> makeAlgorithm() const;
    [[nodiscard]] std::unique_ptr<Model> makeModel() const;
    // Clips its gradients where train.gradient_clip is set.
    [[nodiscard]] std::unique_ptr<Optimizer> makeOptimizer() const;
    // Factor of the optimiser's learning rate: 1, or the one that train.reference_batch gives.
    [[nodiscard]] double learningRateScale() const;
    [[nodiscard]] Roles roles() const;  // as the algorithm assigns them
    [[nodiscard]] at::ScalarType scalarType() const;
    [[nodiscard]] bool timeSimulated() const { return layout.timeSimulated; }
    // True where the ranks that train share the gradients of the run.
    [[nodiscard]] bool sharesWork() const { return train.isShared(); }
    // See StepContext::fixedBatches(); 1 where nothing is computed. `plan`: of this experiment.
    [[nodiscard]] std::int64_t fixedBatches(const Plan& plan) const;
    // True where nothing is computed: a simulated run in mode "time-only".
    [[nodiscard]] bool timeOnly() const { return timeSimulated() && compute.mode == "time-only"; }
};

// Sections that only some algorithms read: those that algorithm `name` reads, or those that it does not. None where
// there is no such algorithm.
[[nodiscard]] std::vector<std::string> sectionsReadBy(const std::string& name);
[[nodiscard]] std::vector<std::string> sectionsUnreadBy(const std::string& name);

// The [cluster] of a document: the fields that all backends share, the backend, and every field written out.
struct ClusterSection {
    ClusterParams params;
    std::unique_ptr<Backend> backend;
    Value resolved;
};
// Reads [cluster] from the section's table. Errors carry file:line:column.
[[nodiscard]] Result<ClusterSection> readClusterSection(const Value& table);

// Checks one document without a [sweep]. Errors carry file:line:column.
[[nodiscard]] Result<Experiment> readExperiment(const Value& document);

// The schema of all that is registered; `dasgd describe --json` prints it.
[[nodiscard]] ExperimentSchema describeExperiment();

// Least number of steps between two evaluations where train.eval_every is 0: train.eval_spacing, or the larger of 20
// steps and 4 rounds of the algorithm. Two evaluations that are nearer leave no whole round to time.
[[nodiscard]] std::int64_t evaluationSpacing(const Experiment& experiment);

// Plan of the run, once the data are loaded and the validation set is taken away. `trainSamples` is 0 for a model that
// needs no data. Where train.eval_every is 0, evaluations come after the smallest number of whole epochs that is no
// less than evaluationSpacing(). `trainers`: how many ranks train, where not as many as the experiment has.
[[nodiscard]] Plan planSteps(const Experiment& experiment, std::int64_t trainSamples,
                             std::optional<std::int64_t> trainers = std::nullopt);
// Plan of the gradients of a run whose workers share the work: that of one worker that makes them all. Its steps are
// gradients.
[[nodiscard]] Plan planGradients(const Experiment& experiment, std::int64_t trainSamples);

}  // namespace dasgd
