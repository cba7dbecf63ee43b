// Post-local SGD (Lin et al., "Don't Use Large Mini-Batches, Use Local SGD", arXiv 1808.07217): the first k₀ steps are
// synchronous SGD, the following ones Local SGD. As PyTorch's implementation (torch/distributed/algorithms:
// ddp_comm_hooks/post_localSGD_hook.py, model_averaging/averagers.py) without its averages inside a node. Weights are
// averaged after the steps k > k₀ that τ divides; PyTorch, which counts steps from k₀, does so after k₀+1, k₀+1+τ, ….
#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/sync_steps.h"

namespace dasgd {
namespace {

struct PostLocalSgdParams {
    SyncSteps sync{.steps = 8};
    DelayedAverageParams averages{.period = 4, .delay = 0, .localWeight = 0};
    void visit(auto&& f) {
        f(sync.steps, "sync_steps",
          syncStepsField("First steps, which average gradients; the paper takes those before the first decay of the "
                         "rate"));
        f(averages.period, "period", periodField("Local steps between averages, after those"));
        f(averages.optimizerState, "optimizer_state", optimizerStateField());
        f(averages.statePeriods, "state_periods", statePeriodsField());
        sync.buckets.visit(f);
    }
    [[nodiscard]] std::optional<FieldError> check() const { return averages.check(); }
    // The engine counts from k₀.
    [[nodiscard]] DelayedAverageParams settings() const {
        DelayedAverageParams counted = averages;
        counted.offset = (averages.period - sync.steps % averages.period) % averages.period;
        return counted;
    }
};

class PostLocalSgd : public DelayedMean {
public:
    explicit PostLocalSgd(const PostLocalSgdParams& params) : DelayedMean(params.settings()) {}
};

CommunicationPattern patternOfPostLocalSgd() {
    CommunicationPattern pattern = averagesWithState();
    pattern.gradientSteps = ofField("sync_steps");
    pattern.firstBucketMb = ofField("first_bucket_mb");
    return pattern;
}

const AlgorithmRegistry::Add<AfterSyncSteps<PostLocalSgd>, PostLocalSgdParams> kPostLocalSgdEntry{
    "post_local_sgd", "Synchronous SGD first, then Local SGD", "arXiv 1808.07217", patternOfPostLocalSgd()};

}  // namespace
}  // namespace dasgd
