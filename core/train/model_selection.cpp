#include "core/train/model_selection.h"

#include <cmath>

namespace dasgd {

void ModelSelection::judge(EvaluationReport& report) {
    judgeTarget(report);
    if (!report.validated()) return;
    const double quality = report.classifies ? report.validationAccuracy : -report.validationLoss;
    if (quality > best_) {
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
