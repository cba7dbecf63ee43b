// Mean, spread and confidence of a few repetitions.
#pragma once

#include <optional>
#include <vector>

namespace dasgd {

// Mean of repetitions with its spread.
struct Sample {
    std::size_t n = 0;  // finite values; the others do not count
    double mean = 0;
    std::optional<double> std;         // with n−1; from two values on
    std::optional<double> confidence;  // half width of the 95 % interval (Student's t)
};

[[nodiscard]] Sample summarise(const std::vector<double>& values);
// summarise() without the interval, which costs a quantile: for every point of a curve.
[[nodiscard]] Sample meanAndStd(const std::vector<double>& values);
// summarise() for simulated times and for values formed from them, such as the hidden share. Times that are all equal
// are one draw and not repetitions: nothing scatters in the simulation, or its scatter has one seed. Such a sample has
// no spread, as the next draw might be anything. Measured values that agree are repetitions: summarise().
[[nodiscard]] Sample summariseTimes(const std::vector<double>& values);
inline constexpr const char* kOneDrawInWords =
    "a time without ± over several seeds is simulated and the same with each of them: one draw, without an interval";
// True where several values are one draw.
[[nodiscard]] inline bool isOneDraw(const Sample& times) { return times.n > 1 && !times.std; }

// Welch's t test, two-sided: the probability of a difference of the means as large as this one if both samples had one
// mean. nullopt where either has no spread, and where the spread of both is 0: equal repetitions, such as a
// simulation's, do not show how the next would scatter.
[[nodiscard]] std::optional<double> welchP(const Sample& a, const Sample& b);

// Paired t test, two-sided, of the differences between two configurations under the same seeds: the probability of a
// mean difference as large as this one if it were 0. nullopt below two differences, and where all are equal.
[[nodiscard]] std::optional<double> pairedP(const std::vector<double>& differences);

// Probabilities of several comparisons made at once, adjusted so that the chance of calling any equal pair different is
// at most the level that each is held against (Holm 1979). Comparisons without a probability stay so, and do not count.
[[nodiscard]] std::vector<std::optional<double>> holmAdjusted(std::vector<std::optional<double>> probabilities);

// The tests of a comparison, for reports.
inline constexpr const char* kTestInWords = "t test, paired over equal seeds, with Holm's correction";

// Differences whose probability under equality is below this are called differences.
inline constexpr double kSignificance = 0.05;

// Ratio of the means of two independent samples, with the spread of both to first order and the interval with Welch's
// degrees of freedom. `n` is that of the smaller sample. No spread where one of them has none, or both have one of 0. n
// = 0 where either is empty or not above 0.
[[nodiscard]] Sample ratioOf(const Sample& over, const Sample& under);
// The sample as a constant, without spread: a value divided by itself is 1 whatever was measured.
[[nodiscard]] Sample withoutSpread(Sample sample);

// The middle value, or the mean of the middle two; of at least one value.
[[nodiscard]] double median(std::vector<double> values);

// Quantile 0.975 of Student's t distribution.
[[nodiscard]] double studentT975(std::size_t degreesOfFreedom);

}  // namespace dasgd
