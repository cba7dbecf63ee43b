// The merge family: average a snapshot while training continues, and merge the mean when it is due.
//
//   s_i = snapshot of worker i at step k, m = mix(s), u_i = w_i − s_i at step k + d
//   w_i ← ξ·w_i + (1−ξ)·(m + c·u_i)
//
// blend: c = 0 (the published rule of DaSGD, arXiv 2006.00441); delta: ξ = 0, c = 1; overwrite: ξ = 0, c = 0. With d =
// 0 the overwrite is Local SGD (arXiv 1805.09767).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/averaging/coded_exchange.h"
#include "core/algorithms/extensions.h"
#include "core/base/schema/fields.h"
#include "core/step/in_flight.h"
#include "core/step/step_context.h"

namespace dasgd {

struct DelayedAverageParams {
    std::int64_t period = 4;      // τ >= 1
    std::int64_t delay = 1;       // d, 0 <= d <= τ: one collective in flight
    double localWeight = 0.25;    // ξ, 0 <= ξ < 1
    double correction = 0;        // c, 0 <= c <= 1
    bool snapshotAtZero = false;  // the first snapshot is the start itself
    std::int64_t offset = 0;      // snapshots at k ≡ offset (mod τ), k > 0; 0 <= offset < τ
    // Treatment of the optimiser's state v (momentum, Adam's means) in a merge:
    //   keep     nothing: v stays the rank's own
    //   reset    v is what it was before the first step
    //   average  v travels beside the weights, in the same collective, and is blended: v ← ξ·v + (1−ξ)·mean(v_s), with
    //            v_s that of the snapshot. The correction does not apply: it could make a mean of squares negative.
    //            Before the first step there is no state, so a snapshot at 0 carries none and its merge changes none.
    std::string optimizerState = "keep";
    // For "average": tensor i of the state, in the optimiser's order, travels with every n_i-th average alone, n_i >=
    // 1, that is with those after steps offset, offset + n_i·τ, …. Empty: all of them travel with each. Where there are
    // fewer numbers than tensors, the last one holds for the rest.
    std::vector<std::int64_t> statePeriods = {};
    // Checks the rules that keep one collective in flight. With a snapshot at zero the next one leaves at `offset`,
    // where that is not 0: it must not come before the merge of the first. Errors name the fields as in DasgdParams.
    [[nodiscard]] std::optional<FieldError> check() const;
};
// Field of a period τ >= 1.
[[nodiscard]] inline FieldSpec periodField(const char* help = "Local steps between averages",
                                           const char* symbol = "τ") {
    return {.min = 1, .max = 1e9, .unit = "steps", .symbol = symbol, .help = help};
}
// Field of a delay d.
[[nodiscard]] inline FieldSpec delayField(const char* help, const char* symbol = "d", double least = 0) {
    return {.min = least, .max = 1e9, .unit = "steps", .symbol = symbol, .help = help};
}
// Delta with d = τ and a snapshot of the start: every merge is followed by the next snapshot at once.
[[nodiscard]] inline DelayedAverageParams deltaOverPeriod(std::int64_t period) {
    return {.period = period, .delay = period, .localWeight = 0, .correction = 1, .snapshotAtZero = true};
}
// Blend with d = τ, ξ = 1 − α and a snapshot of the start: workers are pulled towards the average of a period ago.
[[nodiscard]] inline DelayedAverageParams blendOverPeriod(std::int64_t period, double pull) {
    return {.period = period, .delay = period, .localWeight = 1 - pull, .snapshotAtZero = true};
}
// Patterns of averages of all weights, with the fields "period" and, in the second, "optimizer_state".
[[nodiscard]] CommunicationPattern averagesOfWeights(PatternNumber delay = {});
[[nodiscard]] inline CommunicationPattern averagesWithState(PatternNumber delay = {}) {
    CommunicationPattern pattern = averagesOfWeights(std::move(delay));
    pattern.limits.push_back(averagedStateLimit());
    return pattern;
}
[[nodiscard]] inline FieldSpec optimizerStateField() {
    return {.help = "The optimiser's state at a merge: kept, reset, or averaged with the weights, which sends it too",
            .choices = {"keep", "reset", "average"}};
}
[[nodiscard]] inline FieldSpec statePeriodsField() {
    return {
        .min = 1,
        .max = 1e9,
        .unit = "averages",
        .help =
            "With optimizer_state = \"average\": every so many averages of the weights each tensor of the state "
            "is averaged too, of Adam first the mean, then the mean square: [3, 6]; the last one holds for the rest; "
            "none given: with each"};
}

// Turns the snapshots of all ranks into the tensor that each rank merges. The mean by default.
struct Mixer {
    // Called before the other functions take part in exchange `round` = 0, 1, …, and where that is restored in flight.
    // Empty: all are alike.
    std::function<void(StepContext& context, std::int64_t round)> prepare = nullptr;
    // Factor by which a snapshot is multiplied as it is taken, where that costs nothing; `size` is the number of ranks
    // in the group.
    std::function<double(int size)> scale;
    // Starts mixing the scaled snapshots in place and returns. Empty where a rank has nobody to mix with.
    std::function<std::vector<Pending>(Communicator& comm, at::Tensor& snapshot)> start;
    // Further tensors that start() receives, each as large as the snapshot: once all that it launched has ended, the
    // merge adds them to the snapshot, in their order. Null: none.
    std::shared_ptr<std::vector<at::Tensor>> received = nullptr;
    // Factors of the snapshot and of each tensor received, by which the merge multiplies them first. Null, or empty in
    // a round: none.
    std::shared_ptr<std::vector<double>> factors = nullptr;
};
[[nodiscard]] Mixer meanMixer();

class DelayedAverage : public Algorithm, public Checkpointed, public MeansOfUnevenBatches {
public:
    // `params` have passed check().
    explicit DelayedAverage(const DelayedAverageParams& params, Mixer mixer = meanMixer());

    // A snapshot at zero that has no delay is merged at once.
    void start(StepContext& context) override;
    // Same-step order: merge due → snapshot → launch.
    void afterStep(StepContext& context) override;
    void drain(StepContext& context) override;
    void save(StepContext& context, Archive& archive) override;
    Status load(StepContext& context, const Archive& archive) override;
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.period; }
    [[nodiscard]] bool averagesGradientsOf(std::int64_t) const override { return false; }
    void setMeanWeight(double weight) override { meanWeight_ = weight; }

protected:
    // The functions below are what a derived algorithm may replace.
    // True where a snapshot leaves after its own step k >= 1 (context.ownSteps()). Default: k ≡ offset (mod τ).
    [[nodiscard]] virtual bool leavesAfter(std::int64_t k) const { return (k - params_.offset) % params_.period == 0; }
    // Number of elements that leave, for weights of `size`. Default: all.
    [[nodiscard]] virtual std::int64_t payload(std::int64_t size) const { return size; }
    // Snapshot work: writes the elements that leave to `out` [payload], multiplied by `scale` (1 / the number of ranks
    // of the mean, or 1 where it is coded), and, where the correction needs them, unscaled to snapshot(). From the
    // second time on `out` holds the tensor that was merged last, unless the correction has used it up. Not called in
    // time-only runs. Default: the weights.
    virtual void take(StepContext& context, at::Tensor out, double scale);
    // Merge work: merges `mean` [payload], which may be overwritten. Not called in time-only runs.
    virtual void mergeWeights(StepContext& context, at::Tensor mean);
    // State of its own, by name: saved and restored with the engine's. Tensors that are undefined when training begins
    // are then made with as many zeros as there are weights. Default: none.
    using OwnState = std::vector<std::pair<std::string, at::Tensor*>>;
    [[nodiscard]] virtual OwnState ownState() { return {}; }

    // Called by start() and load(): what codes the exchanges from then on, in place of the mixer. Default: nothing.
    [[nodiscard]] virtual std::unique_ptr<CodedExchange> makeCoded(StepContext& /*context*/) { return nullptr; }
    // Snapshot work, over codedAsBytes(), called when what leaves has been coded. Default: does nothing.
    virtual void codedAs(StepContext& /*context*/, CodedExchange& /*coded*/) {}
    [[nodiscard]] virtual std::int64_t codedAsBytes(const CodedExchange& /*coded*/) const { return 0; }

    [[nodiscard]] at::Tensor& snapshot() { return snapshot_; }                      // [payload]
    [[nodiscard]] std::int64_t launchedAt() const { return flight_.launchedAt(); }  // step of the newest snapshot
    [[nodiscard]] const DelayedAverageParams& params() const { return params_; }

private:
    void makeOwnState(StepContext& context);
    // True where the second stage of a coded exchange leaves in this step: half-way to the merge.
    [[nodiscard]] bool proceedsAfter(std::int64_t k) const;
    void average(StepContext& context);
    void launch(StepContext& context);
    void merge(StepContext& context);
    void mergeState(StepContext& context);
    void averageInPlace(StepContext& context);
    // Tensors of the optimiser's state that are averaged with the weights; [N] each.
    [[nodiscard]] std::vector<at::Tensor> averagedState(StepContext& context) const;
    // Those of `state` that leave with the average of step `launchedAt`.
    [[nodiscard]] std::vector<at::Tensor> leavingState(const StepContext& context, std::vector<at::Tensor> state,
                                                       std::int64_t launchedAt) const;
    // Elements `begin` … `begin` + `size` − 1 of each tensor that the mixer received.
    [[nodiscard]] std::vector<at::Tensor> received(std::int64_t begin, std::int64_t size) const;
    // Bytes of the spans of a snapshot and a merge (core/cost/memory/memory_passes.h), for weights of `size`.
    [[nodiscard]] std::int64_t takenBytes(std::int64_t size) const;
    [[nodiscard]] std::int64_t mergedBytes(std::int64_t size) const;
    // Multiplies what is merged by the mixer's factors.
    void weigh();
    // Parts of mean_, for weights of `size`: the elements that leave, and part 0, 1, … of the state after them.
    [[nodiscard]] at::Tensor ofWeights(std::int64_t size) const { return mean_.narrow(0, 0, payload(size)); }
    [[nodiscard]] at::Tensor ofState(std::int64_t part, std::int64_t size) const;

    DelayedAverageParams params_;
    Mixer mixer_;
    at::Tensor mean_;      // [payload + N for each tensor of state]: the snapshot on its way to being the mean
    at::Tensor snapshot_;  // [payload]: kept only where the correction needs it
    InFlight flight_;
    std::int64_t exchanges_ = 0;            // number launched
    double meanWeight_ = 1;                 // factor on what leaves, of ranks that are weighed
    std::unique_ptr<CodedExchange> coded_;  // null where nothing is compressed
};

// The engine with the mean of all ranks, which can be compressed.
class DelayedMean : public DelayedAverage, public CompressesExchanges {
public:
    explicit DelayedMean(const DelayedAverageParams& params) : DelayedAverage(params) {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override;
    [[nodiscard]] std::optional<FieldError> checkCompression(const CompressionSettings& settings) const override;
    void setCompression(std::shared_ptr<const CompressionSettings> settings) override {
        compression_ = std::move(settings);
    }

    // Coded exchanges are differences from a point that all have in common: a weight on them would not be one of ranks.
    [[nodiscard]] bool weighsRanks() const override { return !compression_; }

protected:
    // True where what leaves is gradients, which are coded as they are. Default: weights.
    [[nodiscard]] virtual bool averagesGradients() const { return false; }

private:
    [[nodiscard]] std::unique_ptr<CodedExchange> makeCoded(StepContext& context) override;

    std::shared_ptr<const CompressionSettings> compression_;
};

}  // namespace dasgd
