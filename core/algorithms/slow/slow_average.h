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
// fragment; everything when one round late, or where several fragments are under way at once), as much again for w_s
// where the merge keeps progress, the rank's own Δ of the previous round where it is eager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/slow/fragments.h"
#include "core/algorithms/slow/layers_ahead.h"
#include "core/algorithms/slow/pseudo_gradient_penalty.h"
#include "core/base/schema/fields.h"
#include "core/compression/compressed_mean.h"
#include "core/gpu/flat_ops.h"
#include "core/step/in_flight.h"
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

    // Fragments take turns, one every H/F steps (FragmentTurns). A fragment's weights w_s leave δ steps before its
    // outer step. Where δ >= H/F several fragments are under way at once.
    std::int64_t fragments = 1;         // F, 1 <= F <= H
    std::int64_t delay = 0;             // δ, 0 <= δ < H
    std::string order = "consecutive";  // layers of a fragment: neighbours, or "strided"
    std::string launch = "step";        // one exchange behind the step, or "backward": layers under its backward pass

    // The weights were trained on meanwhile. At the outer step they become
    //   blend     w ← (1−a)θ + a·w
    //   progress  w ← θ + p − λ·p²·(θ − w_s), with p = w − w_s, element by element
    std::string merge = "blend";
    double localWeight = 0;  // a, 0 <= a < 1
    double correction = 0;   // λ >= 0

    // At the end of a round Δ leaves, and the outer step is made with the one that left a round before; zero at the end
    // of the first. One fragment, no delay. Eager: a rank's own share 1/P of Δ is that of this round, so that θ is no
    // longer the same on all ranks. From present: ⟨w⟩ leaves, and Δ, when it has arrived, is its distance from the
    // present θ instead of the θ that its own round began with; not eager.
    bool oneRoundLate = false;
    bool eager = false;
    bool fromPresent = false;

    // Each parameter's Δ is a weighted mean, which leaves outliers out. One fragment, no delay, no local weight.
    PseudoGradientPenaltyParams gradientPenalty;

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
        : params_(params), turns_(params.period, params.fragments, params.delay), resetsInner_(innerState == "reset") {}

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
    // Drops the averages in flight. One round late, the last Δ is dropped with it: no outer step will use it.
    void drain(StepContext& context) override;
    void save(StepContext& context, Archive& archive) override;
    Status load(StepContext& context, const Archive& archive) override;
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.period; }
    [[nodiscard]] bool averagesGradientsOf(std::int64_t) const override { return false; }

protected:
    // θ, [N]; undefined before start().
    [[nodiscard]] const at::Tensor& outerWeights() const { return outer_; }

private:
    // A range of the weights that travels as one.
    struct Sent {
        Fragment range;
        std::size_t number = 0;  // of all ranges of all fragments
        at::Tensor mean;         // is sent, a part of a buffer or of the weights; one round late Δ, or w
        at::Tensor own = {};     // w_s, where the merge keeps progress
        std::size_t part = 0;    // of the flight's transfers
    };
    // An average on its way, or arrived and not used yet.
    struct Flight {
        std::size_t turn = 0;
        std::vector<Sent> sent = {};  // in the order in which they leave
        InFlight transfers = {};
        // Tensors of all ranges, in their order; of w_s none where the merge does not keep progress.
        [[nodiscard]] std::vector<at::Tensor> means() const;
        [[nodiscard]] std::vector<at::Tensor> owns() const;
    };

    [[nodiscard]] bool inPlace() const;
    [[nodiscard]] bool leavesInPass() const { return params_.launch == "backward"; }
    [[nodiscard]] bool keepsProgress() const { return params_.merge == "progress"; }
    void allocate(StepContext& context);
    void allocateBuffers(const at::Tensor& weights);
    void makeCoded(StepContext& context);
    void listen(StepContext& context);
    // The fragment `turn` with its place in the buffers, to which nothing has been written.
    [[nodiscard]] Flight flightOf(StepContext& context, std::size_t turn) const;
    // Begins an average of the fragment `turn`, of which nothing has left yet.
    Flight& beginFlight(StepContext& context, std::size_t turn);
    // True where what leaves in the present step is coded.
    [[nodiscard]] bool codes(const StepContext& context) const;
    [[nodiscard]] CompressedMean& codedOf(const Sent& sent) { return *coded_[sent.number]; }
    // Begins the second stages that leave in the present step.
    void proceed(StepContext& context);

    void launch(StepContext& context, std::size_t turn);
    void leave(StepContext& context, Flight& flight, Sent& sent, bool inPass);
    void send(StepContext& context, Flight& flight, Sent& sent);
    void finishDue(StepContext& context);
    void mergeSent(StepContext& context, const Flight& flight, Sent& sent, double momentum);
    void keepProgress(const Sent& sent, at::Tensor weights) const;
    // The outer step along the Δ that the penalty has made.
    void mergePenalized(StepContext& context, const Flight& flight, Sent& sent, double momentum);
    void exchange(StepContext& context);
    [[nodiscard]] Status loadFlight(StepContext& context, const Archive& archive);
    void merged(StepContext& context, Flight& flight);
    // Makes sent.mean, which is ⟨Δ⟩ or nothing yet, of the coded Δ that has arrived.
    void decodeDelta(const Sent& sent);
    [[nodiscard]] std::int64_t leavingBytes(const Flight& flight, const Sent& sent) const;
    [[nodiscard]] std::int64_t mergedBytes(const Flight& flight, const Sent& sent) const;
    [[nodiscard]] at::Tensor velocityOf(const Fragment& range) const;
    [[nodiscard]] OuterStep outerStep(double momentum) const;
    [[nodiscard]] double momentumAt(double rate);

    SlowAverageParams params_;
    FragmentTurns turns_;
    bool resetsInner_;
    std::vector<std::vector<Fragment>> fragments_;  // ranges of the flat tensors that travel each by itself
    LayersAhead ahead_;
    std::optional<PseudoGradientPenalty> penalty_;  // where it is on
    at::Tensor outer_;                              // [N], θ
    at::Tensor velocity_;                           // [N], u; none without momentum
    // One as large as the largest fragment, or one for each fragment where several are under way at once; none where
    // the mean is formed in the place of the weights.
    std::vector<at::Tensor> buffers_;
    std::vector<at::Tensor> ownBuffers_;  // alike, where the merge keeps progress
    at::Tensor own_;                      // [N]: eager, this rank's share of the sent tensor
    double rate_ = 0;                     // local learning rate of the last outer step
    std::deque<Flight> flights_;          // in the order of their launches
    std::shared_ptr<const CompressionSettings> compression_;
    std::vector<std::unique_ptr<CompressedMean>> coded_;  // by Sent::number; empty where nothing is compressed
};

}  // namespace dasgd
