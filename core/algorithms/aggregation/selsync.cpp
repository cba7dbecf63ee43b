// SelSync (Tyagi, Swany, IEEE CLUSTER 2023, arXiv 2307.07950): workers train alone, and average in a step where the
// gradient of one of them changes much. Each worker has two meters over its last T steps,
//   n_k = M(Σ‖g‖₂ over the parameters), δ_k = M(|n_k − n_{k−1}|/n_{k−1}),
// where M is a mean with weights (1−α), (1−α)², … from the newest value on. Step k is synchronised where k < T or some
// worker has δ_k ≥ θ, which one number from each says: a maximum over all ranks in every step. With
//   "weights"    w = ⟨w⟩ before the local step, whose gradient was taken at the own w: replicas differ by the steps
//   "gradients"  the optimiser takes ⟨g⟩: replicas keep the distance that local steps gave them
//
// Checked against the authors' code (sahiltyagi4/SelSync). Variants: its meters are 0 until they have T values, so that
// its step 2 divides 0 by 0, and here they are the mean of what there is; its first change is of an invented norm of 1,
// and here there is none. From a norm of 0 a change to another is infinite. BatchNorm's statistics stay each rank's
// own, there and here.
//
// Every step all-reduces one number, which the host reads, as it reads the sum of the norms; a synchronised step N
// more. All wait for both. Memory beside the weights: 2T numbers. A time-only run has no gradients: it synchronises in
// every step, which takes longest.
//
// With [compression] the gradients that are averaged are coded; the norms are of each rank's own gradient. What was not
// sent waits for the next synchronised step.
#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/averaging/coded_mean.h"
#include "core/algorithms/extensions.h"
#include "core/step/archive.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

struct SelsyncParams {
    double threshold = 0.3;
    std::int64_t window = 25;
    double smoothing = 0.01;
    std::string aggregate = "weights";
    void visit(auto&& f) {
        f(threshold, "threshold",
          {.min = 0,
           .symbol = "θ",
           .help = "Relative change of the gradient's norm from which on a step is synchronised; 0: every step"});
        f(window, "window",
          {.min = 1,
           .max = 1e6,
           .unit = "steps",
           .symbol = "T",
           .help = "Steps over which norms and changes are averaged; the first ones, up to it, are synchronised"});
        f(smoothing, "smoothing",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .symbol = "α",
           .help = "Share of its weight that a value loses with each step; 0: equal weights"});
        f(aggregate, "aggregate",
          {.help = "What a synchronised step averages: the weights before the local step, or the gradients",
           .choices = {"weights", "gradients"}});
    }
};

// Mean of the last values, of which each has (1−α) times the weight of the one after it.
class SelsyncMeter {
public:
    SelsyncMeter(std::int64_t window, double smoothing)
        : window_(static_cast<std::size_t>(window)), smoothing_(smoothing) {}
    void add(double value) {
        values_.push_back(value);
        if (values_.size() > window_) values_.pop_front();
    }
    [[nodiscard]] bool isEmpty() const { return values_.empty(); }
    // 0 without a value.
    [[nodiscard]] double mean() const {
        double sum = 0, weights = 0, weight = 1;
        for (auto value = values_.rbegin(); value != values_.rend(); ++value) {
            weight *= 1 - smoothing_;
            sum += weight * *value;
            weights += weight;
        }
        return weights > 0 ? sum / weights : 0;
    }

    void save(Archive& archive, const std::string& name) const {
        archive.put(name + "_count", std::ssize(values_));
        if (!isEmpty()) archive.put(name, at::tensor(std::vector<double>(values_.begin(), values_.end()), at::kDouble));
    }
    Status load(const Archive& archive, const std::string& name) {
        values_.clear();
        DASGD_ASSIGN(const std::int64_t count, archive.integer(name + "_count"));
        if (count == 0) return {};
        at::Tensor values = at::empty({count}, at::kDouble);
        DASGD_TRY(archive.read(name, values));
        const auto* first = values.const_data_ptr<double>();
        values_.assign(first, first + count);
        return {};
    }

private:
    std::size_t window_;
    double smoothing_;
    std::deque<double> values_;
};

class Selsync final : public Algorithm, public Checkpointed, public CompressesExchanges {
public:
    explicit Selsync(const SelsyncParams& params)
        : params_(params), norms_(params.window, params.smoothing), changes_(params.window, params.smoothing) {}

    [[nodiscard]] std::optional<FieldError> checkCompression(const CompressionSettings& settings) const override {
        if (params_.aggregate == "gradients") return checkCodedWeights(settings);
        return FieldError{"algorithm.aggregate",
                          "the weights themselves leave, whose coding errors would be in proportion to them: set "
                          "aggregate = \"gradients\", or remove [compression]"};
    }
    void setCompression(std::shared_ptr<const CompressionSettings> settings) override {
        compression_ = std::move(settings);
    }
    void start(StepContext& context) override {
        if (compression_) coded_ = std::make_unique<CodedMean>(compression_, context, at::Tensor());
    }
    void afterBackward(StepContext& context) override {
        const bool synchronised = anyAsks(context, asks(context));
        context.metric("synchronised", synchronised ? 1 : 0);
        if (!synchronised) return;
        if (coded_ && !coded_->leavesWhole(context.step())) return averageCoded(context);
        FlatParams& params = context.params();
        at::Tensor averaged = params_.aggregate == "weights" ? params.weights() : params.gradients();
        Pending mean = context.comm().allReduce(averaged, Reduce::Mean);
        context.executor().waitFor(mean, context.step(), params.bytes());
    }
    void afterStep(StepContext&) override {}
    void drain(StepContext&) override {}
    void save(StepContext& context, Archive& archive) override {
        norms_.save(archive, "norms");
        changes_.save(archive, "changes");
        if (!coded_) return;
        Archive own;
        coded_->save(context, own);
        archive.putUnder(kCompressionState, own);
    }
    Status load(StepContext& context, const Archive& archive) override {
        start(context);
        DASGD_TRY(norms_.load(archive, "norms"));
        DASGD_TRY(changes_.load(archive, "changes"));
        return coded_ ? coded_->load(archive.under(kCompressionState)) : Status();
    }

private:
    void averageCoded(StepContext& context) {
        at::Tensor& gradients = context.params().gradients();
        context.executor().run({SpanKind::Snapshot, coded_->encodeBytes()},
                               [&] { coded_->encode(context, gradients); });
        coded_->launch(context);
        coded_->arrive(context);
        context.executor().run({SpanKind::Merge, coded_->decodeBytes(), coded_->collective()}, [&] {
            const at::NoGradGuard guard;
            coded_->decode(gradients);
        });
        coded_->finish();
    }
    // True where this rank is for an average in the present step.
    bool asks(StepContext& context) {
        const double norm = normOf(context);
        if (context.params().shapesOnly()) return true;
        const bool isFirst = norms_.isEmpty();
        const double before = norms_.mean();
        norms_.add(norm);
        if (!isFirst) changes_.add(changeOf(before, norms_.mean()));
        return context.step() < params_.window || changes_.mean() >= params_.threshold;
    }
    static double changeOf(double before, double now) {
        if (before == 0) return now == 0 ? 0 : std::numeric_limits<double>::infinity();
        return std::abs(now - before) / before;
    }
    // Σ‖g‖₂ over the parameters, for which the host waits.
    static double normOf(StepContext& context) {
        FlatParams& params = context.params();
        double sum = 0;
        // A snapshot is charged as two passes over memory, and this is one.
        context.executor().run({SpanKind::Snapshot, params.bytes() / 2}, [&] {
            const at::NoGradGuard guard;
            std::vector<at::Tensor> norms;
            for (const FlatParams::Slot& slot : params.slots()) {
                norms.push_back(params.gradients().narrow(0, slot.offset, slot.numel).norm());
            }
            sum = at::stack(norms).sum(at::kDouble).item<double>();
        });
        return sum;
    }
    static bool anyAsks(StepContext& context, bool own) {
        at::Tensor flag = at::full({1}, own ? 1 : 0, at::kFloat);
        Pending most = context.comm().allReduce(flag, Reduce::Max);
        context.executor().waitFor(most, context.step(), static_cast<std::int64_t>(flag.nbytes()));
        return *flag.const_data_ptr<float>() > 0;
    }

    SelsyncParams params_;
    SelsyncMeter norms_, changes_;
    std::shared_ptr<const CompressionSettings> compression_;
    std::unique_ptr<CodedMean> coded_;  // null where nothing is compressed
};

const AlgorithmRegistry::Add<Selsync, SelsyncParams> kSelsyncEntry{
    "selsync", "Averages only in steps where some worker's gradient changes much", "arXiv 2307.07950",
    noFormula("which steps are synchronised depends on the gradients")};

}  // namespace
}  // namespace dasgd
