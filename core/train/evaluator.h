// Measures the mean model ⟨w⟩, or the one that the algorithm names, on the test set and the validation set, and how far
// the replicas have drifted from it. On a real cluster all ranks meet for it, each judging its share; on the virtual
// one see evaluation_board.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "core/base/event.h"
#include "core/comm/communicator.h"
#include "core/datasets/dataset.h"
#include "core/models/model.h"
#include "core/step/flat_params.h"
#include "core/step/roles.h"
#include "core/train/device/sample_places.h"
#include "core/train/evaluation_report.h"

namespace dasgd {

// As metrics that tell step, samples and bytes like `at`; known at `wall`. What is NaN is not recorded: accuracy where
// there is nothing to classify, perplexity of what is no text.
void record(const EvaluationReport& report, Metric at, Ns wall, EventSink& sink);

// The part of a test set that one rank judges.
struct TestShare {
    Samples samples;     // of the whole set; none for a model that needs no data
    at::Tensor indices;  // of those that are the rank's
    at::ScalarType type = at::kFloat;
    TensorDevice* bring = nullptr;  // by which batches are brought; null: they are made where they are used
};
// Rank `rank`'s part: every `ranks`-th sample, so that sets sorted by class are shared out evenly; of continuous
// samples the rank's contiguous part.
[[nodiscard]] TestShare shareOf(const SamplePlaces::Placed& test, Rank rank, int ranks, at::ScalarType type);
[[nodiscard]] inline TestShare shareOf(const Samples& test, Rank rank, int ranks, at::ScalarType type) {
    return shareOf(SamplePlaces::Placed{test}, rank, ranks, type);
}

// Of the model with its present weights. Neither changes them nor communicates. Continuous samples are judged in up to
// 16 rows side by side, each going on from batch to batch, and those that do not fill the rows in one row after them.
// Sums of a device stay there: nobody waits.
[[nodiscard]] Evaluation evaluateOn(Model& model, const TestShare& share);

// What a model is judged on. `validation` is empty where nothing is set apart; so is `test` for a model that needs no
// data.
struct EvaluationSets {
    SamplePlaces::Placed test;
    SamplePlaces::Placed validation;
    EvaluationSets(Samples tested = {}, Samples validated = {})  // NOLINT: a test set alone will do
        : test{std::move(tested)}, validation{std::move(validated)} {}
    EvaluationSets(SamplePlaces::Placed tested, SamplePlaces::Placed validated)
        : test(std::move(tested)), validation(std::move(validated)) {}
};
// The parts that one rank judges.
struct EvaluationShares {
    TestShare test;
    TestShare validation;
};
[[nodiscard]] EvaluationShares sharesOf(const EvaluationSets& sets, Rank rank, int ranks, at::ScalarType type);

// What the mean and a rank's replica got on the rank's shares.
struct ShareEvaluation {
    Evaluation mean, replica, validation;  // the last: of the mean
};
[[nodiscard]] Evaluation evaluateValidation(Model& model, const EvaluationShares& shares);
// One rank's summands of a report, on the host; `distance`: the squared one between mean and replica. Where the sums
// are on `device`, this is where the host waits for it, once.
[[nodiscard]] at::Tensor summandsOf(const ShareEvaluation& found, const DeviceSum& distance,
                                    at::Device device = at::kCPU);
// `sums`: of all ranks' summands. `task`: of the test set; empty where there is none.
[[nodiscard]] EvaluationReport reportOf(const at::Tensor& sums, int ranks, std::optional<Task> task);
[[nodiscard]] std::optional<Task> taskOf(const Samples& test);
[[nodiscard]] DeviceSum squaredDistance(const at::Tensor& weights, const at::Tensor& others);

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
    // were. `whileTaken`, if given, is called while those that are evaluated are in their place. Throws CommError.
    [[nodiscard]] EvaluationReport evaluate(const std::function<void()>& whileTaken = nullptr);
    // Weights and buffers become those that are evaluated. Collective over all ranks. Throws CommError.
    void takeModel() { take_(); }

private:
    [[nodiscard]] Evaluation onOwnTests();

    Model& model_;
    FlatParams& params_;
    Communicator& comm_;
    Roles roles_;
    TakeModel take_;
    bool judges_;  // trains, and so has a part in what is measured
    std::optional<Task> task_;
    EvaluationShares shares_;
};

// In place on all ranks: weights and floating-point buffers become their means over the ranks that train. Collective;
// throws CommError.
void averageModel(FlatParams& params, Communicator& comm, const Roles& roles);
// The same, but the weights become the sum of the ranks' parts; undefined: this rank adds nothing.
void takeNamedModel(const at::Tensor& part, FlatParams& params, Communicator& comm, const Roles& roles);

}  // namespace dasgd
