// Measures a cluster instead of training on it well; `dasgd calibrate` runs it. First half of the steps without
// communication, as `independent` makes them; then snapshots and transfers of several sizes with nothing else to do;
// then steps during which all weights are reduced again and again; then the other half without communication, so that a
// machine that becomes slower meanwhile is not mistaken for contention. On a device the host waits for it where
// something is timed, and gradients are timed in one step, the last to warm up: waiting for each makes a step longer.
// Spans and the metrics probe/… hold the measurements (storage/format.md).
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/base/metric_names.h"
#include "core/step/archive.h"
#include "core/step/in_flight.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

constexpr std::int64_t kProbeWarmUp = 3;

struct ProbeParams {
    std::int64_t alone = 20;
    std::int64_t overlapped = 20;
    std::int64_t sizes = 5;
    std::int64_t repeats = 3;
    void visit(auto&& f) {
        f(alone, "alone",
          {.min = 3,
           .max = 1e6,
           .unit = "steps",
           .help = "Steps without communication, after 3 more; half of them at the end. train.steps must hold these 3, "
                   "alone and overlapped"});
        f(overlapped, "overlapped",
          {.min = 3, .max = 1e6, .unit = "steps", .help = "Steps during which a reduction is under way"});
        f(sizes, "sizes",
          {.min = 2, .max = 16, .help = "Transfers of all weights, of a quarter of them, of a sixteenth, …"});
        f(repeats, "repeats", {.min = 1, .max = 1000, .help = "Times that each transfer is made"});
    }
};

class Probe final : public Algorithm, public Checkpointed, public SendsUncoded {
public:
    explicit Probe(const ProbeParams& params) : params_(params), lastAlone_(kProbeWarmUp + (params.alone + 1) / 2) {}

    [[nodiscard]] std::string whyUncoded() const override {
        return "measures exchanges that travel whole: remove [compression]";
    }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.microBatches > 1) {
            return FieldError{"train.accumulate",
                              "the probe measures steps of one batch, and train.accumulate asks "
                              "for several a step: remove it"};
        }
        const std::int64_t needed = kProbeWarmUp + params_.alone + params_.overlapped;
        if (facts.steps >= needed) return std::nullopt;
        return FieldError{"train.steps", "the run has " + std::to_string(facts.steps) + " steps and the probe needs " +
                                             std::to_string(needed) + ": " + std::to_string(kProbeWarmUp) +
                                             " and those of alone and overlapped"};
    }

    void start(StepContext& context) override {
        payload_ = at::empty_like(context.params().weights());
        gradientSeen_.assign(context.params().slots().size(), 0);
        beforeEnd_.assign(gradientSeen_.size(), 0.0);
        context.gradientFeed().listen([this, &context](std::size_t slot) {
            gradientSeen_[slot] = timesGradients(context) ? reached(context) : 0;
        });
        stepBegan_ = reached(context);
    }

    void afterBackward(StepContext& context) override {
        if (!timesGradients(context)) return;
        const Ns end = reached(context);
        const double steps = context.device() ? 1 : aloneSteps();
        for (std::size_t slot = 0; slot < gradientSeen_.size(); ++slot) {
            beforeEnd_[slot] += milliseconds(end - gradientSeen_[slot]) / steps;
        }
    }

    void afterStep(StepContext& context) override {
        const std::int64_t k = context.step();
        // A device is timed once over all steps without communication.
        const bool timed = !context.device() || k == kProbeWarmUp || k == lastAlone_;
        const Ns now = timed ? reached(context) : stepBegan_;
        if (k > kProbeWarmUp && k <= lastAlone_) aloneTime_ += now - stepBegan_;
        if (k == lastAlone_) measure(context);
        const std::int64_t overlapped = k - lastAlone_;
        if (overlapped >= 0 && overlapped < params_.overlapped) {
            if (overlapped % round_ == 0) reduceNext(context);
        } else if (overlapped == params_.overlapped) {
            drain(context);
        }
        stepBegan_ = context.device() ? now : context.clock().now();
    }

    void drain(StepContext& context) override { flight_.drop(context); }

    // Saves the sums measured so far; the result of a reduction in flight is never read.
    void save(StepContext& context, Archive& archive) override {
        drain(context);
        archive.put("round", round_);
        archive.put("alone_ns", aloneTime_);
        archive.put("before_end_ms", torch::tensor(beforeEnd_, torch::kFloat64));
    }
    Status load(StepContext& context, const Archive& archive) override {
        start(context);
        DASGD_ASSIGN(round_, archive.integer("round"));
        DASGD_ASSIGN(aloneTime_, archive.integer("alone_ns"));
        at::Tensor beforeEnd = torch::tensor(beforeEnd_, torch::kFloat64);
        DASGD_TRY(archive.read("before_end_ms", beforeEnd));
        const double* values = beforeEnd.const_data_ptr<double>();
        beforeEnd_.assign(values, values + beforeEnd.numel());
        payload_.zero_();
        return {};
    }

private:
    // The present instant, once the device has done all that it was given.
    Ns reached(StepContext& context) const {
        if (context.device()) (void)context.device()->send(payload_.narrow(0, 0, 1).squeeze(0))->read();
        return context.clock().now();
    }
    [[nodiscard]] bool timesGradients(StepContext& context) const {
        if (context.device()) return context.step() == kProbeWarmUp;
        return context.step() > kProbeWarmUp && context.step() <= lastAlone_;
    }

    static double milliseconds(Ns ns) { return static_cast<double>(ns) * 1e-6; }
    static std::int64_t bytesOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

    // Measures the cluster, as an evaluation: its time belongs to no step.
    void measure(StepContext& context) {
        context.executor().run({SpanKind::Eval}, [&] {
            reportGradients(context);
            for (std::int64_t i = 0; i < params_.repeats; ++i) takeSnapshot(context);
            measureTransfers(context);
            chooseRound(context);
        });
    }

    // Takes a snapshot as a merge algorithm does before it sends.
    void takeSnapshot(StepContext& context) {
        context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
            const at::NoGradGuard guard;
            at::mul_out(payload_, context.params().weights(), at::scalar_tensor(1.0, payload_.options()));
        });
    }

    void meet(StepContext& context) {
        at::Tensor nothing = payload_.narrow(0, 0, 1).clone();
        reduce(context, nothing);
    }

    void reduce(StepContext& context, at::Tensor& tensor) {
        Pending pending = context.comm().allReduce(tensor, Reduce::Sum);
        context.executor().waitFor(pending, context.step(), bytesOf(tensor));
    }

    void metric(StepContext& context, const std::string& name, double value) {
        context.executor().sink().metric(
            {.name = name, .step = context.step(), .wall = context.clock().now(), .value = value});
    }

    void reportGradients(StepContext& context) {
        for (std::size_t slot = 0; slot < beforeEnd_.size(); ++slot) {
            metric(context, metrics::kProbeGradientBeforeEndMs + std::to_string(slot), beforeEnd_[slot]);
        }
    }

    void measureTransfers(StepContext& context) {
        for (std::int64_t size = 0; size < params_.sizes; ++size) {
            const std::int64_t count = std::max<std::int64_t>(1, payload_.numel() >> (2 * size));
            measureAllReduce(context, payload_.narrow(0, 0, count));
            measureAllGather(context, payload_.narrow(0, 0, std::max<std::int64_t>(1, count / context.comm().size())));
        }
    }

    void measureAllReduce(StepContext& context, at::Tensor tensor) {
        const std::string name = metrics::kProbeAllReduceMs + std::to_string(bytesOf(tensor));
        for (std::int64_t i = 0; i < params_.repeats; ++i) {
            payload_.zero_();  // sums of sums would overflow
            meet(context);
            const Ns begin = reached(context);
            reduce(context, tensor);
            const double took = milliseconds(reached(context) - begin);
            metric(context, name, took);
            if (largest_ == 0) allReduceMs_ = i == 0 ? took : std::min(allReduceMs_, took);
        }
        largest_ = std::max(largest_, bytesOf(tensor));
    }

    void measureAllGather(StepContext& context, const at::Tensor& tensor) {
        const std::string name = metrics::kProbeAllGatherMs + std::to_string(bytesOf(tensor));
        at::Tensor all = at::zeros({context.comm().size(), tensor.numel()}, tensor.options());
        for (std::int64_t i = 0; i < params_.repeats; ++i) {
            meet(context);
            const Ns begin = reached(context);
            Pending pending = context.comm().allGather(tensor, all);
            context.executor().waitFor(pending, context.step(), bytesOf(tensor));
            metric(context, name, milliseconds(reached(context) - begin));
        }
    }

    // Chooses how many steps one reduction takes. Rank 0 decides: every rank has to start as many.
    void chooseRound(StepContext& context) {
        const double stepMs = milliseconds(aloneTime_) / aloneSteps();
        const double steps = std::ceil(allReduceMs_ / std::max(stepMs, 1e-6));
        // Tensors that are shapes only would have no value to agree on.
        const auto options = payload_.is_meta() ? payload_.options().device(at::kCPU) : payload_.options();
        at::Tensor agreed = at::full({1}, std::clamp(steps, 1.0, static_cast<double>(params_.overlapped)), options);
        Pending pending = context.comm().broadcast(agreed, Rank{0});
        context.executor().waitFor(pending, context.step(), bytesOf(agreed));
        round_ = static_cast<std::int64_t>(agreed.item<double>());
        payload_.zero_();
    }

    void reduceNext(StepContext& context) {
        drain(context);
        flight_.begin(context);
        flight_.add(context.comm().allReduce(payload_, Reduce::Sum), bytesOf(payload_));
    }

    [[nodiscard]] double aloneSteps() const { return static_cast<double>(lastAlone_ - kProbeWarmUp); }

    ProbeParams params_;
    const std::int64_t lastAlone_;  // last step of the first half
    at::Tensor payload_;            // [N]
    InFlight flight_;
    std::int64_t round_ = 1;  // steps from one overlapped reduction to the next
    Ns stepBegan_ = 0;
    Ns aloneTime_ = 0;
    std::int64_t largest_ = 0;  // bytes reduced at once so far
    double allReduceMs_ = 0;    // duration of reducing the whole payload
    std::vector<Ns> gradientSeen_;
    std::vector<double>
        beforeEnd_;  // for each slot: mean milliseconds from its gradient to the end of the backward pass
};

const AlgorithmRegistry::Add<Probe, ProbeParams> kProbeEntry{"probe", "Measures the cluster; what dasgd calibrate runs",
                                                             "", noFormula("its steps are measurements")};

}  // namespace
}  // namespace dasgd
