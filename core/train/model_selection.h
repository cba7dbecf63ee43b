// What follows from a run's evaluations: which model is its best, whether its target is reached, whether it stops
// early. Owner: whoever evaluates; the same evaluations give the same answers on every rank.
#pragma once

#include <limits>
#include <optional>

#include "core/experiment/train_params.h"
#include "core/train/evaluation_report.h"

namespace dasgd {

class ModelSelection {
public:
    ModelSelection() : ModelSelection(TrainParams{}) {}
    explicit ModelSelection(const TrainParams& train) : train_(train) {}

    // Whether judge() may ever ask for a stop.
    [[nodiscard]] bool mayStop() const { return train_.patience > 0 || train_.stopAtTarget; }
    // Of the run's next evaluation; fills in what the report says of the run. Quality is accuracy, and where nothing is
    // classified the loss, of the validation set where there is one, else of the test set.
    void judge(EvaluationReport& report);

private:
    void judgeTarget(EvaluationReport& report);

    TrainParams train_;
    double best_ = -std::numeric_limits<double>::infinity();     // quality of the best model so far
    double awaited_ = -std::numeric_limits<double>::infinity();  // that an evaluation has to exceed by min_delta
    std::optional<double> chosen_;                               // test accuracy of the best model so far
    std::int64_t waited_ = 0;                                    // evaluations since `awaited_` was exceeded
    bool reached_ = false;
};

}  // namespace dasgd
