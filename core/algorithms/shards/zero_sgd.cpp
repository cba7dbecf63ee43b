// Synchronous SGD with a divided update, as ZeRO does it (Rajbhandari et al., SC 2020, arXiv 1910.02054): the mean of
// the gradients is reduce-scattered in buckets during the backward pass, each rank steps its part of the weights with
// the optimiser's state of that part alone, and the parts are gathered before the next forward pass. The weights are
// those of sync_sgd with every optimiser that steps each element by itself.
//
// Stages 1 and 2 of ZeRO send the same, 2(P−1)/P·S a rank and step. What is divided in memory is the optimiser's state,
// of which each rank has 1/P; the gradients are not, as autograd adds them up in the flat gradient: there this is stage
// 1. The gather is not hidden. In simulated time an update takes as long as one of all weights.
//
// Stage 3, fully sharded data parallel, divides the weights too and gathers them before each use, 3(P−1)/P·S: its time
// alone (layer_gathers.h), since autograd cannot be stopped between two layers.
#include <memory>
#include <optional>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/gradient_buckets.h"
#include "core/algorithms/shards/layer_gathers.h"
#include "core/algorithms/shards/sharded_weights.h"
#include "core/optimizers/optimizer.h"

namespace dasgd {
namespace {

struct ZeroSgdParams : GradientBucketsParams {
    std::int64_t stage = 2;
    void visit(auto&& f) {
        f(stage, "stage",
          {.min = 2,
           .max = 3,
           .help = "2: each rank steps its part of the weights, gradients stay whole; 3: it has no more of either than "
                   "its part, and weights are gathered before each layer's passes, in time-only runs"});
        GradientBucketsParams::visit(f);
    }
};

class ZeroSgd final : public Algorithm,
                      public Checkpointed,
                      public OwnUpdate,
                      public StepsPart,
                      public MeansOfUnevenBatches {
public:
    explicit ZeroSgd(const ZeroSgdParams& params) : params_(params) {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (params_.stage == 3 && facts.microBatches > 1) {
            return FieldError{"train.accumulate",
                              "with stage = 3 zero_sgd gathers the weights for the passes of every micro-batch, and "
                              "train.accumulate asks for several a step: remove it"};
        }
        return ShardedWeights::check("zero_sgd", facts);
    }
    [[nodiscard]] bool isTimeOnly() const override { return params_.stage == 3; }
    [[nodiscard]] bool averagesGradientsOf(std::int64_t) const override { return true; }
    void start(StepContext& context) override {
        if (params_.stage == 3) {
            order_.plan(context.params(), params_.limits());
            return gathers_.start(context, order_);
        }
        divide(context);
        order_.start(context,
                     [this, &context](std::size_t bucket, bool inPass) { sharded_.scatter(context, bucket, inPass); });
    }
    void afterBackward(StepContext& context) override {
        if (params_.stage == 3) return gathers_.finish(context);
        order_.finish();
        sharded_.awaitGradients(context);
    }
    void update(StepContext& context, Optimizer& optimizer) override {
        optimizer.step(sharded_.part(), context.learningRate());
    }
    void afterStep(StepContext& context) override {
        if (params_.stage == 2) sharded_.gather(context);
        if (params_.broadcastBuffers) broadcastBuffers(context);
    }
    void drain(StepContext&) override {}
    // Between two steps all ranks have the same weights, and nothing is under way.
    void save(StepContext&, Archive&) override {}
    Status load(StepContext& context, const Archive&) override {
        start(context);
        return {};
    }
    [[nodiscard]] FlatParams steppedPart(StepContext& context) override {
        divide(context);
        return sharded_.part();
    }

private:
    void divide(StepContext& context) {
        if (sharded_.isDivided()) return;
        order_.plan(context.params(), params_.limits(), context.comm().size());
        sharded_.divide(context, order_.ranges());
    }

    ZeroSgdParams params_;
    BucketOrder order_;
    ShardedWeights sharded_;
    LayerGathers gathers_;  // of stage 3
};

// With the reduce-scatters behind the backward pass, as those of one bucket are, that is an all-reduce by ring.
CommunicationPattern patternOfZero() {
    CommunicationPattern pattern = averagesEvery(1);
    pattern.limits = {{.field = "stage",
                       .value = "3",
                       .why = "with stage = 3 each layer's weights travel beside the passes of the layer before it, so "
                              "that its time is one of the layers"}};
    pattern.assumes = {"Nothing of the reduce-scatter is hidden by the backward pass: several buckets take less.",
                       "BatchNorm's statistics, where the model has them, are left out."};
    return pattern;
}

const AlgorithmRegistry::Add<ZeroSgd, ZeroSgdParams> kZeroSgdEntry{
    "zero_sgd", "Synchronous SGD, each rank steps its part of the weights", "arXiv 1910.02054", patternOfZero()};

}  // namespace
}  // namespace dasgd
