// The penalty on pseudo-gradients of EDiT (Cheng et al., ICLR 2025, arXiv 2412.07210), for outer steps that wait for
// their averages. Of each parameter, with Δᵢ = θ − wᵢ of rank i and nᵢ its norm:
//
//   rank i is an outlier where nᵢ stands out of its own past; then Δᵢ = 0, and nᵢ + 10⁶ counts in its place
//   Δ = Σᵢ aᵢΔᵢ with a = softmax(−n/T) over the ranks
//   Δ ← Δ·min(1, φ/(‖Δ‖ + 10⁻⁶)), with the norm over all parameters, where φ > 0
//
// and an outer step along Δ. Where all ranks are outliers the parameter and its momentum stay as they are.
//
// The rule is that of the authors' code (intelligent-machine-learning/dlrover, atorch/atorch/local_sgd:
// anomaly_detection.py, DDP/outer_optim_model_averager.py), which treats parameters one by one. Past norms have an
// exponentially weighted mean and variance of rate 0.02, from 0 on; n is an outlier where its z-score is above
// z₀·max(1, s), s the deviation of the last W scores, after the first W norms that were none. The layer-wise averages
// of EDiT beside the forward pass are not part of it.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/algorithms/slow/fragments.h"
#include "core/base/schema/fields.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"

namespace dasgd {

struct PseudoGradientPenaltyParams {
    bool on = false;
    std::int64_t warmup = 120;  // W >= 2, rounds
    double threshold = 3;       // z₀ > 0
    double temperature = 1;     // T > 0
    double clip = 0;            // φ >= 0; 0: nothing is cut off
    void visit(auto&& f) {
        f(on, "penalty",
          {.help = "Weigh each worker's outer gradient by its norm, parameter by parameter, and leave out those whose "
                   "norm stands out of its past, as EDiT does"});
        f(warmup, "penalty_warmup",
          {.min = 2, .max = 1e6, .unit = "rounds", .symbol = "W", .help = "Norms before the first that can stand out"});
        f(threshold, "penalty_threshold",
          {.min = 0,
           .max = 1e6,
           .minOpen = true,
           .symbol = "z₀",
           .help = "Deviations above the mean from which on a norm stands out"});
        f(temperature, "penalty_temperature",
          {.min = 0,
           .max = 1e12,
           .minOpen = true,
           .symbol = "T",
           .help = "Scale of the norms in the workers' weights: the larger, the more equal these are"});
        f(clip, "penalty_clip",
          {.min = 0, .max = 1e12, .symbol = "φ", .help = "Largest norm of the outer gradient; 0: any"});
    }
};

// Detects norms that stand out of those before them.
class NormScreen {
public:
    NormScreen(std::int64_t warmup, double threshold) : warmup_(warmup), threshold_(threshold) {}
    [[nodiscard]] bool standsOut(double norm) const;
    // Adds a norm that does not stand out.
    void add(double norm);
    // All of its state, of the same length always, and back.
    [[nodiscard]] std::vector<double> state() const;
    void setState(const double* numbers);
    [[nodiscard]] static std::int64_t stateLength(std::int64_t warmup) { return 4 + warmup; }

private:
    [[nodiscard]] double scoreOf(double norm) const;

    std::int64_t warmup_;
    double threshold_;
    double mean_ = 0, variance_ = 0;
    std::int64_t count_ = 0;
    std::deque<double> scores_;  // at most W
};

class PseudoGradientPenalty {
public:
    explicit PseudoGradientPenalty(const PseudoGradientPenaltyParams& params) : params_(params) {}

    // Called once, first.
    void start(StepContext& context);
    // Tells all ranks the norms of each other's Δ, and waits. Throws CommError.
    void meet(StepContext& context, const at::Tensor& outer);
    // Snapshot work, after meet(): out ← a·(outer − weights), this rank's summand of Δ.
    void weigh(const at::Tensor& outer, const at::Tensor& weights, at::Tensor out) const;
    // Merge work: cuts Δ off.
    void clip(at::Tensor delta) const;
    // The ranges of the flat tensors that are treated each by itself, and which of them have an outer step.
    [[nodiscard]] const std::vector<Fragment>& ranges() const { return ranges_; }
    [[nodiscard]] bool moves(std::size_t range) const { return moves_[range]; }
    void save(Archive& archive) const;
    // After start(). Errors: state that is missing or of another model.
    [[nodiscard]] Status load(const Archive& archive);

private:
    void measure(const at::Tensor& outer, const at::Tensor& weights);
    void share(int rank, int ranks);

    PseudoGradientPenaltyParams params_;
    std::vector<Fragment> ranges_;
    std::vector<NormScreen> screens_;  // of each range
    at::Tensor own_, all_;             // [ranges], [ranks · ranges], float64: norms; of outliers −(n + 10⁶)
    std::vector<double> shares_;       // a of this rank, 0 where its Δ is
    std::vector<bool> moves_;
};

}  // namespace dasgd
