// Mean, spread and confidence of a few repetitions.
#pragma once

#include <optional>
#include <vector>

namespace dasgd {

struct Sample {
    std::size_t n = 0;  // finite values; the others do not count
    double mean = 0;
    std::optional<double> std;         // with n−1; from two values on
    std::optional<double> confidence;  // half width of the 95 % interval (Student's t)
};

[[nodiscard]] Sample summarise(const std::vector<double>& values);

// Welch's t test, two-sided: how probable a difference of the means as large as this one were, had both samples one
// mean. nullopt where either has fewer than two values, and where neither has any spread: equal repetitions, as of a
// simulation, say nothing of how the next would scatter.
[[nodiscard]] std::optional<double> welchP(const Sample& a, const Sample& b);

// Differences that are less probable than that between equals are called differences.
inline constexpr double kSignificance = 0.05;

// Ratio of the means of two independent samples: its spread from those of both to first order, the interval with
// Welch's degrees of freedom. `n` is that of the smaller sample: where it is 1 there is no interval. n = 0 where either
// is empty or not above 0.
[[nodiscard]] Sample ratioOf(const Sample& over, const Sample& under);
// As of what is divided by itself, which is 1 whatever was measured.
[[nodiscard]] Sample withoutSpread(Sample sample);

// The middle value, or the mean of the two; of at least one.
[[nodiscard]] double median(std::vector<double> values);

// Quantile 0.975 of Student's t distribution.
[[nodiscard]] double studentT975(std::size_t degreesOfFreedom);

}  // namespace dasgd
