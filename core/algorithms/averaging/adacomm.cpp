// AdaComm (Wang, Joshi, MLSys 2019, arXiv 1810.08313): Local SGD whose period follows the loss. At the first average of
// each interval, F being the loss, w₀ the start, η the learning rate:
//
//   τ ← ⌈τ₀·√(η₀·F(w)/(η·F(w₀)))⌉, or ⌈τ/2⌉ where that is not smaller; never less than 1
//
// Averages wait, as Local SGD's; the loss travels in their collective, N + 1 numbers. F is the loss that the ranks
// know: the mean over ranks of the newest minibatch loss, that of step 1 for F(w₀), rounded to the weights' type.
//
// Verified: the abstract, of the paper alone; ⌈τ₀·√(F(w)/F(w₀))⌉ in a third party's code for federated learning (class
// AdaCommStrategy); and η₀F(w)/(ηF(w₀)) under the root in PaddlePaddle's localsgd_optimizer.py, which has τ₀ there too,
// adapts at every average and does not halve. As recalled: the halving, and that η₀/η is not cubed. Variant: intervals
// are steps, not the paper's 60 s, so that a run does not depend on the machine.
//
// A rank's newest loss is that of the step before the average. It is copied into the collective where it was computed:
// on a device the host reads the mean of all ranks only where a period is chosen, at the first average and once an
// interval.
//
// Memory: N beside the weights. In a time-only run there is no loss, and the period stays τ₀.
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

struct AdacommParams {
    std::int64_t period = 8;
    std::int64_t interval = 500;
    void visit(auto&& f) {
        f(period, "period", periodField("Local steps between averages at first; they only become fewer", "τ₀"));
        f(interval, "interval",
          {.min = 1, .max = 1e9, .unit = "steps", .help = "Steps from one choice of the period to the next, at least"});
    }
};

class Adacomm : public DelayedMean {
public:
    explicit Adacomm(const AdacommParams& params)
        : DelayedMean({.period = params.period, .delay = 0, .localWeight = 0}),
          fields_(params),
          period_(params.period) {}

    void afterStep(StepContext& context) override {
        if (known_.firstRate == 0) known_.firstRate = context.learningRate();
        const bool averages = leavesAfter(context.ownSteps());
        DelayedAverage::afterStep(context);
        if (averages) {
            context.metric("period", static_cast<double>(period_));
            averagedAt_ = context.ownSteps();
            adapt(context.learningRate());
        }
        remember(context.loss());
    }

    // Length of the present round: the period that it began with.
    [[nodiscard]] std::int64_t roundSteps() const override { return period_; }

    void save(StepContext& context, Archive& archive) override {
        DelayedAverage::save(context, archive);
        archive.put("period", period_);
        archive.put("averaged_at", averagedAt_);
        archive.put("chosen_at", chosenAt_);
        archive.put("losses", at::tensor({valueOf(known_.own), valueOf(known_.first), known_.firstRate, known_.start},
                                         at::kDouble));
    }
    Status load(StepContext& context, const Archive& archive) override {
        DASGD_TRY(DelayedAverage::load(context, archive));
        DASGD_ASSIGN(period_, archive.integer("period"));
        DASGD_ASSIGN(averagedAt_, archive.integer("averaged_at"));
        DASGD_ASSIGN(chosenAt_, archive.integer("chosen_at"));
        at::Tensor losses = at::empty({4}, at::kDouble);
        DASGD_TRY(archive.read("losses", losses));
        const auto* values = losses.const_data_ptr<double>();
        const auto scalar = [&](double value) {
            const auto options = context.params().weights().options().dtype(at::kDouble);
            return std::isnan(value) ? at::Tensor() : at::full({}, value, options);
        };
        known_ = {.own = scalar(values[0]), .first = scalar(values[1]), .firstRate = values[2], .start = values[3]};
        return {};
    }

private:
    [[nodiscard]] bool leavesAfter(std::int64_t k) const override { return k == averagedAt_ + period_; }
    [[nodiscard]] std::int64_t payload(std::int64_t size) const override { return size + 1; }

    void take(StepContext& context, at::Tensor out, double scale) override {
        const std::int64_t size = context.params().size();
        DelayedAverage::take(context, out.narrow(0, 0, size), scale);
        const at::Tensor& loss = std::isnan(known_.start) ? known_.first : known_.own;
        at::Tensor place = out[size];
        loss.defined() ? place.copy_(loss * scale) : place.fill_(kUnknown);
    }

    void mergeWeights(StepContext& context, at::Tensor mean) override {
        const std::int64_t size = context.params().size();
        DelayedAverage::mergeWeights(context, mean.narrow(0, 0, size));
        loss_ = mean[size];
    }

    // Keeps the loss of the step just made for the next one: a copy, as its memory is the next step's too.
    void remember(const at::Tensor& loss) {
        if (!loss.defined()) return;
        known_.own = loss.to(at::kDouble, /*non_blocking=*/false, /*copy=*/true);
        if (!known_.first.defined()) known_.first = known_.own;
    }

    // A loss that no rank knew yet, or that is no positive number, changes nothing.
    void adapt(double rate) {
        if (std::isnan(known_.start)) {
            known_.start = newestLoss();
            return;
        }
        if (averagedAt_ - chosenAt_ < fields_.interval) return;
        chosenAt_ = averagedAt_;
        const double loss = newestLoss();
        const double wanted =
            std::ceil(static_cast<double>(fields_.period) * std::sqrt(known_.firstRate * loss / (rate * known_.start)));
        if (!std::isfinite(wanted)) return;
        const auto halved = (period_ + 1) / 2;
        period_ = wanted < static_cast<double>(period_) ? std::max<std::int64_t>(1, std::llround(wanted)) : halved;
    }

    [[nodiscard]] double newestLoss() const { return valueOf(loss_); }
    [[nodiscard]] static double valueOf(const at::Tensor& loss) {
        return loss.defined() ? loss.item<double>() : kUnknown;
    }

    static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    struct Known {
        at::Tensor own;           // [] float64: this rank's newest loss, of the step before
        at::Tensor first;         // [] float64: this rank's first loss
        double firstRate = 0;     // η₀
        double start = kUnknown;  // F(w₀), over all ranks
    };

    AdacommParams fields_;
    std::int64_t period_;  // τ
    std::int64_t averagedAt_ = 0, chosenAt_ = 0;
    at::Tensor loss_;  // F(w) over all ranks, of the newest average, until the next one leaves
    Known known_;
};

const AddWithSyncSteps<Adacomm, AdacommParams> kAdacommEntry{
    "adacomm",
    "Local SGD whose period follows the loss",
    "arXiv 1810.08313",
    {.kind = CommunicationPattern::Kind::Averages,
     .period = ofField("period"),
     .whyNoCoding = "an all-reduce of the losses leaves beside each of its compressed averages",
     .assumes = {"The period stays what it is at first; later ones are shorter."}}};

}  // namespace
}  // namespace dasgd
