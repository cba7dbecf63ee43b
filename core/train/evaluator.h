// Measures the mean model ⟨w⟩ on the test set, each rank on its share, and how far the replicas have drifted from it.
#pragma once

#include <cstdint>

#include "core/comm/communicator.h"
#include "core/datasets/dataset.h"
#include "core/models/model.h"
#include "core/step/flat_params.h"

namespace dasgd {

struct EvaluationReport {
    double loss = 0;               // mean over the test set, of ⟨w⟩
    double accuracy = 0;           // 0..1, of ⟨w⟩; NaN where there is nothing to classify
    double replicaAccuracy = 0;    // the same, each sample judged by the replica of the rank that holds it
    double consensusDistance = 0;  // ⟨‖wᵢ − ⟨w⟩‖²⟩
    std::int64_t bytesSent = 0;    // by this rank for the evaluation alone
};

class Evaluator {
public:
    // `test` may be empty for a model that needs no data. All references outlive the evaluator.
    Evaluator(Model& model, FlatParams& params, Communicator& comm, const Samples& test);

    // Collective over all ranks. Leaves weights and buffers as they were. Throws CommError.
    [[nodiscard]] EvaluationReport evaluate();

private:
    [[nodiscard]] Evaluation onOwnShare();

    Model& model_;
    FlatParams& params_;
    Communicator& comm_;
    Samples share_;
};

// In place, over all ranks: weights and floating-point buffers become their means. Collective; throws CommError.
void averageModel(FlatParams& params, Communicator& comm);

}  // namespace dasgd
