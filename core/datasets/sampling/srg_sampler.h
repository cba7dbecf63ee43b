// Importance sampling by the last known norms of the samples' gradients: stochastic reweighted gradient descent (El
// Hanchi and Stephens, arXiv 2103.12293; El Hanchi, Stephens and Maddison, ICML 2022). Each of n samples has a number
// a, 1 at first; sample i is drawn with probability p_i, its gradient is multiplied by 1/(n·p_i), and a_i sometimes
// becomes the norm of that gradient before it was multiplied:
//
//   mixture    with probability θ a uniform sample, whose a is renewed; else i with a_i/Σa, which keeps its a:
//              p_i = θ/n + (1−θ)·a_i/Σa
//   threshold  p = argmin Σ a²/p over p ≥ θ/n (ordered_weights.h); a_i is renewed with probability θ/(n·p_i)
//
// Either way each sample is renewed with probability θ/n a draw, and the gradient's mean is that of uniform samples,
// its second moment at most 1/θ of theirs. A batch has B draws from one p, with replacement.
//
// The mixture's rule is that of published code. Of the paper of 2021 only the abstract was at hand: that its a are
// renewed as rarely is our reading.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dasgd {

// One form of the rule. Samples are numbered from 0.
class SrgForm {
public:
    struct Draw {
        std::size_t sample = 0;
        bool renews = false;  // its number is to be renewed
    };
    virtual ~SrgForm() = default;
    // Two independent numbers in [0, 1).
    [[nodiscard]] virtual Draw draw(double first, double second) const = 0;
    [[nodiscard]] virtual double probability(std::size_t sample) const = 0;
    [[nodiscard]] virtual double norm(std::size_t sample) const = 0;
    virtual void setNorm(std::size_t sample, double norm) = 0;
};

// `form`: "mixture" or "threshold". `floor`: θ, 0 < θ <= 1.
[[nodiscard]] std::unique_ptr<SrgForm> makeSrgForm(const std::string& form, const std::vector<double>& norms,
                                                   double floor);

// Owner: the rank's training thread.
class SrgSampler {
public:
    // `shard`: the rank's samples, numbers in the training set; at least one.
    SrgSampler(std::vector<std::int64_t> shard, std::string form, double floor);

    struct Drawn {
        at::Tensor indices;  // int64 [B], numbers in the training set
        at::Tensor weights;  // float64 [B]: 1/(n·p)
    };
    // Draws a batch; the numbers follow from `seed` and the norms alone.
    [[nodiscard]] Drawn draw(std::int64_t count, std::uint64_t seed);
    // Takes the norms [B] of the samples drawn, in their order; all of them, before the next batch is drawn.
    void learn(const at::Tensor& norms);

    // State between two batches: the norms, float64 [n].
    [[nodiscard]] at::Tensor norms() const;
    void setNorms(const at::Tensor& norms);

private:
    std::vector<std::int64_t> shard_;
    std::string name_;
    double floor_;
    std::unique_ptr<SrgForm> form_;
    std::vector<SrgForm::Draw> drawn_;  // those whose norms are to come
    std::size_t learned_ = 0;           // number of them that have come
};

}  // namespace dasgd
