// Result of one evaluation, of ⟨w⟩ or the model that the algorithm names.
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
    double consensusDistance = 0;  // ⟨‖wᵢ − ⟨w⟩‖²⟩; both NaN where no replicas are judged
    double perplexity = kNone;     // for text: exp of the mean loss a token; else NaN
    // Results on the validation set; NaN where there is none.
    double validationLoss = kNone;
    double validationAccuracy = kNone;
    double validationPerplexity = kNone;
    // True where classes are told apart: the models are judged by their accuracy. Models of values and of texts are
    // judged by their loss, though a text has an accuracy too, that of its tokens.
    bool classifies = false;
    // Seconds of training until this evaluation, of the last rank to come to it, where a clock measures them. Simulated
    // time does not include evaluations: there the instant is the time of training.
    std::optional<double> trainedSeconds;

    // Set by ModelSelection: results on the test set of the model that was best on the validation set so far; empty
    // without a validation set.
    std::optional<double> chosenAccuracy, chosenLoss;
    // Set where this evaluation is the first to reach the run's target: the value that reached it.
    std::optional<double> targetReached;
    bool stop = false;  // no further step is to be made

    [[nodiscard]] bool validated() const { return !std::isnan(validationLoss) || !std::isnan(validationAccuracy); }
};

}  // namespace dasgd
