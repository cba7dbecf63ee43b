// Serial versions of all algorithms of the registry in float64, for models of any size: what each does to the gradients
// and the weights of all workers, written from its paper's equations. With one setting each; tests of the algorithms
// themselves (tests/core/algorithms) vary the settings, on three weights in plain doubles.
#pragma once

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/document.h"

namespace dasgd::test {

// [N] float64 of each worker. Tensors may be shared, so that none is changed in place.
using Vectors = std::vector<at::Tensor>;

struct SerialRule {
    using Change = std::function<void(std::int64_t k, Vectors& of)>;
    Change gradients = nullptr;  // before local step k
    Change weights = nullptr;    // after it
};

// What a rule knows besides. Outlives it.
struct SerialView {
    at::Tensor start;  // of all workers
    std::size_t workers = 0;
    double rate = 0;                               // η
    std::vector<double> losses = {};               // of steps 1, 2, … so far, means over the workers
    std::function<Vectors(std::int64_t k)> ranks;  // what they had after step k: for what is drawn by them alone
};

inline at::Tensor meanOf(const Vectors& all) { return torch::stack(all).mean(0); }
inline void takeMean(Vectors& all) { all.assign(all.size(), meanOf(all)); }

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

// x = (1−α)x + αz; u = βu + (z−x)/η; z = ⟨z−ηu⟩. α = 0.6, β = 0.7.
inline SerialRule pullsToAnchor(const SerialView& view) {
    Vectors zero(view.workers, torch::zeros_like(view.start));
    return {.weights = [eta = view.rate, z = view.start, u = std::move(zero)](std::int64_t k, Vectors& x) mutable {
        if (k % 4 != 0) return;
        Vectors leaving;
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] = x[i] * 0.4 + z * 0.6;
            u[i] = u[i] * 0.7 + (z - x[i]) / eta;
            leaving.push_back(z - u[i] * eta);
        }
        z = meanOf(leaving);
    }};
}

// x = (1−α)x + αz; z = (1−Pα)z + αΣx, both of the old values. α = 0.1.
inline SerialRule pullsElastically(const SerialView& view) {
    return {.weights = [z = view.start](std::int64_t k, Vectors& x) mutable {
        if (k % 4 != 0) return;
        const at::Tensor sum = torch::stack(x).sum(0), old = z;
        z = old * (1 - 0.1 * static_cast<double>(x.size())) + sum * 0.1;
        for (at::Tensor& one : x) one = one * 0.9 + old * 0.1;
    }};
}

// τ ← ⌈τ₀·√(F/F₀)⌉, or ⌈τ/2⌉ where that is not smaller; F as known in step k, of step k − 1. τ₀ = 6, chosen anew after
// 4 steps at the earliest.
inline SerialRule averagesAsTheLossAsks(const SerialView& view) {
    struct Periods {
        std::int64_t tau = 6, averaged = 0, chosen = 0;
        bool begun = false;
    };
    return {.weights = [&view, at = Periods()](std::int64_t k, Vectors& w) mutable {
        if (k != at.averaged + at.tau) return;
        takeMean(w);
        at.averaged = k;
        if (!std::exchange(at.begun, true) || k - at.chosen < 4) return;
        at.chosen = k;
        const double ratio = view.losses[static_cast<std::size_t>(k - 2)] / view.losses[0];
        const auto wanted = static_cast<std::int64_t>(std::ceil(6 * std::sqrt(ratio)));
        at.tau = wanted < at.tau ? wanted : (at.tau + 1) / 2;
    }};
}

// gᵢ ← gᵢ + ⟨Gᵢ⟩ − Gᵢ three steps after the sum G of four gradients left.
inline SerialRule replacesGradients(const SerialView& view) {
    const Vectors zero(view.workers, torch::zeros_like(view.start));
    return {.gradients = [zero, sum = zero, left = zero](std::int64_t k, Vectors& g) mutable {
        for (std::size_t i = 0; i < g.size(); ++i) sum[i] = sum[i] + g[i];
        if (k > 4 && k % 4 == 3) {
            const at::Tensor m = meanOf(left);
            for (std::size_t i = 0; i < g.size(); ++i) g[i] = g[i] + m - left[i];
        }
        if (k % 4 == 0) left = std::exchange(sum, zero);
    }};
}

// x(t) = Σⱼ Wᵢⱼ·xⱼ(t−τ) + the local steps since; W of a ring of more than two.
inline SerialRule mixesOnARing(const SerialView& view) {
    return {.weights = [before = Vectors(view.workers, view.start)](std::int64_t k, Vectors& x) mutable {
        if (k % 4 != 0) return;
        const std::size_t size = x.size();
        for (std::size_t i = 0; i < size; ++i) {
            const at::Tensor mixed = (before[i] + before[(i + 1) % size] + before[(i + size - 1) % size]) / 3;
            x[i] = mixed + (x[i] - before[i]);
        }
        before = x;
    }};
}

// x_j = m_j + (z_j − y_j) for j in the mask, z_j otherwise, y being of one step in four and z of three steps later. The
// ranks draw the mask: here it is where what they had is nearer to the merged value, a quarter of all at most.
inline SerialRule mergesAMask(const SerialView& view) {
    return {.weights = [&view, y = Vectors()](std::int64_t k, Vectors& z) mutable {
        if (k % 4 == 1) y = z;
        if (k % 4 != 0) return;
        const at::Tensor m = meanOf(y), elements = torch::zeros_like(m);
        const Vectors seen = view.ranks(k);
        at::Tensor ifMerged = elements, ifNot = elements;
        for (std::size_t i = 0; i < z.size(); ++i) {
            ifMerged = ifMerged + (m + (z[i] - y[i]) - seen[i]).abs();
            ifNot = ifNot + (z[i] - seen[i]).abs();
        }
        const at::Tensor mask = ifMerged < ifNot;
        // Weights that no worker has changed, of units that no digit reached, do not tell.
        const double share = mask.to(at::kDouble).mean().item<double>();
        EXPECT_LT(share, 0.26) << "step " << k;
        EXPECT_GT(share, 0.02) << "step " << k;
        for (std::size_t i = 0; i < z.size(); ++i) z[i] = torch::where(mask, m + (z[i] - y[i]), z[i]);
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

// G = ⟨w⟩ − θ, D = βD + G, θ = θ + D. β = 0.5.
inline SerialRule filtersBlocks(const SerialView& view) {
    return {.weights = [theta = view.start, d = torch::zeros_like(view.start)](std::int64_t k, Vectors& w) mutable {
        if (k % 4 != 0) return;
        d = d * 0.5 + (meanOf(w) - theta);
        theta = theta + d;
        w.assign(w.size(), theta);
    }};
}

// u = βu + (θ − ⟨w⟩)/η, θ −= ηu. β = 0.5.
inline SerialRule movesSlowly(const SerialView& view) {
    return {.weights = [eta = view.rate, theta = view.start, u = torch::zeros_like(view.start)](std::int64_t k,
                                                                                                Vectors& w) mutable {
        if (k % 4 != 0) return;
        u = u * 0.5 + (theta - meanOf(w)) / eta;
        theta = theta - u * eta;
        w.assign(w.size(), theta);
    }};
}

// u = βu + θ − ⟨w⟩ of the round before, θ −= u; nothing after the first round. β = 0.5.
inline SerialRule movesARoundLate(const SerialView& view) {
    return {.weights = [theta = view.start, u = torch::zeros_like(view.start), late = view.start](std::int64_t k,
                                                                                                  Vectors& w) mutable {
        if (k % 4 != 0) return;
        u = u * 0.5 + (theta - late);
        late = meanOf(w);
        theta = theta - u;
        w.assign(w.size(), theta);
    }};
}

inline SerialOuterSgd outerOf(const SerialView& view) {
    return {.rate = 0.7, .momentum = 0.9, .nesterov = true, .theta = view.start};
}

inline SerialRule stepsOutside(const SerialView& view) {
    return {.weights = [outer = outerOf(view)](std::int64_t k, Vectors& w) mutable {
        if (k % 4 != 0) return;
        outer.step(outer.theta - meanOf(w));
        w.assign(w.size(), outer.theta);
    }};
}

// ⟨Δ⟩ of the round before + (Δᵢ − Δᵢ of the round before)/P.
inline SerialRule stepsEagerly(const SerialView& view) {
    const Vectors zero(view.workers, torch::zeros_like(view.start));
    std::vector<SerialOuterSgd> outer(view.workers, outerOf(view));
    return {.weights = [outer = std::move(outer), before = zero](std::int64_t k, Vectors& w) mutable {
        if (k % 4 != 0) return;
        const at::Tensor stale = meanOf(before);
        for (std::size_t i = 0; i < w.size(); ++i) {
            const at::Tensor fresh = outer[i].theta - w[i];
            outer[i].step(stale + (fresh - before[i]) / static_cast<double>(w.size()));
            before[i] = fresh;
            w[i] = outer[i].theta;
        }
    }};
}

// Elements [0, cut) and the others in turn: an outer step every two steps, of weights that left one step before, mixed
// half and half with what was trained meanwhile.
inline SerialRule stepsOnFragments(const SerialView& view, std::int64_t cut) {
    const std::int64_t size = view.start.numel();
    std::vector<SerialOuterSgd> outer;
    for (const at::Tensor& part : view.start.split_with_sizes({cut, size - cut})) {
        outer.push_back({.rate = 0.7, .momentum = 0.9, .nesterov = true, .theta = part});
    }
    return {.weights = [=, left = view.start](std::int64_t k, Vectors& w) mutable {
        if (k % 2 == 1) {
            left = meanOf(w);
            return;
        }
        const auto turn = static_cast<std::size_t>((k / 2 - 1) % 2);
        const std::int64_t begin = turn == 0 ? 0 : cut, length = turn == 0 ? cut : size - cut;
        outer[turn].step(outer[turn].theta - left.narrow(0, begin, length));
        for (at::Tensor& one : w) {
            at::Tensor mixed = one.clone();
            mixed.narrow(0, begin, length).copy_((one.narrow(0, begin, length) + outer[turn].theta) / 2);
            one = mixed;
        }
    }};
}

// Half of what a worker has goes to the one 1 or, every second time, 2 further on. Among four all push-sum weights
// stay 1.
inline SerialRule pushesHalves() {
    return {.weights = [](std::int64_t k, Vectors& x) {
        const Vectors before = x;
        const std::size_t offset = k % 2 == 1 ? 1 : 2;
        for (std::size_t i = 0; i < x.size(); ++i)
            x[(i + offset) % x.size()] = (before[i] + before[(i + offset) % x.size()]) / 2;
    }};
}

struct SerialOracle {
    Fields fields;  // of the algorithm, its name apart
    std::function<SerialRule(const SerialView&)> rule;
};

// By the algorithm's name. `cut`: where the model's layers come nearest to two equal parts.
inline std::map<std::string, SerialOracle> serialOracles(std::int64_t cut) {
    constexpr std::int64_t kAlways = 1'000'000;
    const auto every4 = [](Fields more) {
        more.emplace_back("period", integer(4));
        return more;
    };
    const auto alone = [](const SerialView&) { return SerialRule{}; };
    const auto together = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kAlways)}; };
    const auto postLocal = [](const SerialView&) {
        return SerialRule{.gradients = averagesUntil(10), .weights = [](std::int64_t k, Vectors& w) {
                              if (k > 10 && k % 4 == 0) takeMean(w);
                          }};
    };
    const auto merged = [](const SerialMergeSetting& setting) {
        return [setting](const SerialView& view) { return merges(setting, view); };
    };
    const Fields outer{{"outer_learning_rate", number(0.7)}, {"outer_momentum", number(0.9)}};
    const Fields fragments{{"fragments", integer(2)},
                           {"delay", integer(1)},
                           {"local_weight", number(0.5)},
                           {"outer_learning_rate", number(0.7)},
                           {"outer_momentum", number(0.9)}};
    const Fields slow{{"slow_momentum", number(0.5)}, {"slow_learning_rate", number(1)}};
    return {
        {"independent", {{}, alone}},
        {"probe",
         {{{"alone", integer(8)}, {"overlapped", integer(8)}, {"sizes", integer(2)}, {"repeats", integer(1)}}, alone}},
        {"sync_sgd", {{{"first_bucket_mb", number(0.01)}, {"bucket_mb", number(0.05)}}, together}},
        {"ssp", {{{"staleness", integer(0)}}, together}},
        {"post_local_sgd", {every4({{"sync_steps", integer(10)}}), postLocal}},
        {"local_sgd", {every4({}), merged({4, 0, 0, 0})}},
        {"dasgd",
         {every4({{"delay", integer(3)}, {"local_weight", number(0.25)}, {"correction", number(0.5)}}),
          merged({4, 3, 0.25, 0.5})}},
        {"cocod_sgd", {every4({}), merged({4, 4, 0, 1, true})}},
        {"overlap_local_sgd", {every4({{"pull", number(0.6)}, {"slow_momentum", number(0.7)}}), pullsToAnchor}},
        {"easgd", {every4({{"pull", number(0.1)}}), pullsElastically}},
        {"adacomm", {{{"period", integer(6)}, {"interval", integer(4)}}, averagesAsTheLossAsks}},
        {"dga", {every4({{"delay", integer(3)}}), replacesGradients}},
        {"oldsgd", {every4({}), mixesOnARing}},
        {"loscar", {every4({{"delay", integer(3)}, {"share", number(0.25)}}), mergesAMask}},
        {"bmuf", {every4(slow), filtersBlocks}},
        {"slowmo", {every4(slow), movesSlowly}},
        {"co2", {every4(slow), movesARoundLate}},
        {"diloco", {every4(outer), stepsOutside}},
        {"eager_diloco", {every4(outer), stepsEagerly}},
        {"streaming_diloco",
         {every4(fragments), [cut](const SerialView& view) { return stepsOnFragments(view, cut); }}},
        {"sgp", {{{"peers", integer(1)}}, [](const SerialView&) { return pushesHalves(); }}},
    };
}

}  // namespace dasgd::test
