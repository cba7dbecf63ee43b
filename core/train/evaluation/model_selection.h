// Decisions from a run's evaluations: which model is its best, whether its target is reached, whether it stops early.
// Owner: the object that evaluates; the same evaluations give the same decisions on every rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "core/experiment/train_params.h"
#include "core/train/evaluation/evaluation_report.h"

namespace dasgd {

class ModelSelection {
public:
    ModelSelection() : ModelSelection(TrainParams{}) {}
    explicit ModelSelection(const TrainParams& train) : train_(train) {}

    // True where judge() may ask for a stop.
    [[nodiscard]] bool mayStop() const { return train_.patience > 0 || train_.stopAtTarget; }
    // Judges the run's next evaluation and fills in the report's members about the run. The best model is the one with
    // the largest accuracy on the validation set where classes are told apart, else the one with the smallest loss on
    // it.
    void judge(EvaluationReport& report);

    // True where the newest evaluation is the best so far.
    [[nodiscard]] bool improved() const { return improved_; }
    // Number of evaluations judged.
    [[nodiscard]] std::int64_t judged() const { return judged_; }
    // The whole state, for a checkpoint: float64 [n].
    [[nodiscard]] at::Tensor state() const;
    // Takes the state of a selection with the same settings; one that has judged fewer evaluations than this changes
    // nothing.
    void setState(const at::Tensor& state);

private:
    void judgeTarget(EvaluationReport& report);

    TrainParams train_;
    double best_ = -std::numeric_limits<double>::infinity();     // quality of the best model so far
    double awaited_ = -std::numeric_limits<double>::infinity();  // value that an evaluation has to exceed by min_delta
    std::optional<double> accuracy_, loss_;  // accuracy and loss of the best model so far, on the test set
    std::int64_t waited_ = 0;                // evaluations since `awaited_` was exceeded
    bool reached_ = false;
    std::int64_t judged_ = 0;
    bool improved_ = false;
};

}  // namespace dasgd
