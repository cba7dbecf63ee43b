// LEAD, linear convergence with unlike data (Liu et al., ICLR 2021, arXiv 2007.00232). With D = 0 and H = x₀ at first,
//   Y = x − ηg − ηD;   q = C(Y − H);   Ŷ = H + q;   H ← (1−α)H + αŶ;   D ← D + γ/(2η)·(Ŷ − WŶ);   x ← x − ηg − ηD
// D sums to 0 over the ranks, so that ⟨x⟩ makes SGD's mean step, and takes out how unlike the data are: with full
// gradients all ranks come to the optimum of the mean, where D-PSGD stays apart from it. C is the operator of
// [compression], which the paper has unbiased (qsgd; "2 bits" of its blocks of 512 are norm "max" and 2 levels); H is a
// public copy (public_copies.h). Without an operator Ŷ = Y, which is exact diffusion, and nothing depends on H. On
// quadratics ranks also come to the optimum with sign and α = 1, though it is biased; with α = 0.5 they diverge.
//
// The order of the lines is our reading; it was checked by its reductions. W must be symmetric and static. η should be
// constant, as D is of gradients: in a step whose rate is 0 D stays as it is.
//
// Sends N, or a message, to each neighbour in every step, and waits for it. Memory beside the weights: 3 N, and N for
// each neighbour; with [compression] 4 N, and a message for each.
#include <torch/types.h>

#include <memory>
#include <string>
#include <utility>

#include "core/algorithms/extensions.h"
#include "core/algorithms/gossip/graph_mixing.h"
#include "core/algorithms/gossip/public_copies.h"
#include "core/algorithms/plain_sgd.h"
#include "core/compression/compressed_mean.h"
#include "core/cost/memory/memory_passes.h"
#include "core/step/archive.h"

namespace dasgd {
namespace {

constexpr double kLeadMemory = 0.5;

struct LeadParams {
    double memory = kLeadMemory;
    double consensus = 1;
    void visit(auto&& f) {
        f(memory, "memory",
          {.min = 0,
           .max = 1,
           .minOpen = true,
           .symbol = "α",
           .help =
               "With [compression]: share of what a rank sent that enters the copy which its neighbours have of it"});
        f(consensus, "consensus",
          {.min = 0,
           .max = 2,
           .minOpen = true,
           .maxOpen = true,
           .symbol = "γ",
           .help = "Step size of the correction of unlike data"});
    }
};

class Lead final : public Algorithm,
                   public Checkpointed,
                   public OwnUpdate,
                   public MixesOverGraph,
                   public CompressesExchanges {
public:
    explicit Lead(const LeadParams& params) : memory_(params.memory), consensus_(params.consensus) {
        mixing_.setGraph(graphOfDefaults("ring"));
    }

    void setGraph(std::shared_ptr<const Graph> graph) override { mixing_.setGraph(std::move(graph)); }
    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (auto refused = refuseAllButPlainSgd("lead", facts)) return refused;
        if (auto refused = mixing_.check(facts)) return refused;
        if (!compression_ && memory_ != kLeadMemory) {
            return FieldError{"memory",
                              "without [compression] nothing depends on the copies that memory is about: remove it, "
                              "or name an operator in [compression]"};
        }
        const Graph& graph = mixing_.graph();
        if (facts.workers == 1 || (graph.isSymmetric() && graph.period(facts.workers) == 1)) return std::nullopt;
        return FieldError{"graph.name",
                          "lead needs a graph that is symmetric and the same in each round: choose ring, torus, line, "
                          "star, complete, or a symmetric matrix"};
    }
    [[nodiscard]] std::optional<FieldError> checkCompression(const CompressionSettings& settings) const override {
        return checkPublicCopies(settings);
    }
    [[nodiscard]] bool keepsPublicCopies() const override { return true; }
    void setCompression(std::shared_ptr<const CompressionSettings> settings) override {
        compression_ = std::move(settings);
    }
    void start(StepContext& context) override {
        begin(context);
        mixing_.record(context);
    }
    // x − ηg in the weights, and Y beside them.
    void update(StepContext& context, Optimizer&) override {
        FlatParams& params = context.params();
        params.weights().sub_(params.gradients(), context.learningRate());
        at::sub_out(own_, params.weights(), dual_, context.learningRate());
        if (!copies_) mixed_.copy_(own_);
    }
    void afterStep(StepContext& context) override {
        if (copies_) return exchangeCoded(context);
        FlatParams& params = context.params();
        const double rate = context.learningRate();
        mixing_.mix(context, context.ownSteps() - 1, mixed_);
        context.executor().run({SpanKind::Merge, 3 * params.bytes()}, [&] {
            const at::NoGradGuard guard;
            // The difference first: multiplied before, the rounding of its terms would add up in D.
            if (rate != 0) dual_.add_(own_.sub_(mixed_), consensus_ / (2 * rate));
            params.weights().sub_(dual_, rate);
        });
    }
    void drain(StepContext&) override {}
    void save(StepContext& context, Archive& archive) override {
        archive.put("dual", dual_);
        if (!copies_) return;
        Archive own;
        copies_->save(context, own);
        archive.putUnder(kCompressionState, own);
    }
    Status load(StepContext& context, const Archive& archive) override {
        begin(context);
        DASGD_TRY(archive.read("dual", dual_));
        return copies_ ? copies_->load(archive.under(kCompressionState)) : Status();
    }

private:
    void begin(StepContext& context) {
        const at::Tensor& weights = context.params().weights();
        dual_ = at::zeros_like(weights);
        own_ = at::empty_like(weights);
        if (compression_) {
            copies_ = std::make_unique<PublicCopies>(compression_, context, mixing_.graph(),
                                                     PublicCopies::Steps{.memory = memory_});
        } else {
            mixed_ = at::empty_like(weights);
        }
    }
    void exchangeCoded(StepContext& context) {
        FlatParams& params = context.params();
        const double rate = context.learningRate();
        context.executor().run({SpanKind::Snapshot, copies_->encodeBytes()}, [&] { copies_->encode(context, own_); });
        copies_->launch(context);
        copies_->arrive(context);
        const std::int64_t bytes = copies_->decodeBytes() + mergeBytes(7, params.bytes());
        context.executor().run({SpanKind::Merge, bytes, copies_->collective()}, [&] {
            const at::NoGradGuard guard;
            copies_->decode(own_.zero_());  // WŶ − Ŷ
            if (rate != 0) dual_.sub_(own_, consensus_ / (2 * rate));
            params.weights().sub_(dual_, rate);
        });
        copies_->finish();
    }

    double memory_, consensus_;
    GraphMixing mixing_;
    std::shared_ptr<const CompressionSettings> compression_;
    std::unique_ptr<PublicCopies> copies_;  // of H; null where nothing is compressed
    at::Tensor dual_, own_, mixed_;         // [N]: D; Y; WY, where nothing is compressed
};

const AlgorithmRegistry::Add<Lead, LeadParams> kLeadEntry{"lead", "Gossip that comes to the optimum of unlike data",
                                                          "arXiv 2007.00232", gossipPattern()};

}  // namespace
}  // namespace dasgd
