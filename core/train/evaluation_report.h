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
    double perplexity = kNone;     // of a text: exp of the mean loss a token; else NaN
    // Of the validation set; NaN where there is none.
    double validationLoss = kNone;
    double validationAccuracy = kNone;
    double validationPerplexity = kNone;
    // Classes are told apart: models are judged by their accuracy. Of values and of texts they are by their loss,
    // though a text has an accuracy too, that of its tokens.
    bool classifies = false;
    // Seconds of training until this evaluation, of the last rank to come to it, where a clock measures them. Simulated
    // time has no evaluations in it: there the instant says it.
    std::optional<double> trainedSeconds;

    // Filled in by ModelSelection. Of the model that was best on the validation set so far, what it got on the test
    // set; none without a validation set.
    std::optional<double> chosenAccuracy, chosenLoss;
    // The value with which this evaluation is the first to reach the run's target.
    std::optional<double> targetReached;
    bool stop = false;  // no further step is to be made

    [[nodiscard]] bool validated() const { return !std::isnan(validationLoss) || !std::isnan(validationAccuracy); }
};

}  // namespace dasgd
