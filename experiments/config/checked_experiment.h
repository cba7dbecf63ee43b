// An experiment that may start: read, checked and planned. It holds all that the launcher and the commands need, so
// that they do not include torch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/backends/layout.h"
#include "core/base/result.h"
#include "core/base/schema/value.h"
#include "core/cost/compressed_exchange.h"
#include "experiments/config/sweep.h"

namespace dasgd::experiments {

inline constexpr const char* kOwnProgram = "/proc/self/exe";

struct CheckedExperiment {
    Value resolved;     // every field written out; reads back to the same experiment
    std::string label;  // ExpandedExperiment::label
    std::string name, algorithm, backend;
    Layout layout;  // processes and threads of the ranks
    std::int64_t seed = 0;
    int workers = 0;
    int trainers = 0;      // number of workers that train; the others serve
    bool elastic = false;  // a run can be resumed with another number of workers
    double timeoutS = 0;
    std::string link;  // "200Mbps, 1ms", "" where the link is real
    std::int64_t totalSteps = 0;
    double meanBatch = 0;      // samples of one rank in a step, over an epoch: its last batch may be short
    double stepsPerEpoch = 0;  // mean; below 1 where a step is more than an epoch
    std::int64_t epochSteps = 1;
    bool ofData = false;           // an epoch is a pass over data; else a step
    std::int64_t evalEvery = 0;    // steps; 0 where nothing is computed that could be evaluated
    std::int64_t evalSpacing = 0;  // steps that have to be between two evaluations where the file does not say how many
    std::int64_t parameters = 0;
    std::vector<std::int64_t> parameterSizes;  // elements of each trainable parameter, in order of registration
    std::int64_t optimizerTensors = 0;         // tensors of the size of the weights that the optimiser keeps
    std::vector<std::int64_t> layerSizes;      // elements of each layer, as core/algorithms/slow/fragments.h has them
    std::vector<std::vector<std::size_t>> fragments;  // layers that its algorithm sends together; one of all by default
    // What [compression] makes of an exchange of all weights; nullopt: it travels whole.
    std::optional<CompressedExchange> compressed;
    std::filesystem::path networkFile;  // file from which the network is read; empty: none
};

// Checks every experiment as far as can be done without starting a rank: schema, data files, shapes, networks (those of
// a file by a process of `program`, a `dasgd`). The first error is returned. Where the file does not say how often to
// evaluate, experiments that differ in nothing but algorithm, optimiser, schedule, record and seed are evaluated
// equally often: as those with the longest rounds, by train.eval_spacing.
[[nodiscard]] Result<std::vector<CheckedExperiment>> checkExperiments(const std::vector<ExpandedExperiment>& expanded,
                                                                      const std::string& program = kOwnProgram);
// Checks each experiment by itself: one result for each.
[[nodiscard]] std::vector<Result<CheckedExperiment>> checkEach(const std::vector<ExpandedExperiment>& expanded,
                                                               const std::string& program = kOwnProgram);
// The document of a file, on the cluster of the overrides' calibration where they name one.
[[nodiscard]] Result<Value> readExperimentFile(const std::string& file, const Overrides& overrides);
// Reads the file, expands it and checks it.
[[nodiscard]] Result<std::vector<CheckedExperiment>> loadExperiments(const std::string& file,
                                                                     const Overrides& overrides,
                                                                     const std::string& program = kOwnProgram);
// checkExperiments() for a document that is no file; the calibration named in the overrides is ignored.
[[nodiscard]] Result<std::vector<CheckedExperiment>> checkExperiments(const Value& document, const Overrides& overrides,
                                                                      const std::string& program = kOwnProgram);

// Elements of each parameter of each stage of a checked experiment's model; empty where it is not cut
// (cluster.stages = 1). Loads the data, whose shapes decide where a model is cut. Errors: of the data or the model.
[[nodiscard]] Result<std::vector<std::vector<std::int64_t>>> stageParameters(const Value& document);

// The only experiment of a document without cases and sweep.
[[nodiscard]] Result<CheckedExperiment> checkExperiment(const Value& document);

}  // namespace dasgd::experiments
