// Measures the mean model ⟨w⟩, or the one that the algorithm names, on the test set and the validation set, and the
// distance of the replicas from it. On a real cluster all ranks meet for it, each judging its share; for the virtual
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
#include "core/train/evaluation/evaluation_report.h"

namespace dasgd {

// Records the report as metrics with step, samples and bytes as in `at` and the instant `wall`. Values that are NaN are
// not recorded: accuracy without classes, perplexity without text.
void record(const EvaluationReport& report, Metric at, Ns wall, EventSink& sink);

// The part of a test set that one rank judges.
struct TestShare {
    Samples samples;     // the whole set; none for a model that needs no data
    at::Tensor indices;  // the rank's samples
    at::ScalarType type = at::kFloat;
    TensorDevice* bring = nullptr;  // brings the batches to the device; null: they are made where they are used
};
// Rank `rank`'s part: every `ranks`-th sample, so that sets sorted by class are shared out evenly; of continuous
// samples the rank's contiguous part.
[[nodiscard]] TestShare shareOf(const SamplePlaces::Placed& test, Rank rank, int ranks, at::ScalarType type);
[[nodiscard]] inline TestShare shareOf(const Samples& test, Rank rank, int ranks, at::ScalarType type) {
    return shareOf(SamplePlaces::Placed{test}, rank, ranks, type);
}

// Judges the model with its present weights. Neither changes them nor communicates. Continuous samples are judged in up
// to 16 rows side by side, each continuing from batch to batch, and those that do not fill the rows in one row after
// them. Sums on a device stay there: nobody waits.
[[nodiscard]] Evaluation evaluateOn(Model& model, const TestShare& share);

// Sets that a model is judged on. `validation` is empty where nothing is set apart; so is `test` for a model that needs
// no data.
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

// Evaluations of the mean and of a rank's replica on the rank's shares.
struct ShareEvaluation {
    Evaluation mean, replica, validation;  // `validation`: of the mean
};
[[nodiscard]] Evaluation evaluateValidation(Model& model, const EvaluationShares& shares);
// One rank's summands of a report, on the host; `distance`: the squared one between mean and replica. Where the sums
// are on `device`, the host waits for it here, once.
[[nodiscard]] at::Tensor summandsOf(const ShareEvaluation& found, const DeviceSum& distance,
                                    at::Device device = at::kCPU);
// Report from `sums`, the sums of all ranks' summands. `task`: that of the test set; empty where there is none.
[[nodiscard]] EvaluationReport reportOf(const at::Tensor& sums, int ranks, std::optional<Task> task);
[[nodiscard]] std::optional<Task> taskOf(const Samples& test);
[[nodiscard]] DeviceSum squaredDistance(const at::Tensor& weights, const at::Tensor& others);

// A copy of the floating-point buffers in one tensor; undefined where there are none.
[[nodiscard]] at::Tensor copyOfBuffers(const FlatParams& params);
void setBuffers(const FlatParams& params, const at::Tensor& flat);
// The buffers that are no floating-point numbers, as BatchNorm's counters of batches, in one tensor, int64; undefined
// where there are none.
[[nodiscard]] at::Tensor copyOfCounters(const torch::nn::Module& module);
void setCounters(torch::nn::Module& module, const at::Tensor& flat);
// Replaces the counters by the largest of all ranks: where the model is cut into stages a rank counts the batches of
// its own layers alone. Collective; throws CommError.
void takeLargestCounters(torch::nn::Module& module, Communicator& comm);

class Evaluator {
public:
    // Replaces this rank's weights and buffers by those to evaluate, which are the same on every rank. Collective.
    using TakeModel = std::function<void()>;

    // All references outlive the evaluator. Without `take`: the mean of the ranks that train.
    Evaluator(Model& model, FlatParams& params, Communicator& comm, const EvaluationSets& sets, Roles roles,
              TakeModel take = nullptr);

    // Collective over all ranks; those that serve have no share of the sets. Leaves weights and buffers as they were.
    // `whileTaken`, if given, is called while the evaluated ones are in their place. Throws CommError.
    [[nodiscard]] EvaluationReport evaluate(const std::function<void()>& whileTaken = nullptr);
    // Replaces weights and buffers by the evaluated ones. Collective over all ranks. Throws CommError.
    void takeModel() { take_(); }

private:
    [[nodiscard]] Evaluation onOwnTests();
    // True where this rank's own weights are judged too.
    [[nodiscard]] bool judgesReplica() const { return judges_ && roles_.wholeReplicas(); }

    Model& model_;
    FlatParams& params_;
    Communicator& comm_;
    Roles roles_;
    TakeModel take_;
    bool judges_;  // trains, and so has a part in what is measured
    std::optional<Task> task_;
    EvaluationShares shares_;
};

// Replaces weights and floating-point buffers on all ranks by their means over the ranks that train. Collective; throws
// CommError.
void averageModel(FlatParams& params, Communicator& comm, const Roles& roles);
// Replaces the weights by the sum of the ranks' parts, of which an undefined one adds nothing, and buffers by the sum
// of theirs; undefined, on every rank: by their means.
void takeNamedModel(const at::Tensor& part, FlatParams& params, Communicator& comm, const Roles& roles,
                    const at::Tensor& buffers = {});

}  // namespace dasgd
