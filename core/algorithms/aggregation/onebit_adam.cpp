// 1-bit Adam (Tang et al., ICML 2021, arXiv 2102.02888). In the first F steps Adam with averaged gradients,
//   m ← β₁m + (1−β₁)⟨g⟩;   v ← β₂v + (1−β₂)⟨g⟩²;   w ← w − η·m/(√v + ε)
// then v stays as it is, and the mean of coded momenta takes the place of averaged gradients:
//   mᵢ = β₁m + (1−β₁)gᵢ;   m ← ⟨C(mᵢ)⟩;   w ← w − η·m/(√v + ε)
// C is the sign of each number times ‖x‖₂/√n of its tensor. Both stages of the exchange keep what they did not send: a
// worker of its momentum, and the owner of a part of the mean (operator sign with scale l2 and scheme shard of
// core/compression). All workers have the same m, v and w after each step.
//
// Checked against DeepSpeed (deepspeed/runtime/fp16/onebit/adam.py, runtime/comm/nccl.py), from which the rule without
// bias correction is: it has a field for one, and does not use it. The paper's text was not at hand; restatements of it
// call the first phase Adam and have no correction in the second. Variants: DeepSpeed's first step only allocates, and
// counts among the first F; it decays weights beside the step, here there is no decay; a part there is of each tensor,
// here of all weights, whose tensors it cuts, and each piece of a tensor has a scale of its own in both stages, where
// the first stage there has one for a whole tensor. A sign cannot say 0: DeepSpeed asks its user for a mask of weights
// that never have a gradient, and here a weight whose v is 0 after F steps rests from then on, while its momentum is
// coded like any other.
//
// A sign is as wrong as its tensor's momentum is large, and √v of a weight may be far smaller. With DeepSpeed's ε of
// 1e-8 LeNet on the digits diverges within 15 steps of the freeze (4 workers, η 0.001, F from 20 to 250), and so it
// does with 1e-5; with 1e-4 and 1e-3 it trains as with Adam. Hence the default.
//
// A step sends gradients in buckets at first, then about N/8 bytes in two stages, for which all wait. One worker codes
// nothing. Memory beside the weights: 3 N for m, v and the momentum that is coded; with more than one worker its error,
// N, and what scheme shard keeps.
#include <torch/types.h>

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/gradient_buckets.h"
#include "core/algorithms/plain_sgd.h"
#include "core/compression/compressed_mean.h"
#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"
#include "core/tensors/rounded_sqrt.h"

namespace dasgd {
namespace {

struct OnebitAdamParams {
    std::int64_t freezeSteps = 1000;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-4;
    void visit(auto&& f) {
        f(freezeSteps, "freeze_steps",
          {.min = 1,
           .max = 1e15,
           .unit = "steps",
           .symbol = "F",
           .help = "First steps, which average gradients; behind them the mean square stays, and momenta are coded"});
        f(beta1, "beta1", {.min = 0, .max = 1, .maxOpen = true, .symbol = "β1", .help = "Decay of the mean gradient"});
        f(beta2, "beta2", {.min = 0, .max = 1, .maxOpen = true, .symbol = "β2", .help = "Decay of the mean square"});
        f(epsilon, "epsilon",
          {.min = 0, .max = 1, .minOpen = true, .symbol = "ε", .help = "Keeps the division away from zero"});
    }
};

std::shared_ptr<const CompressionSettings> signsOfMomenta() {
    Value::Table fields;
    fields.emplace_back("scale", Value(std::string("l2")));
    auto sign = CompressorRegistry::find("sign")->create(Value(std::move(fields)), {}).value();
    return std::make_shared<const CompressionSettings>(CompressionSettings{
        .name = "sign", .compressor = std::move(sign), .params = {.errorFeedback = true, .scheme = "shard"}});
}

class OnebitAdam final : public Algorithm, public Checkpointed, public OwnUpdate, public SendsUncoded {
public:
    explicit OnebitAdam(const OnebitAdamParams& params) : params_(params), buckets_(GradientBucketsParams()) {}

    [[nodiscard]] std::string whyUncoded() const override {
        return "codes its momenta itself, as signs: remove [compression], or use it with sync_sgd, whose gradients it "
               "codes";
    }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.onGpus) {
            return FieldError{
                "name",
                "onebit_adam codes momenta on the host, and these ranks compute on GPUs: choose backend = "
                "\"gloo\", \"threads\" or \"virtual\", or sync_sgd with adam"};
        }
        return refuseAllButPlainSgd("onebit_adam", facts);
    }
    void start(StepContext& context) override {
        const at::Tensor& weights = context.params().weights();
        mean_ = at::zeros_like(weights);
        square_ = at::zeros_like(weights);
        own_ = at::empty_like(weights);
        if (context.comm().size() > 1) {
            coded_ = std::make_unique<CompressedMean>(signsOfMomenta(), context,
                                                      CompressedMean::Vector{.elements = context.params().size()});
        }
        if (context.step() < params_.freezeSteps) buckets_.start(context);
    }
    void afterBackward(StepContext& context) override {
        if (context.step() <= params_.freezeSteps) return buckets_.finish(context);
        const std::int64_t bytes = context.params().bytes();
        const std::int64_t coding = coded_ ? coded_->encodeBytes() : 0;
        context.executor().run({SpanKind::Snapshot, snapshotBytes(kPassesOfUpdate, bytes) + coding}, [&] {
            const at::NoGradGuard guard;
            at::lerp_out(own_, mean_, context.params().gradients(), 1 - params_.beta1);
            if (coded_) coded_->encode(context, own_);
        });
        if (coded_) return exchange(context);
        std::swap(mean_, own_);
    }
    void update(StepContext& context, Optimizer&) override {
        const at::NoGradGuard guard;
        const std::int64_t step = context.step();
        if (step <= params_.freezeSteps) {
            const at::Tensor& gradients = context.params().gradients();
            mean_.lerp_(gradients, 1 - params_.beta1);
            square_.mul_(params_.beta2).addcmul_(gradients, gradients, 1 - params_.beta2);
            own_.copy_(square_);
            takeRoot(own_);
            own_.add_(params_.epsilon);
        } else if (step == params_.freezeSteps + 1) {
            freeze();
        }
        const at::Tensor& divisor = step <= params_.freezeSteps ? own_ : square_;
        context.params().weights().addcdiv_(mean_, divisor, -context.learningRate());
    }
    void afterStep(StepContext& context) override {
        buckets_.broadcastBuffers(context);
        if (context.step() == params_.freezeSteps) buckets_.stop();
    }
    void drain(StepContext&) override {}
    void save(StepContext& context, Archive& archive) override {
        archive.put("mean", mean_);
        archive.put("square", square_);
        if (!coded_) return;
        Archive own;
        coded_->save(context, own);
        archive.putUnder(kCompressionState, own);
    }
    Status load(StepContext& context, const Archive& archive) override {
        start(context);
        DASGD_TRY(archive.read("mean", mean_));
        DASGD_TRY(archive.read("square", square_));
        return coded_ ? coded_->load(archive.under(kCompressionState)) : Status();
    }

private:
    void exchange(StepContext& context) {
        coded_->launch(context);
        if (coded_->isFirst()) recordRatio(context, {coded_.get()});
        coded_->arrive(context);
        const std::int64_t bytes = mergeBytes(1, context.params().bytes()) + coded_->decodeBytes();
        context.executor().run({SpanKind::Merge, bytes, coded_->collective()}, [&] {
            mean_.zero_();
            coded_->decode(mean_);
        });
        coded_->finish();
    }
    // square_ ← √v + ε, and infinity where v is 0.
    void freeze() {
        const at::Tensor isZero = square_.eq(0);
        takeRoot(square_);
        square_.add_(params_.epsilon).masked_fill_(isZero, std::numeric_limits<double>::infinity());
    }

    OnebitAdamParams params_;
    GradientBuckets buckets_;
    std::unique_ptr<CompressedMean> coded_;  // null on one worker
    at::Tensor mean_, square_;               // [N]: m; v, and what m is divided by behind F steps
    at::Tensor own_;                         // [N]: √v + ε; behind F steps mᵢ
};

// Behind F steps: signs of 32-bit momenta by scheme shard, with error feedback in both stages.
CommunicationPattern patternOfSigns() {
    CommunicationPattern pattern = averagesEvery(1);
    pattern.gradientSteps = ofField("freeze_steps");
    pattern.firstBucketMb = GradientBucketsParams().firstBucketMb;
    const double coded = kPassesOfPutSigns + kPassesOfAddedSigns;  // and what was coded is taken off
    pattern.ownCoding = {.share = 1.0 / 32,
                         .encode = kPassesOfUpdate + kPassesOfFeedback + coded,
                         .recode = kPassesOfAddedSigns,
                         .decode = kPassesOfAddedSigns + 1,
                         .recodeOfPart = coded};
    pattern.assumes = {"Momenta have 32 bits each, and the scales of their tensors are left out."};
    return pattern;
}

const AlgorithmRegistry::Add<OnebitAdam, OnebitAdamParams> kOnebitAdamEntry{
    "onebit_adam", "Adam whose mean square is frozen, after which signs of momenta are averaged", "arXiv 2102.02888",
    patternOfSigns()};

}  // namespace
}  // namespace dasgd
