// Measures the mean model ⟨w⟩ on the test set, and how far the replicas have drifted from it. On a real cluster all
// ranks meet for it, each judging its share; on the virtual one see evaluation_board.h.
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
};

// Rank `rank`'s part of the test set: every `ranks`-th sample, so that sets sorted by class are shared out evenly.
// Undefined tensors for a model that needs no data.
[[nodiscard]] Samples shareOf(const Samples& test, Rank rank, int ranks);

// Of the model with its present weights. Neither changes them nor communicates.
[[nodiscard]] Evaluation evaluateOn(Model& model, const Samples& share);

// One rank's summands of a report: what `mean` and `replica` got on its share, and the squared distance between them.
[[nodiscard]] at::Tensor summandsOf(const Evaluation& mean, const Evaluation& replica, double distance);
// `sums`: of all ranks' summands.
[[nodiscard]] EvaluationReport reportOf(const at::Tensor& sums, int ranks, bool classifies);
[[nodiscard]] double squaredDistance(const at::Tensor& weights, const at::Tensor& others);

// The floating-point buffers in one tensor, a copy; undefined where there are none.
[[nodiscard]] at::Tensor copyOfBuffers(const FlatParams& params);
void setBuffers(const FlatParams& params, const at::Tensor& flat);

class Evaluator {
public:
    // `test` may be empty for a model that needs no data. All references outlive the evaluator.
    Evaluator(Model& model, FlatParams& params, Communicator& comm, const Samples& test);

    // Collective over all ranks. Leaves weights and buffers as they were. Throws CommError.
    [[nodiscard]] EvaluationReport evaluate();

private:
    Model& model_;
    FlatParams& params_;
    Communicator& comm_;
    Samples share_;
};

// In place, over all ranks: weights and floating-point buffers become their means. Collective; throws CommError.
void averageModel(FlatParams& params, Communicator& comm);

}  // namespace dasgd
