// The merge family: average a snapshot while training goes on, merge the mean when it is due.
//
//   s_i = snapshot of worker i at step k, m = mix(s), u_i = w_i − s_i at step k + d
//   w_i ← ξ·w_i + (1−ξ)·(m + c·u_i)
//
// blend: c = 0 (the published rule of DaSGD, arXiv 2006.00441); delta: ξ = 0, c = 1; overwrite: ξ = 0, c = 0. With d =
// 0 the overwrite is Local SGD (arXiv 1805.09767).
#pragma once

#include <cstdint>
#include <functional>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/step/step_context.h"

namespace dasgd {

struct DelayedAverageParams {
    std::int64_t period = 4;      // τ >= 1
    std::int64_t delay = 1;       // d, 0 <= d <= τ: one collective in flight
    double localWeight = 0.25;    // ξ, 0 <= ξ < 1
    double correction = 0;        // c, 0 <= c <= 1
    bool snapshotAtZero = false;  // the first snapshot is the start itself
    std::int64_t offset = 0;      // snapshots at k ≡ offset (mod τ), k > 0
};

// Turns the snapshots of all ranks into what each merges. The mean unless told otherwise.
struct Mixer {
    // Factor that a snapshot is multiplied by as it is taken, where it costs nothing; of a group of `size` ranks.
    std::function<double(int size)> scale;
    // In place, over scaled snapshots; starts and returns.
    std::function<Pending(Communicator& comm, at::Tensor& snapshot)> start;
};
[[nodiscard]] Mixer meanMixer();

class DelayedAverage final : public Algorithm, public Checkpointed {
public:
    explicit DelayedAverage(const DelayedAverageParams& params, Mixer mixer = meanMixer());

    void start(StepContext& context) override;
    // Same-step order: merge due → snapshot → launch.
    void afterStep(StepContext& context) override;
    void drain(StepContext& context) override;
    void save(StepContext& context, Archive& archive) override;
    Status load(StepContext& context, const Archive& archive) override;
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.period; }

private:
    // An average that was launched and is not merged yet.
    [[nodiscard]] bool inFlight() const { return arrived_ || static_cast<bool>(pending_); }
    // Waits for it, where that has not been done.
    void await(StepContext& context);
    void launch(StepContext& context);
    void merge(StepContext& context);
    void mix(at::Tensor& weights);
    void averageInPlace(StepContext& context);

    DelayedAverageParams params_;
    Mixer mixer_;
    at::Tensor mean_;      // [N]: the snapshot on its way to being the mean
    at::Tensor snapshot_;  // [N]: kept only where the correction needs it
    Pending pending_;
    bool arrived_ = false;  // mean_ is the mean, awaited by a save before its merge was due
    std::uint64_t collective_ = 0;
    std::int64_t launchedAt_ = 0;
};

}  // namespace dasgd
