// Results of runs at one number of samples: runs with different numbers of workers are at different numbers after the
// same number of steps, and a run that was trained longer must not look better for it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dasgd {

// The evaluations of one run.
class EvaluationCurve {
public:
    struct Point {
        std::int64_t samples = 0;
        double value = 0;
    };

    EvaluationCurve() = default;
    // Builds the curve from the records of eval/loss or eval/accuracy; values that are not finite are left out.
    explicit EvaluationCurve(const std::vector<Point>& evaluations);

    [[nodiscard]] bool empty() const { return points_.empty(); }
    // Samples of the last evaluation; 0 where there is none.
    [[nodiscard]] std::int64_t lastSamples() const { return points_.empty() ? 0 : points_.back().samples; }
    // Value at `samples`, linear between two evaluations. nullopt before the first and after the last.
    [[nodiscard]] std::optional<double> at(std::int64_t samples) const;
    // The largest value up to there; nullopt where at() is.
    [[nodiscard]] std::optional<double> largestUpTo(std::int64_t samples) const;
    // The smallest value up to there; nullopt where at() is.
    [[nodiscard]] std::optional<double> smallestUpTo(std::int64_t samples) const;
    // Value of the last evaluation up to there; nullopt where at() is.
    [[nodiscard]] std::optional<double> lastUpTo(std::int64_t samples) const;

private:
    std::vector<Point> points_;  // by samples
};

// The largest number of samples at which each of the runs that was evaluated at all has a result; nullopt where none
// was.
[[nodiscard]] std::optional<std::int64_t> commonSamples(const std::vector<const EvaluationCurve*>& losses);

}  // namespace dasgd
