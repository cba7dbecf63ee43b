// The slow family: all ranks share weights θ, train from them independently, and each round an outer SGD moves θ along
// the mean of the ranks' progress, the outer gradient Δ.
//
//   m = ⟨w⟩    Δ = θ − m    u ← βu + Δ    θ ← θ − α·u    w ← θ
//
// Its settings are SlowMo, BMUF and DiLoCo, which wait for m; Streaming DiLoCo, which sends one fragment of the weights
// at a time, ahead of its outer step; CO2 and eager DiLoCo, which take each Δ one round after it left.
//
// With [compression] each rank's Δ is coded, from the weights θ that all have in common, so that no other reference is
// needed.
//
// Memory besides the weights, N elements each: θ, u where β > 0; m where it is not reduced in the place of w (one
// fragment; everything when one round late), the rank's own Δ of the previous round where it is eager.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/slow/fragments.h"
#include "core/base/fields.h"
#include "core/compression/compressed_mean.h"
#include "core/gpu/flat_ops.h"
#include "core/step/step_context.h"

namespace dasgd {

struct SlowAverageParams {
    std::int64_t period = 4;  // H >= 1: steps of a round, in which every weight has one outer step

    // The outer SGD, in torch's order.
    double learningRate = 1;  // α
    double momentum = 0;      // β, 0 <= β < 1
    bool nesterov = false;    // θ ← θ − α(Δ + βu)
    bool momentumOfRate = false;  // u is in units of the local learning rate: βu is βu·η/η′, η′ that of the step before
    double penalty = 1;  // Λ > 0: Δ is divided by it
    double clip = 0;     // φ: u is cut off at ±φ; 0: it is not. Without Nesterov

    // Fragments take turns, one every H/F steps. A fragment's weights leave δ steps before its outer step and are then
    // mixed with the result: w ← (1−a)θ + a·w.
    std::int64_t fragments = 1;  // F, divides H
    std::int64_t delay = 0;      // δ, 0 <= δ < H/F
    double localWeight = 0;      // a, 0 <= a < 1

    // At the end of a round Δ leaves, and the outer step is made with the one that left a round before; zero at the end
    // of the first. One fragment, no delay. Eager: a rank's own share 1/P of Δ is that of this round, so that θ is no
    // longer the same on all ranks. From present: ⟨w⟩ leaves, and Δ, when it has arrived, is its distance from the
    // present θ instead of the θ that its own round began with; not eager.
    bool oneRoundLate = false;
    bool eager = false;
    bool fromPresent = false;

    // Checks fragments, delay and period together. Errors name these fields.
    [[nodiscard]] std::optional<FieldError> check() const;
};

[[nodiscard]] FieldSpec roundField();
[[nodiscard]] FieldSpec outerRateField();
[[nodiscard]] FieldSpec outerMomentumField();
[[nodiscard]] FieldSpec innerStateField();  // field of type string: "keep" or "reset"

class SlowAverage : public Algorithm, public Checkpointed, public CompressesExchanges, public MeansOfUnevenBatches {
public:
    // `params` have passed check(). `innerState` "reset": each outer step resets the local optimiser.
    explicit SlowAverage(const SlowAverageParams& params, const std::string& innerState = "keep")
        : params_(params), resetsInner_(innerState == "reset") {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override;
    [[nodiscard]] std::optional<FieldError> checkCompression(const CompressionSettings& settings) const override;
    // Nesterov momentum outside sparse feedback: what was kept for long arrives at once, and the outer step makes more
    // of it.
    [[nodiscard]] std::optional<std::string> warnOfCompression(const CompressionSettings& settings) const override;
    void setCompression(std::shared_ptr<const CompressionSettings> settings) override {
        compression_ = std::move(settings);
    }
    void start(StepContext& context) override;
    void afterStep(StepContext& context) override;
    // Drops the average in flight. One round late, the last Δ is dropped with it: no outer step will use it.
    void drain(StepContext& context) override;
    void save(StepContext& context, Archive& archive) override;
    Status load(StepContext& context, const Archive& archive) override;
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.period; }
    [[nodiscard]] bool averagesGradientsOf(std::int64_t) const override { return false; }

private:
    [[nodiscard]] bool inFlight() const {
        return arrived_ || static_cast<bool>(pending_) || (isCoded_ && coded_[turnNumber_]->isUnderWay());
    }
    [[nodiscard]] bool inPlace() const;
    [[nodiscard]] std::int64_t interval() const { return params_.period / params_.fragments; }
    void allocate(StepContext& context);
    void makeCoded(StepContext& context);
    void takeTurn(const StepContext& context, std::int64_t launchedAt);
    // True where what leaves in the present step is coded.
    [[nodiscard]] bool codes(const StepContext& context) const;
    // The exchanges of the present fragment; only where exchanges are coded.
    [[nodiscard]] CompressedMean& coded() { return *coded_[turnNumber_]; }
    [[nodiscard]] bool proceedsAfter(std::int64_t k) const;
    void leave(StepContext& context);
    // Makes mean_, which is ⟨Δ⟩ or nothing yet, of the coded Δ that has arrived.
    void decodeDelta();
    [[nodiscard]] at::Tensor part(const at::Tensor& whole) const;
    [[nodiscard]] std::int64_t mergedBytes() const;

    void launch(StepContext& context);
    void finish(StepContext& context);
    void exchange(StepContext& context);
    void await(StepContext& context);
    void merged(StepContext& context);
    [[nodiscard]] at::Tensor ofVelocity() const;
    [[nodiscard]] OuterStep outerStep(double momentum) const;
    [[nodiscard]] double momentumAt(double rate);

    SlowAverageParams params_;
    bool resetsInner_;
    std::vector<Fragment> fragments_;
    Fragment turn_;  // fragment whose average was launched last
    std::size_t turnNumber_ = 0;
    at::Tensor outer_;     // [N], θ
    at::Tensor velocity_;  // [N], u; none without momentum
    // as large as the largest fragment; none where the mean is formed in the place of the weights
    at::Tensor buffer_;
    at::Tensor mean_;  // the tensor that is sent, a part of buffer_ or of the weights; one round late Δ, or w
    at::Tensor own_;   // [N]: eager, this rank's share of the sent tensor
    double rate_ = 0;  // local learning rate of the last outer step
    Pending pending_;
    bool arrived_ = false;  // mean_ is the mean and not used yet
    std::uint64_t collective_ = 0;
    std::int64_t launchedAt_ = 0;
    std::shared_ptr<const CompressionSettings> compression_;
    std::vector<std::unique_ptr<CompressedMean>> coded_;  // of each fragment; empty where nothing is compressed
    bool isCoded_ = false;                                // true where the average in flight is
};

}  // namespace dasgd
