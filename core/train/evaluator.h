// Measures the mean model ⟨w⟩, or the one that the algorithm names, on the test set, each rank on its share, and how
// far the replicas have drifted from it.
#pragma once

#include <cstdint>
#include <functional>

#include "core/comm/communicator.h"
#include "core/datasets/dataset.h"
#include "core/models/model.h"
#include "core/step/flat_params.h"
#include "core/step/roles.h"

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
    // Puts the weights and buffers to evaluate in place of this rank's, the same on every rank. Collective.
    using TakeModel = std::function<void()>;

    // `test` may be empty for a model that needs no data. All references outlive the evaluator. Without `take`: the
    // mean of the ranks that train.
    Evaluator(Model& model, FlatParams& params, Communicator& comm, const Samples& test, Roles roles,
              TakeModel take = nullptr);

    // Collective over all ranks; those that serve have no share of the test set. Leaves weights and buffers as they
    // were. Throws CommError.
    [[nodiscard]] EvaluationReport evaluate();
    // Weights and buffers become those that are evaluated. Collective over all ranks. Throws CommError.
    void takeModel() { take_(); }

private:
    [[nodiscard]] Evaluation onOwnShare();

    Model& model_;
    FlatParams& params_;
    Communicator& comm_;
    Roles roles_;
    TakeModel take_;
    bool judges_;      // trains, and so has a part in what is measured
    bool classifies_;  // there is a test set
    Samples share_;
};

// In place on all ranks: weights and floating-point buffers become their means over the ranks that train. Collective;
// throws CommError.
void averageModel(FlatParams& params, Communicator& comm, const Roles& roles);
// The same of the buffers alone.
void averageBuffers(FlatParams& params, Communicator& comm, const Roles& roles);

}  // namespace dasgd
