// Asynchronous elastic averaging SGD (Zhang, Choromanska, LeCun, NeurIPS 2015, arXiv 1412.6651; over Spark: DeepSpark,
// Kim et al., arXiv 1602.08191). A worker makes τ steps of its own optimiser, then exchanges with the centre z that the
// servers hold, in the order of arrival:
//   e = α(wᵢ − z);   z ← z + e;   wᵢ ← wᵢ − e
// so that an exchange leaves wᵢ + z as it is. z is what is evaluated and what the run ends with. With α = 0 the workers
// are independent.
//
// Variant: the exchange follows the τ-th step, where the papers have it before the next; that is the same. A worker
// waits for its e and for no other worker.
//
// Per exchange a worker sends and receives S bytes. Memory besides the weights: N elements on a worker, and a shard for
// each worker on a server.
#include <ATen/ops/sub.h>
#include <torch/types.h>

#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/averaging/delayed_average.h"
#include "core/algorithms/server/bounded_lead.h"
#include "core/algorithms/server/parameter_server.h"

namespace dasgd {
namespace {

struct AsyncEasgdParams {
    std::int64_t servers = 1;
    std::int64_t period = 4;
    double pull = 0.1;
    void visit(auto&& f) {
        f(servers, "servers", serversField());
        f(period, "period", periodField("Local steps between two exchanges with the centre"));
        f(pull, "pull",
          {.min = 0, .max = 1, .symbol = "α", .help = "Elastic pull between worker and centre in an exchange"});
    }
};

class ElasticUpdate final : public ShardUpdate {
public:
    // `pulls`: [shard] for each worker.
    ElasticUpdate(double pull, std::vector<at::Tensor> pulls) : pull_(pull), pulls_(std::move(pulls)) {}
    // A worker that pushes has received its last pull, so that this one may take its place.
    void make(StepContext&, FlatParams& shard, double, const std::vector<int>& workers) override {
        at::Tensor& pull = pulls_[static_cast<std::size_t>(workers.front())];
        at::sub_out(pull, shard.gradients(), shard.weights()).mul_(pull_);
        shard.weights().add_(pull);
    }
    [[nodiscard]] at::Tensor answerTo(int worker) override { return pulls_[static_cast<std::size_t>(worker)]; }

private:
    double pull_;
    std::vector<at::Tensor> pulls_;  // the last e of each worker, [shard]
};

class AsyncEasgd final : public ParameterServer {
public:
    explicit AsyncEasgd(const AsyncEasgdParams& params) : ParameterServer(params.servers), params_(params) {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.sharesWork) {
            return FieldError{"train.work",
                              "async_easgd: a server hears of a worker once in so many steps, and cannot tell it "
                              "which gradient to make next: set work = \"steps\""};
        }
        if (facts.steps > 0 && facts.steps < params_.period) {
            return FieldError{"period", "period is " + std::to_string(params_.period) + " and a worker makes " +
                                            std::to_string(facts.steps) +
                                            " steps: the centre, which is what is evaluated, would stay where it "
                                            "starts; allowed: 1 to " +
                                            std::to_string(facts.steps)};
        }
        return ParameterServer::check(facts);
    }

    [[nodiscard]] std::unique_ptr<ServerPolicy> makePolicy(const ServerPolicy::Facts& facts) const override {
        return makeBoundedLead(facts, kNoBound);
    }
    [[nodiscard]] std::unique_ptr<ShardUpdate> makeUpdate(StepContext& context, std::int64_t size) const override {
        std::vector<at::Tensor> pulls;
        for (int worker = 0; worker < workersOf(context.comm().size()); ++worker) {
            pulls.push_back(at::empty({size}, context.params().weights().options()));
        }
        return std::make_unique<ElasticUpdate>(params_.pull, std::move(pulls));
    }
    [[nodiscard]] bool workersStep() const override { return true; }
    [[nodiscard]] std::int64_t roundSteps() const override { return params_.period; }
    [[nodiscard]] bool hasUnboundedSkew(const RunLength&) const override { return true; }

    void update(StepContext& context, Optimizer& optimizer) override {
        optimizer.step(context.params(), context.learningRate());
    }

    void afterStep(StepContext& context) override {
        if (context.step() % params_.period != 0) return;
        const at::Tensor& weights = context.params().weights();
        if (!pull_.defined()) pull_ = at::empty_like(weights);
        exchange(context, weights, pull_);
        context.executor().run({SpanKind::Merge, static_cast<std::int64_t>(pull_.nbytes())}, [&] {
            const at::NoGradGuard guard;
            at::Tensor own = weights;
            own.sub_(pull_);
        });
    }

protected:
    [[nodiscard]] std::int64_t period() const override { return params_.period; }

private:
    AsyncEasgdParams params_;
    at::Tensor pull_;  // [N]: the last e of this worker
};

const AlgorithmRegistry::Add<AsyncEasgd, AsyncEasgdParams> kAsyncEasgdEntry{
    "async_easgd", "Elastic averaging around a server's centre, each worker at its own pace", "arXiv 1602.08191",
    noFormula(
        "its workers push and pull whenever they come, and which of them share a server's link depends on how far "
        "apart they are")};

}  // namespace
}  // namespace dasgd
