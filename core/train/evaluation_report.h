// What one evaluation found, of ⟨w⟩ or the model that the algorithm names.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

namespace dasgd {

struct EvaluationReport {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    double loss = 0;               // mean over the test set
    double accuracy = 0;           // 0..1; NaN where there is nothing to classify
    double replicaAccuracy = 0;    // the same, each sample judged by the replica of the rank that holds it
    double consensusDistance = 0;  // ⟨‖wᵢ − ⟨w⟩‖²⟩
    // Of the validation set; NaN where there is none.
    double validationLoss = kNone;
    double validationAccuracy = kNone;

    // Filled in by ModelSelection. Test accuracy of the model that was best on the validation set so far; none without
    // one.
    std::optional<double> chosenAccuracy;
    // The value with which this evaluation is the first to reach the run's target.
    std::optional<double> targetReached;
    bool stop = false;  // no further step is to be made

    [[nodiscard]] bool validated() const { return !std::isnan(validationLoss) || !std::isnan(validationAccuracy); }
};

}  // namespace dasgd
