// Measures a cluster instead of training on it well: what `dasgd calibrate` runs. Steps alone, as `independent` makes
// them; then snapshots and transfers of several sizes with nothing else to do; then steps during which a reduction is
// under way. Spans and the metrics probe/… hold what was seen (storage/format.md).
#include <torch/torch.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/train/step_context.h"

namespace dasgd {
namespace {

constexpr std::int64_t kWarmUpSteps = 3;
// Of a step's time: how long the reductions of the overlapped part take. They have to end before the next one starts.
constexpr double kOverlappedShare = 0.8;

struct ProbeParams {
    std::int64_t alone = 20;
    std::int64_t overlapped = 20;
    std::int64_t sizes = 5;
    std::int64_t repeats = 3;
    void visit(auto&& f) {
        f(alone, "alone", {.min = 3, .max = 1e6, .unit = "steps", .help = "Steps without communication, after 3 more"});
        f(overlapped, "overlapped",
          {.min = 3, .max = 1e6, .unit = "steps", .help = "Steps during which a reduction is under way"});
        f(sizes, "sizes",
          {.min = 2, .max = 16, .help = "Transfers of all weights, of a quarter of them, of a sixteenth, …"});
        f(repeats, "repeats", {.min = 1, .max = 1000, .help = "Times that each transfer is made"});
    }
};

class Probe final : public Algorithm {
public:
    explicit Probe(const ProbeParams& params) : params_(params), lastAlone_(kWarmUpSteps + params.alone) {}

    void start(StepContext& context) override {
        payload_ = at::empty_like(context.params().weights());
        gradientSeen_.assign(context.params().slots().size(), 0);
        beforeEnd_.assign(gradientSeen_.size(), 0.0);
        context.gradientFeed().listen(
            [this, &context](std::size_t slot) { gradientSeen_[slot] = context.clock().now(); });
        stepBegan_ = context.clock().now();
    }

    void afterBackward(StepContext& context) override {
        if (context.step() <= kWarmUpSteps || context.step() > lastAlone_) return;
        const Ns end = context.clock().now();
        for (std::size_t slot = 0; slot < gradientSeen_.size(); ++slot) {
            beforeEnd_[slot] += milliseconds(end - gradientSeen_[slot]) / static_cast<double>(params_.alone);
        }
    }

    void afterStep(StepContext& context) override {
        const std::int64_t k = context.step();
        if (k > kWarmUpSteps && k <= lastAlone_) aloneTime_ += context.clock().now() - stepBegan_;
        if (k == lastAlone_) {
            reportGradients(context);
            for (std::int64_t i = 0; i < params_.repeats; ++i) takeSnapshot(context);
            measureTransfers(context);
            chooseOverlapped(context);
        }
        if (k >= lastAlone_) overlapNextStep(context);
        stepBegan_ = context.clock().now();
    }

    void drain(StepContext& context) override {
        if (pending_) context.trace().await(pending_, context.step(), context.step(), bytesOf(overlapped_));
        pending_ = {};
    }

private:
    static double milliseconds(Ns ns) { return static_cast<double>(ns) * 1e-6; }
    static std::int64_t bytesOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

    // As a merge algorithm does before it sends.
    void takeSnapshot(StepContext& context) {
        const at::NoGradGuard guard;
        const auto span = context.trace().scope(SpanKind::Snapshot, context.step(), 0, context.params().bytes());
        at::mul_out(payload_, context.params().weights(), at::scalar_tensor(1.0, payload_.options()));
    }

    void meet(StepContext& context) {
        at::Tensor nothing = payload_.narrow(0, 0, 1).clone();
        reduce(context, nothing);
    }

    void reduce(StepContext& context, at::Tensor& tensor) {
        Pending pending = context.comm().allReduce(tensor, Reduce::Sum);
        context.trace().await(pending, context.step(), context.step(), bytesOf(tensor));
    }

    void metric(StepContext& context, const std::string& name, double value) {
        context.trace().sink().metric(
            {.name = name, .step = context.step(), .wall = context.clock().now(), .value = value});
    }

    void reportGradients(StepContext& context) {
        for (std::size_t slot = 0; slot < beforeEnd_.size(); ++slot) {
            metric(context, "probe/gradient_before_end_ms/" + std::to_string(slot), beforeEnd_[slot]);
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
        const std::string name = "probe/all_reduce_ms/" + std::to_string(bytesOf(tensor));
        for (std::int64_t i = 0; i < params_.repeats; ++i) {
            payload_.zero_();  // sums of sums would overflow
            meet(context);
            const Ns begin = context.clock().now();
            reduce(context, tensor);
            const double took = milliseconds(context.clock().now() - begin);
            metric(context, name, took);
            if (largest_ == 0) allReduceMs_ = i == 0 ? took : std::min(allReduceMs_, took);
        }
        largest_ = std::max(largest_, bytesOf(tensor));
    }

    void measureAllGather(StepContext& context, const at::Tensor& tensor) {
        const std::string name = "probe/all_gather_ms/" + std::to_string(bytesOf(tensor));
        at::Tensor all = at::zeros({context.comm().size(), tensor.numel()}, tensor.options());
        for (std::int64_t i = 0; i < params_.repeats; ++i) {
            meet(context);
            const Ns begin = context.clock().now();
            Pending pending = context.comm().allGather(tensor, all);
            context.trace().await(pending, context.step(), context.step(), bytesOf(tensor));
            metric(context, name, milliseconds(context.clock().now() - begin));
        }
    }

    // Rank 0 decides: every rank has to send as much.
    void chooseOverlapped(StepContext& context) {
        const double stepMs = milliseconds(aloneTime_) / static_cast<double>(params_.alone);
        at::Tensor share =
            at::full({1}, std::min(1.0, kOverlappedShare * stepMs / std::max(allReduceMs_, 1e-6)), payload_.options());
        Pending pending = context.comm().broadcast(share, Rank{0});
        context.trace().await(pending, context.step(), context.step(), bytesOf(share));
        // Tensors that are shapes only have no values to agree on, and their clocks are all alike.
        const double agreed = share.is_meta() ? 0.25 : share.item<double>();
        const auto count = static_cast<std::int64_t>(agreed * static_cast<double>(payload_.numel()));
        overlapped_ = payload_.narrow(0, 0, std::clamp<std::int64_t>(count, 1, payload_.numel()));
        payload_.zero_();
    }

    void overlapNextStep(StepContext& context) {
        drain(context);
        if (context.step() == lastAlone_ + params_.overlapped) return;
        pending_ = context.comm().allReduce(overlapped_, Reduce::Sum);
    }

    ProbeParams params_;
    const std::int64_t lastAlone_;
    at::Tensor payload_;     // [N]
    at::Tensor overlapped_;  // as much of it as is reduced in about a step
    Pending pending_;
    Ns stepBegan_ = 0;
    Ns aloneTime_ = 0;
    std::int64_t largest_ = 0;  // bytes reduced at once so far
    double allReduceMs_ = 0;    // of all of the payload
    std::vector<Ns> gradientSeen_;
    std::vector<double>
        beforeEnd_;  // of each slot, mean milliseconds from its gradient to the end of the backward pass
};

const AlgorithmRegistry::Add<Probe, ProbeParams> kAdd{"probe", "Measures the cluster; what dasgd calibrate runs"};

}  // namespace
}  // namespace dasgd
