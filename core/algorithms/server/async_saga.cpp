// Asynchronous SAGA on a parameter server, to which ADSAGA gives rates under random delays (Glasgow, Wootters, arXiv
// 2009.10717, AISTATS 2022). SAGA is of Defazio, Bach, Lacoste-Julien, NIPS 2014, arXiv 1407.0202. The objective is the
// mean of n components, the workers' batches, each of which is the same in each pass. A worker keeps the last gradient
// aⱼ of each of its own components, 0 at first, and pushes what is new in that of the present one; the server keeps
// their mean ā:
//   worker:  δ = ∇fⱼ(x) − aⱼ;    aⱼ ← aⱼ + δ
//   server:  x ← x − η(δ + ā);   ā ← ā + δ/n
// Every gradient is an update of its own, and nobody waits. Unlike async_sgd it goes to the minimum of the mean also
// where the workers are not equally fast.
//
// Read: the abstract. Our reading: the server's step, in which ā is the old one as in serial SAGA. Variant: a worker
// takes its components in their order, pass after pass; SAGA draws them. Components weigh the same, whatever the number
// of their samples. Random augmentation, dropout and a quadratic's noise make a component's gradient a random one,
// which this does not take the noise out of.
//
// Memory besides the weights: N elements for each batch of a pass on a worker, and two shards on a server.
#include <torch/types.h>

#include <cmath>
#include <string>

#include "core/algorithms/server/bounded_lead.h"
#include "core/algorithms/server/parameter_server.h"
#include "core/base/check.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

struct AsyncSagaParams {
    std::int64_t servers = 1;
    void visit(auto&& f) { f(servers, "servers", serversField()); }
};

class SagaUpdate final : public ShardUpdate {
public:
    // `components`: n.
    SagaUpdate(at::Tensor mean, std::int64_t components)
        : mean_(std::move(mean)), next_(at::empty_like(mean_)), components_(static_cast<double>(components)) {}
    void make(StepContext& context, FlatParams& shard, double rate, const std::vector<int>& workers) override {
        at::Tensor delta = shard.gradients();
        next_.copy_(delta).div_(components_).add_(mean_);
        delta.add_(mean_);
        ShardUpdate::make(context, shard, rate, workers);
        std::swap(mean_, next_);
    }
    void save(Archive& archive) const override { archive.put("mean", mean_); }
    Status load(const Archive& archive) override { return archive.read("mean", mean_); }

private:
    at::Tensor mean_, next_;  // [shard]: ā, and that after the next gradient
    double components_;
};

class AsyncSaga final : public ParameterServer {
public:
    explicit AsyncSaga(const AsyncSagaParams& params) : ParameterServer(params.servers) {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        const auto refuse = [](const char* field, const std::string& why) { return FieldError{field, why}; };
        if (facts.sharesWork) {
            return refuse("train.work",
                          "async_saga: each worker keeps the gradients of its own batches: set work = \"steps\"");
        }
        if (facts.optimizerState > 0 || facts.layerwise) {
            return refuse("optimizer.name",
                          "async_saga is plain SGD on the servers: set name = \"sgd\" and momentum = 0 in [optimizer]");
        }
        if (facts.decaysWeights) {
            return refuse("optimizer.weight_decay",
                          "async_saga keeps gradients of batches, which weight decay is not in: remove it");
        }
        if (facts.clips) {
            return refuse("train.gradient_clip",
                          "async_saga steps with differences of gradients, which are not clipped: remove it");
        }
        if (facts.fixedBatches == 0) {
            return refuse("data.shuffle",
                          "async_saga keeps the last gradient of each batch, and here each pass has other batches: set "
                          "shuffle = \"none\", and leave partition out or set it to \"iid\"");
        }
        const double bytes =
            static_cast<double>(facts.fixedBatches * facts.elementBytes) * static_cast<double>(facts.weights());
        if (bytes > facts.hostBytes) {
            return refuse("train.batch_size",
                          "async_saga keeps a gradient for each of " + std::to_string(facts.fixedBatches) +
                              " batches of a pass, which takes " + gigabytes(bytes) +
                              " of memory on each worker, and this machine has " + gigabytes(facts.hostBytes) +
                              ": choose a larger batch_size, or fewer samples");
        }
        return ParameterServer::check(facts);
    }

    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return makeBoundedLead(facts, kNoBound);
    }
    [[nodiscard]] std::unique_ptr<ShardUpdate> makeUpdate(StepContext& context, std::int64_t size) const override {
        return std::make_unique<SagaUpdate>(at::zeros({size}, context.params().weights().options()),
                                            context.fixedBatches() * workersOf(context.comm().size()));
    }
    [[nodiscard]] bool hasUnboundedSkew(const RunLength&) const override { return true; }

    void start(StepContext& context) override {
        DASGD_CHECK(context.fixedBatches() > 0 && "check() refuses others");
        ParameterServer::start(context);
        last_.resize(static_cast<std::size_t>(context.fixedBatches()));
    }

    void afterBackward(StepContext& context) override {
        FlatParams& params = context.params();
        at::Tensor& last = last_[static_cast<std::size_t>((context.step() - 1) % std::ssize(last_))];
        if (!last.defined()) last = at::zeros_like(params.gradients());
        context.executor().run({SpanKind::Merge, 2 * params.bytes()}, [&] {
            const at::NoGradGuard guard;
            params.gradients().sub_(last);
            last.add_(params.gradients());
        });
    }

    void save(StepContext& context, Archive& archive) override {
        for (std::size_t j = 0; j < last_.size(); ++j) {
            if (last_[j].defined()) archive.put(nameOf(j), last_[j]);
        }
        ParameterServer::save(context, archive);
    }
    Status load(StepContext& context, const Archive& archive) override {
        DASGD_TRY(ParameterServer::load(context, archive));
        for (std::size_t j = 0; j < last_.size(); ++j) {
            if (!archive.has(nameOf(j))) continue;
            last_[j] = at::empty_like(context.params().weights());
            DASGD_TRY(archive.read(nameOf(j), last_[j]));
        }
        return {};
    }

private:
    static std::string gigabytes(double bytes) { return std::to_string(std::llround(bytes / 1e9)) + " GB"; }
    static std::string nameOf(std::size_t batch) { return "gradient." + std::to_string(batch); }

    std::vector<at::Tensor> last_;  // a of each of the rank's batches, [N] each; undefined: 0
};

const AlgorithmRegistry::Add<AsyncSaga, AsyncSagaParams> kAsyncSagaEntry{
    "async_saga", "Asynchronous parameter server that takes out the variance of batches", "arXiv 2009.10717",
    noFormula(
        "its workers push and pull whenever they come, and which of them share a server's link depends on how far "
        "apart they are")};

}  // namespace
}  // namespace dasgd
