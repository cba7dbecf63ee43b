// ACCO, accumulate while you communicate (Nabli et al., NeurIPS 2025, arXiv 2406.02613): a batch in two halves, of
// which each hides the other's reduce-scatter, update of the own part and all-gather. From θ_t the first half's mean
// gradient makes an estimate of the next weights, for which the optimiser's state is put back, and both make the next
// weights:
//   θ̃_{t+1} = U(θ_t, ⟨g_A(θ̃_t)⟩)    θ_{t+1} = U(θ_t, ⟨g_A(θ̃_t) + g_B(θ_t)⟩ / 2)    θ̃_0 = θ_0
//
//   passes          g_A(θ̃_t)       g_B(θ_t)      g_A(θ̃_{t+1})   g_B(θ_{t+1})
//   communication   g_B of t−1 → θ_t   g_A → θ̃_{t+1}   g_B → θ_{t+1}   g_A → θ̃_{t+2}
//
// Checked against the authors' code (edouardoyallon/acco, trainer_decoupled.py) and its figure. A step of the run is
// one half: odd steps are g_A at θ̃, even ones g_B at θ, and two steps, with batches of batch_size each, make an update.
// So sync_sgd with the batch of an update has twice the batch_size, and half the steps. A sum is divided by the number
// of gradients in it, whatever their samples. Variants: there a rank goes on adding gradients up until its
// communication is done, here each half is one gradient; there ⟨g_A + g_B⟩ is reduced at once, here ⟨g_B⟩ is added to
// what is left of ⟨g_A⟩, which has the part's size. What is evaluated is the newest θ that has arrived, as there; the
// run ends with the update that was under way in its last step, which no evaluation sees. An odd number of steps ends
// with half an update, which is dropped.
//
// `estimates = false` is the delayed parameter update of its comparison (DPU, arXiv 2101.06840): each step's gradient
// is an update of its own, θ_{t+1} = U(θ_t, ⟨g(θ_{t−1})⟩).
//
// Records staleness/steps as each estimate or update is merged: steps since the gradient that it is made with left.
//
// Each step sends 2(P−1)/P·S, so that an update sends twice what sync_sgd sends for it. The update is made by the
// thread that ends the reduce-scatter, and has no span; in simulated time the passes are charged for one of all weights
// in each step. Memory beside weights and gradients [N]: N for what is exchanged, and of a rank's part n = N/P its
// weights, mean gradients (2n with estimates), what is gathered, θ_t and, during an estimate, the optimiser's state.
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/algorithms/shards/sharded_weights.h"
#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "core/cost/memory/memory_passes.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

struct AccoParams {
    bool estimates = true;
    void visit(auto&& f) {
        f(estimates, "estimates",
          {.help = "Two steps make an update, and the first of them an estimate of it; otherwise each step makes one, "
                   "with the gradient of the weights before (DPU)"});
    }
};

class Acco final : public Algorithm, public Checkpointed, public OwnUpdate, public StepsPart, public NamesWeights {
public:
    explicit Acco(const AccoParams& params) : params_(params) {}
    ~Acco() override {
        const std::lock_guard lock(life_->mutex);
        life_->isOver = true;
    }

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.onGpus) {
            return FieldError{"cluster.backend",
                              "acco makes its updates beside the passes, on a thread of the host, and these ranks "
                              "compute on GPUs: choose backend = \"gloo\", \"threads\" or \"virtual\", or set name = "
                              "\"zero_sgd\" in [algorithm]"};
        }
        return ShardedWeights::check("acco", facts);
    }
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.estimates ? 2 : 1; }

    void start(StepContext& context) override {
        divide(context);
        std::vector<Rank> all;
        for (int rank = 0; rank < context.comm().size(); ++rank) all.emplace_back(rank);
        gathering_ = context.comm().split(all, false);
    }
    void afterBackward(StepContext& context) override {
        await(context);
        merge(context);
        launch(context);
    }
    // The weights are updated beside the next passes.
    void update(StepContext&, Optimizer&) override {}
    void afterStep(StepContext&) override {}
    // An estimate is dropped: the weights are θ.
    void drain(StepContext& context) override {
        await(context);
        if (arriving_ == Arriving::Weights) merge(context);
    }
    [[nodiscard]] FlatParams steppedPart(StepContext& context) override {
        divide(context);
        return *part_;
    }
    [[nodiscard]] at::Tensor namedWeights(StepContext& context) override {
        const auto [begin, end] = own(context);
        at::Tensor named = at::zeros_like(context.params().weights());
        const at::Tensor& theta = theta_.defined() ? theta_ : context.params().weights().narrow(0, begin, end - begin);
        named.narrow(0, begin, end - begin).copy_(theta.narrow(0, 0, end - begin));
        return named;
    }

    void save(StepContext& context, Archive& archive) override {
        await(context);
        archive.put("arriving", static_cast<std::int64_t>(arriving_));
        archive.put("exchanged", exchanged_);
        archive.put("part", part_->weights());
        archive.put("theta", theta_);
        if (params_.estimates) archive.put("first_half", firstHalf_);
    }
    Status load(StepContext& context, const Archive& archive) override {
        start(context);
        DASGD_ASSIGN(const std::int64_t arriving, archive.integer("arriving"));
        arriving_ = static_cast<Arriving>(arriving);
        launchedAt_ = context.step();  // an exchange leaves in each step
        DASGD_TRY(archive.read("exchanged", exchanged_));
        DASGD_TRY(archive.read("part", part_->weights()));
        DASGD_TRY(archive.read("theta", theta_));
        return params_.estimates ? archive.read("first_half", firstHalf_) : Status();
    }

private:
    // What the communication under way, or awaited and not merged yet, brings.
    enum class Arriving : std::uint8_t { Nothing, Estimate, Weights };
    // The thread that ends a reduce-scatter may come to it when this rank has failed and its objects are gone.
    struct Life {
        std::mutex mutex;
        bool isOver = false;
    };

    static std::int64_t bytesIn(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

    // The rank's part of the flat weights: elements [begin, end), of which the last ranks may have fewer.
    [[nodiscard]] static std::pair<std::int64_t, std::int64_t> own(StepContext& context) {
        const std::int64_t size = context.params().size(), part = partSize(context);
        const std::int64_t begin = std::min(context.comm().rank().value() * part, size);
        return {begin, std::min(begin + part, size)};
    }
    [[nodiscard]] static std::int64_t partSize(StepContext& context) {
        const std::int64_t ranks = context.comm().size();
        return (context.params().size() + ranks - 1) / ranks;
    }

    void divide(StepContext& context) {
        if (part_) return;
        const auto options = context.params().gradients().options();
        const std::int64_t size = partSize(context);
        part_ = FlatParams::copyOf(context.params(), {own(context)}, at::zeros({size}, options));
        theta_ = part_->weights().clone();
        exchanged_ = at::zeros({size * context.comm().size()}, options);
        if (!params_.estimates) return;
        firstHalf_ = at::zeros({size}, options);
        estimate_ = at::empty({size}, options);
    }

    void await(StepContext& context) {
        if (!gathered_) return;
        context.executor().waitFor(scattered_, launchedAt_, bytesIn(exchanged_));
        context.executor().waitFor(gathered_, launchedAt_, bytesIn(theta_));
        // The instant at which the gather left belongs to no step: it counts as sent in the one that waits for it.
        const std::int64_t sent = gathering_->bytesSent();
        context.comm().countSent(sent - std::exchange(counted_, sent));
    }

    void merge(StepContext& context) {
        if (arriving_ == Arriving::Nothing) return;
        const bool isTheta = std::exchange(arriving_, Arriving::Nothing) == Arriving::Weights;
        context.record(metrics::kStalenessSteps, static_cast<double>(context.step() - launchedAt_));
        FlatParams& params = context.params();
        const std::int64_t bytes = params.bytes() + (isTheta ? bytesIn(theta_) : 0);
        context.executor().run({SpanKind::Merge, mergeBytes(kPassesOfCopy, bytes)}, [&] {
            const at::NoGradGuard guard;
            params.weights().copy_(exchanged_.narrow(0, 0, params.size()));
            if (isTheta) theta_.copy_(part_->weights());
        });
    }

    void launch(StepContext& context) {
        FlatParams& params = context.params();
        context.executor().run({SpanKind::Snapshot, snapshotBytes(kPassesOfCopy, params.bytes())}, [&] {
            const at::NoGradGuard guard;
            exchanged_.narrow(0, 0, params.size()).copy_(params.gradients());
        });
        const bool isFirst = params_.estimates && context.step() % 2 == 1;
        arriving_ = isFirst ? Arriving::Estimate : Arriving::Weights;
        launchedAt_ = context.step();
        Pending scatter =
            context.comm().reduceScatter(exchanged_, isFirst ? firstHalf_ : part_->gradients(), Reduce::Mean);
        scattered_ = Pending(scatter.operation(), scatter.collective());
        // The chain would have the scatter's number, and both would count as one collective. The gather before this one
        // has ended, so that the next number of their communicator is known.
        const std::uint64_t gather = gathering_->nextCollective();
        // The context may be gone when the thread calls; the optimiser is there as long as this is.
        Pending both =
            std::move(scatter).then([this, &optimizer = context.optimizer(), isFirst, computes = !params.shapesOnly(),
                                     rate = context.learningRate(), life = life_] {
                const std::lock_guard lock(life->mutex);
                if (life->isOver) throw CommError("the rank has ended");
                if (computes) isFirst ? makeEstimate(optimizer, rate) : makeUpdate(optimizer, rate);
                return gathering_->allGather(isFirst ? estimate_ : part_->weights(), exchanged_);
            });
        gathered_ = Pending(both.operation(), gather);
    }

    void makeUpdate(Optimizer& optimizer, double rate) {
        const at::NoGradGuard guard;
        if (params_.estimates) part_->gradients().add_(firstHalf_).div_(2);
        optimizer.step(*part_, rate);
    }

    void makeEstimate(Optimizer& optimizer, double rate) {
        const at::NoGradGuard guard;
        Archive state;
        optimizer.save(state);
        part_->gradients().copy_(firstHalf_);
        optimizer.step(*part_, rate);
        estimate_.copy_(part_->weights());
        part_->weights().copy_(theta_);
        const Status restored = optimizer.load(state, *part_);
        DASGD_CHECK(restored && "an optimiser loads what it has saved");
    }

    const AccoParams params_;
    std::optional<FlatParams> part_;           // what this rank steps: θ, its mean gradient
    at::Tensor theta_;                         // [n]: the part of θ that the model has, or had last
    at::Tensor firstHalf_, estimate_;          // [n]: the mean of g_A, and the part of θ̃ that is gathered
    at::Tensor exchanged_;                     // [P · n]: a gradient that is reduced, then the weights that come of it
    std::unique_ptr<Communicator> gathering_;  // for the gathers alone, whose launches have no common order with others
    std::int64_t counted_ = 0;                 // bytes of it that have been counted
    Pending scattered_, gathered_;
    Arriving arriving_ = Arriving::Nothing;
    std::int64_t launchedAt_ = 0;  // step
    std::shared_ptr<Life> life_ = std::make_shared<Life>();
};

// Each step's exchange has the passes of the next one to hide behind.
CommunicationPattern patternOfAcco() {
    CommunicationPattern pattern = averagesEvery(1, 1);
    pattern.assumes = {"A step is half of a batch: two make an update, unless estimates = false."};
    return pattern;
}

const AlgorithmRegistry::Add<Acco, AccoParams> kAccoEntry{
    "acco", "Divided updates of two half-batches, of which each hides the other's communication", "arXiv 2406.02613",
    patternOfAcco()};

}  // namespace
}  // namespace dasgd
