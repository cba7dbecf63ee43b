// Measures the mean model ⟨w⟩, or the one that the algorithm names, on the test set and the validation set, and how far
// the replicas have drifted from it. On a real cluster all ranks meet for it, each judging its share; on the virtual
// one see evaluation_board.h.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "core/base/event.h"
#include "core/comm/communicator.h"
#include "core/datasets/dataset.h"
#include "core/models/model.h"
#include "core/step/flat_params.h"
#include "core/step/roles.h"
#include "core/train/evaluation_report.h"

namespace dasgd {

// As metrics that tell step, samples and bytes like `at`; known at `wall`. No accuracy where there is none.
void record(const EvaluationReport& report, Metric at, Ns wall, EventSink& sink);

// Rank `rank`'s part of the test set: every `ranks`-th sample, so that sets sorted by class are shared out evenly.
// Undefined tensors for a model that needs no data.
[[nodiscard]] Samples shareOf(const Samples& test, Rank rank, int ranks);

// Of the model with its present weights. Neither changes them nor communicates.
[[nodiscard]] Evaluation evaluateOn(Model& model, const Samples& share);

// What a model is judged on. `validation` is empty where nothing is set apart; so is `test` for a model that needs no
// data.
struct EvaluationSets {
    Samples test;
    Samples validation;
    EvaluationSets(Samples tested = {}, Samples validated = {})  // NOLINT: a test set alone will do
        : test(std::move(tested)), validation(std::move(validated)) {}
    [[nodiscard]] EvaluationSets shareOf(Rank rank, int ranks) const {
        return {dasgd::shareOf(test, rank, ranks), dasgd::shareOf(validation, rank, ranks)};
    }
};
// What the mean and a rank's replica got on the rank's share.
struct ShareEvaluation {
    Evaluation mean, replica, validation;  // the last: of the mean
};
[[nodiscard]] Evaluation evaluateValidation(Model& model, const EvaluationSets& share);
// One rank's summands of a report; `distance`: the squared one between mean and replica.
[[nodiscard]] at::Tensor summandsOf(const ShareEvaluation& found, double distance);
// `sums`: of all ranks' summands.
[[nodiscard]] EvaluationReport reportOf(const at::Tensor& sums, int ranks, bool classifies);
[[nodiscard]] double squaredDistance(const at::Tensor& weights, const at::Tensor& others);

// The floating-point buffers in one tensor, a copy; undefined where there are none.
[[nodiscard]] at::Tensor copyOfBuffers(const FlatParams& params);
void setBuffers(const FlatParams& params, const at::Tensor& flat);

class Evaluator {
public:
    // Puts the weights and buffers to evaluate in place of this rank's, the same on every rank. Collective.
    using TakeModel = std::function<void()>;

    // All references outlive the evaluator. Without `take`: the mean of the ranks that train.
    Evaluator(Model& model, FlatParams& params, Communicator& comm, const EvaluationSets& sets, Roles roles,
              TakeModel take = nullptr);

    // Collective over all ranks; those that serve have no share of the sets. Leaves weights and buffers as they
    // were. Throws CommError.
    [[nodiscard]] EvaluationReport evaluate();
    // Weights and buffers become those that are evaluated. Collective over all ranks. Throws CommError.
    void takeModel() { take_(); }

private:
    [[nodiscard]] Evaluation onOwnTests();

    Model& model_;
    FlatParams& params_;
    Communicator& comm_;
    Roles roles_;
    TakeModel take_;
    bool judges_;      // trains, and so has a part in what is measured
    bool classifies_;  // there is a test set
    EvaluationSets share_;
};

// In place on all ranks: weights and floating-point buffers become their means over the ranks that train. Collective;
// throws CommError.
void averageModel(FlatParams& params, Communicator& comm, const Roles& roles);
// The same, but the weights become the sum of the ranks' parts; undefined: this rank adds nothing.
void takeNamedModel(const at::Tensor& part, FlatParams& params, Communicator& comm, const Roles& roles);

}  // namespace dasgd
