// Post-local SGD (Lin et al., "Don't Use Large Mini-Batches, Use Local SGD", arXiv 1808.07217): the first k₀ steps are
// synchronous SGD, those behind them Local SGD. Of PyTorch's implementation (torch/distributed/algorithms:
// ddp_comm_hooks/post_localSGD_hook.py, model_averaging/averagers.py) without its averages inside a node. Weights are
// averaged after the steps k > k₀ that τ divides; PyTorch, which counts steps from k₀, does so after k₀+1, k₀+1+τ, ….
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/gradient_buckets.h"

namespace dasgd {
namespace {

struct PostLocalSgdParams {
    std::int64_t syncSteps = 8;
    DelayedAverageParams averages{.period = 4, .delay = 0, .localWeight = 0};
    GradientBucketsParams buckets;
    void visit(auto&& f) {
        f(syncSteps, "sync_steps",
          {.min = 0,
           .max = 1e15,
           .unit = "steps",
           .symbol = "k₀",
           .help = "First steps, which average gradients; the paper takes those before the first decay of the rate"});
        f(averages.period, "period", periodField("Local steps between averages, after those"));
        f(averages.optimizerState, "optimizer_state", optimizerStateField());
        buckets.visit(f);
    }
};

class PostLocalSgd final : public DelayedAverage {
public:
    explicit PostLocalSgd(const PostLocalSgdParams& params)
        : DelayedAverage(params.averages), buckets_(params.buckets), syncSteps_(params.syncSteps) {}

    void start(StepContext& context) override {
        if (context.step() < syncSteps_) buckets_.start(context);
    }
    void afterBackward(StepContext& context) override {
        if (context.step() <= syncSteps_) buckets_.finish(context);
    }
    void afterStep(StepContext& context) override {
        if (context.step() > syncSteps_) return DelayedAverage::afterStep(context);
        buckets_.broadcastBuffers(context);
        if (context.step() == syncSteps_) buckets_.stop();
    }
    Status load(StepContext& context, const Archive& archive) override {
        start(context);
        return DelayedAverage::load(context, archive);
    }

private:
    GradientBuckets buckets_;
    std::int64_t syncSteps_;
};

CommunicationPattern patternOfPostLocalSgd() {
    CommunicationPattern pattern = averagesWithState();
    pattern.gradientSteps = ofField("sync_steps");
    pattern.firstBucketMb = ofField("first_bucket_mb");
    return pattern;
}

const AlgorithmRegistry::Add<PostLocalSgd, PostLocalSgdParams> kPostLocalSgdEntry{
    "post_local_sgd", "Synchronous SGD first, then Local SGD", "arXiv 1808.07217", patternOfPostLocalSgd()};

}  // namespace
}  // namespace dasgd
