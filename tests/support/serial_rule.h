// A serial version of an algorithm in float64, for a model of any size: what the rule does to the gradients and the
// weights of all workers, written from the paper's equations, and parts that several rules share. The algorithm's test
// registers it for one setting (tests/support/algorithm_trials.h), and varies the settings on three weights in plain
// doubles (tests/support/quadratic_oracle.h).
#pragma once

#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace dasgd::test {

// [N] float64 of each worker. Tensors may be shared, so that none is changed in place.
using Vectors = std::vector<at::Tensor>;

struct SerialRule {
    using Change = std::function<void(std::int64_t k, Vectors& of)>;
    Change gradients = nullptr;  // before local step k
    Change weights = nullptr;    // after it
};

// The training that a rule is part of. Outlives the rule.
struct SerialView {
    at::Tensor start;  // weights of all workers before step 1
    std::size_t workers = 0;
    double rate = 0;                         // η
    std::vector<std::int64_t> layers = {};   // elements of each, in order; their sum is the start's size
    std::vector<std::int64_t> tensors = {};  // elements of each parameter tensor, in order; their sum is the same
    std::vector<double> losses = {};         // of steps 1, 2, … so far, means over the workers
    std::vector<std::vector<double>> workerLosses = {};  // the same of each worker, [step][worker]
    // Weights that the ranks under test had after step k: for rules that draw numbers of their own.
    std::function<Vectors(std::int64_t k)> ranks = nullptr;

    // The first elements that are whole layers and come nearest to half of all.
    [[nodiscard]] std::int64_t cutNearestToHalf() const {
        std::int64_t best = 0, end = 0;
        for (const std::int64_t layer : layers) {
            end += layer;
            if (std::abs(2 * end - start.numel()) < std::abs(2 * best - start.numel())) best = end;
        }
        return best;
    }
};

inline at::Tensor meanOf(const Vectors& all) { return torch::stack(all).mean(0); }
inline void takeMean(Vectors& all) { all.assign(all.size(), meanOf(all)); }

inline constexpr std::int64_t kEveryStep = 1'000'000;
// Synchronous SGD in the first `steps` steps.
inline SerialRule::Change averagesUntil(std::int64_t steps) {
    return [steps](std::int64_t k, Vectors& gradients) {
        if (k <= steps) takeMean(gradients);
    };
}

// w ← ξw + (1−ξ)(m + c(w − s)), with s the worker's and m the mean of all weights d steps ago.
struct SerialMergeSetting {
    std::int64_t period, delay;
    double xi, c;
    bool atZero = false;
};
inline SerialRule merges(const SerialMergeSetting& s, const SerialView& view) {
    const auto merge = [s](const Vectors& left, Vectors& w) {
        const at::Tensor m = meanOf(left);
        for (std::size_t i = 0; i < w.size(); ++i) {
            w[i] = w[i] * s.xi + (m + (w[i] - left[i]) * s.c) * (1 - s.xi);
        }
    };
    const std::int64_t first = s.atZero ? s.delay : 0;
    return {.weights = [=, left = Vectors(view.workers, view.start), due = first](std::int64_t k, Vectors& w) mutable {
        if (k == due) merge(left, w);
        if (k % s.period != 0) return;
        left = w;
        due = k + s.delay;
        if (s.delay == 0) merge(left, w);
    }};
}

// torch.optim.SGD along Δ.
struct SerialOuterSgd {
    double rate, momentum;
    bool nesterov;
    at::Tensor theta, velocity = torch::zeros_like(theta);

    void step(const at::Tensor& delta) {
        velocity = velocity * momentum + delta;
        theta = theta - (nesterov ? delta + velocity * momentum : velocity) * rate;
    }
};

// The outer optimiser of DiLoCo and its relatives.
inline SerialOuterSgd outerOf(const SerialView& view) {
    return {.rate = 0.7, .momentum = 0.9, .nesterov = true, .theta = view.start};
}

}  // namespace dasgd::test
