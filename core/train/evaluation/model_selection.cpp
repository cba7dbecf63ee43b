#include "core/train/evaluation/model_selection.h"

#include <torch/types.h>

#include <cmath>

namespace dasgd {

void ModelSelection::judge(EvaluationReport& report) {
    ++judged_;
    improved_ = false;
    judgeTarget(report);
    if (!report.validated()) return;
    const double quality = report.classifies ? report.validationAccuracy : -report.validationLoss;
    improved_ = quality > best_;
    if (improved_) {
        best_ = quality;
        loss_ = report.loss;
        if (!std::isnan(report.accuracy)) accuracy_ = report.accuracy;
    }
    report.chosenAccuracy = accuracy_;
    report.chosenLoss = loss_;
    if (train_.patience == 0) return;
    if (quality > awaited_ + train_.minDelta) {
        awaited_ = quality;
        waited_ = 0;
    } else if (++waited_ >= train_.patience) {
        report.stop = true;
    }
}

at::Tensor ModelSelection::state() const {
    const double none = EvaluationReport::kNone;
    return torch::tensor({best_, awaited_, accuracy_.value_or(none), loss_.value_or(none), static_cast<double>(waited_),
                          static_cast<double>(reached_), static_cast<double>(judged_)},
                         torch::kFloat64);
}

void ModelSelection::setState(const at::Tensor& state) {
    const auto value = [values = state.const_data_ptr<double>()](int i) { return values[i]; };
    const auto known = [](double number) { return std::isnan(number) ? std::nullopt : std::optional(number); };
    if (static_cast<std::int64_t>(value(6)) < judged_) return;
    best_ = value(0);
    awaited_ = value(1);
    accuracy_ = known(value(2));
    loss_ = known(value(3));
    waited_ = static_cast<std::int64_t>(value(4));
    reached_ = value(5) != 0;
    judged_ = static_cast<std::int64_t>(value(6));
}

void ModelSelection::judgeTarget(EvaluationReport& report) {
    if (reached_ || (train_.targetAccuracy == 0 && train_.targetLoss == 0)) return;
    const double accuracy = report.validated() ? report.validationAccuracy : report.accuracy;
    const double loss = report.validated() ? report.validationLoss : report.loss;
    const bool byLoss = train_.targetLoss > 0;
    reached_ = byLoss ? loss <= train_.targetLoss : accuracy >= train_.targetAccuracy;
    if (!reached_) return;
    report.targetReached = byLoss ? loss : accuracy;
    report.stop = train_.stopAtTarget;
}

}  // namespace dasgd
