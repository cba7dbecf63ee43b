// OSP, two-stage synchronisation (arXiv 2306.16926, ICPP 2023; not the OSP of ICPP 2019). In each step the mean
// gradient of the important elements is waited for; that of the others, the set L, travels beside the next step. θ
// being what synchronous SGD would have:
//   θᵏ = U(θᵏ⁻¹, ⟨gᵏ⟩), and a worker goes on with θᵏ outside of L and with U(θᵏ⁻¹, its own gᵏ) in L
// until ⟨gᵏ⟩ of L has come, with which it has all of θᵏ before its next update. With L = ∅ that is synchronous SGD;
// with L everything it is dasgd with τ = 1, d = 1, local_weight = 0, correction = 1.
//
// Read: the abstract. From memory: that L is whole layers, those of least ⟨|g·w|⟩, and that the paper lets its share
// grow as the loss falls and trains the first epoch with L = ∅. Our reading: a share of the elements that stays, by the
// mean gradient of the step before, so that all ranks choose alike; the first step has L = ∅. A layer is a weight and
// the parameters behind it that have one dimension, as its bias; one that is larger than what is left of the share is
// passed over. There a server takes the
// two stages; here they are two all-reduces. A worker's own step in L is U's, with the momentum of θ; the published one
// is plain SGD's, −ηg, and so is this one without momentum.
//
// Where nothing is computed, elements have no importance: L is then the last ones in the order of registration.
// Memory besides the weights, N elements each: θ, its momentum, the mean gradient, and the rank's own gradient for a
// moment.
#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/algorithms/algorithm.h"
#include "core/algorithms/extensions.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"
#include "core/step/in_flight.h"
#include "core/step/step_context.h"

namespace dasgd {
namespace {

struct OspParams {
    double lateShare = 0.5;
    std::string important = "importance";
    void visit(auto&& f) {
        f(lateShare, "late_share",
          {.min = 0,
           .max = 1,
           .symbol = "U",
           .help = "Largest share of the gradient's elements that travels beside the next step"});
        f(important, "important",
          {.help =
               "What is waited for: the layers of largest mean |gradient x weight|, or the first elements in the order "
               "of registration",
           .choices = {"importance", "order"}});
    }
};

// Elements begin … end − 1 of the flat tensors.
struct Range {
    std::int64_t begin = 0, end = 0;
    [[nodiscard]] at::Tensor of(const at::Tensor& flat) const { return flat.narrow(0, begin, end - begin); }
};
using Ranges = std::vector<Range>;

std::int64_t sizeOf(const Ranges& ranges) {
    std::int64_t size = 0;
    for (const Range& range : ranges) size += range.end - range.begin;
    return size;
}

void pack(const at::Tensor& flat, const Ranges& ranges, const at::Tensor& into) {
    std::int64_t position = 0;
    for (const Range& range : ranges) {
        const at::Tensor from = range.of(flat);
        into.narrow(0, position, from.numel()).copy_(from);
        position += from.numel();
    }
}

void unpack(const at::Tensor& from, const Ranges& ranges, const at::Tensor& flat) {
    std::int64_t position = 0;
    for (const Range& range : ranges) {
        at::Tensor to = range.of(flat);
        to.copy_(from.narrow(0, position, to.numel()));
        position += to.numel();
    }
}

struct OspLayer {
    Range range;  // ends where the next one begins: padding between parameters is part of it
    std::int64_t elements = 0;
};

std::vector<OspLayer> layersOf(const FlatParams& params) {
    std::vector<OspLayer> layers;
    for (const FlatParams::Slot& slot : params.slots()) {
        if (layers.empty() || slot.parameter.dim() > 1) layers.push_back({{slot.offset, 0}});
        layers.back().elements += slot.numel;
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        layers[i].range.end = i + 1 < layers.size() ? layers[i + 1].range.begin : params.size();
    }
    return layers;
}

class Osp final : public Algorithm, public Checkpointed, public OwnUpdate {
public:
    explicit Osp(const OspParams& params) : params_(params) {}

    [[nodiscard]] std::optional<FieldError> check(const RunOutline& facts) const override {
        if (facts.clips) {
            return FieldError{"train.gradient_clip",
                              "osp has the mean of all gradients only when the next step is made: remove it"};
        }
        if (facts.optimizerState <= 1) return std::nullopt;
        return FieldError{"optimizer.name",
                          "osp makes some updates twice, and this optimiser counts its steps: set name = \"sgd\" in "
                          "[optimizer]"};
    }

    void start(StepContext& context) override {
        theta_ = at::empty_like(context.params().weights());
        mean_ = at::empty_like(theta_);
        layers_ = layersOf(context.params());
        importance_.assign(layers_.size(), 0);
    }

    void afterBackward(StepContext& context) override {
        flight_.await(context);
        merge(context);
        choose(context);
        if (!now_.empty()) {
            at::Tensor gradients = packedIn(context, now_);
            Pending important = context.comm().allReduce(gradients, Reduce::Mean);
            context.executor().waitFor(important, context.step(), bytesOf(gradients));
            run(context, SpanKind::Merge, bytesOf(gradients),
                [&] { unpack(gradients, now_, context.params().gradients()); });
        }
        if (late_.empty()) return;
        lateGradients_ = packedIn(context, late_);
        flight_.begin(context);
        flight_.add(context.comm().allReduce(lateGradients_, Reduce::Mean), bytesOf(lateGradients_));
    }

    // The gradient is the mean of all ranks where it was waited for, and the rank's own elsewhere.
    void update(StepContext& context, Optimizer& optimizer) override {
        theta_.copy_(context.params().weights());
        mean_.copy_(context.params().gradients());
        state_.clear();
        for (const at::Tensor& state : optimizer.state()) state_.push_back(state.clone());
        rate_ = context.learningRate();
        optimizer.step(context.params(), rate_);
    }

    void afterStep(StepContext&) override {}

    // Afterwards every rank has θ.
    void drain(StepContext& context) override {
        flight_.await(context);
        merge(context);
    }

    void save(StepContext& context, Archive& archive) override {
        flight_.await(context);
        archive.put("theta", theta_);
        archive.put("mean", mean_);
        archive.put("importance", torch::tensor(importance_, at::kDouble));
        archive.put("rate", torch::tensor({rate_}, at::kDouble));
        archive.put("late_ranges", std::ssize(late_));
        for (std::size_t i = 0; i < late_.size(); ++i) {
            archive.put("late_begin." + std::to_string(i), late_[i].begin);
            archive.put("late_end." + std::to_string(i), late_[i].end);
        }
        if (!late_.empty()) archive.put("late", lateGradients_);
        archive.put("states", std::ssize(state_));
        for (std::size_t i = 0; i < state_.size(); ++i) archive.put("state." + std::to_string(i), state_[i]);
    }

    Status load(StepContext& context, const Archive& archive) override {
        start(context);
        DASGD_TRY(archive.read("theta", theta_));
        DASGD_TRY(archive.read("mean", mean_));
        at::Tensor importance = torch::zeros({std::ssize(importance_)}, at::kDouble),
                   rate = at::zeros({1}, at::kDouble);
        DASGD_TRY(archive.read("importance", importance));
        DASGD_TRY(archive.read("rate", rate));
        std::copy_n(importance.const_data_ptr<double>(), importance_.size(), importance_.begin());
        rate_ = *rate.const_data_ptr<double>();
        DASGD_ASSIGN(const std::int64_t states, archive.integer("states"));
        for (std::int64_t i = 0; i < states; ++i) {
            state_.push_back(at::empty_like(theta_));
            DASGD_TRY(archive.read("state." + std::to_string(i), state_.back()));
        }
        DASGD_ASSIGN(const std::int64_t ranges, archive.integer("late_ranges"));
        for (std::int64_t i = 0; i < ranges; ++i) {
            Range& range = late_.emplace_back();
            DASGD_ASSIGN(range.begin, archive.integer("late_begin." + std::to_string(i)));
            DASGD_ASSIGN(range.end, archive.integer("late_end." + std::to_string(i)));
        }
        if (late_.empty()) return {};
        lateGradients_ = at::empty({sizeOf(late_)}, theta_.options());
        return archive.read("late", lateGradients_);
    }

private:
    template <class Work>
    static void run(StepContext& context, SpanKind kind, std::int64_t bytes, const Work& work) {
        context.executor().run({kind, bytes}, [&] {
            const at::NoGradGuard guard;
            work();
        });
    }
    static std::int64_t bytesOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

    [[nodiscard]] at::Tensor packedIn(StepContext& context, const Ranges& ranges) const {
        at::Tensor out = at::empty({sizeOf(ranges)}, context.params().gradients().options());
        run(context, SpanKind::Snapshot, bytesOf(out), [&] { pack(context.params().gradients(), ranges, out); });
        return out;
    }

    // θ of the step before, from the mean of all its gradients; leaves the gradient of this step as it is.
    void merge(StepContext& context) {
        if (late_.empty()) return;
        FlatParams& params = context.params();
        run(context, SpanKind::Merge, 2 * params.bytes(), [&] {
            unpack(lateGradients_, late_, mean_);
            const at::Tensor own = params.gradients().clone();
            params.weights().copy_(theta_);
            params.gradients().copy_(mean_);
            restoreState(context.optimizer());
            context.optimizer().step(params, rate_);
            params.gradients().copy_(own);
        });
        late_.clear();
        flight_.end();
    }

    void restoreState(Optimizer& optimizer) const {
        if (state_.empty()) return optimizer.reset();
        const std::vector<at::Tensor> state = optimizer.state();
        for (std::size_t i = 0; i < state.size(); ++i) at::Tensor(state[i]).copy_(state_[i]);
    }

    // Which elements are waited for in this step, by the mean gradient of the step before.
    void choose(StepContext& context) {
        FlatParams& params = context.params();
        const std::int64_t size = params.size();
        const bool byOrder = params_.important == "order" || params.shapesOnly();
        if (byOrder) {
            const auto late = static_cast<std::int64_t>(params_.lateShare * static_cast<double>(size));
            return setLate({{size - late, size}}, size);
        }
        if (context.ownSteps() == 1) return setLate({}, size);
        weigh(context);
        std::vector<std::size_t> order(layers_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, {}, [&](std::size_t layer) { return importance_[layer]; });
        std::int64_t left = static_cast<std::int64_t>(params_.lateShare * static_cast<double>(size));
        Ranges late;
        for (const std::size_t layer : order) {
            const Range range = layers_[layer].range;
            if (range.end - range.begin > left) continue;
            left -= range.end - range.begin;
            late.push_back(range);
        }
        std::ranges::sort(late, {}, &Range::begin);
        setLate(late, size);
    }

    // ⟨|g·w|⟩ of each layer, for which the host waits; the same on all ranks, which have the same mean gradient and the
    // same θ.
    void weigh(StepContext& context) {
        FlatParams& params = context.params();
        std::vector<at::Tensor> means;
        run(context, SpanKind::Snapshot, 2 * params.bytes(), [&] {
            for (const auto& [range, elements] : layers_) {
                const at::Tensor product = range.of(mean_) * range.of(params.weights());
                means.push_back(product.abs().sum().to(at::kDouble) / elements);
            }
            const at::Tensor host = at::stack(means).cpu();
            std::copy_n(host.const_data_ptr<double>(), importance_.size(), importance_.begin());
        });
    }

    // The rest of `size` elements is waited for.
    void setLate(Ranges late, std::int64_t size) {
        std::erase_if(late, [](const Range& range) { return range.begin == range.end; });
        now_.clear();
        std::int64_t begin = 0;
        for (const Range& range : late) {
            if (range.begin > begin) now_.push_back({begin, range.begin});
            begin = range.end;
        }
        if (begin < size) now_.push_back({begin, size});
        late_ = std::move(late);
    }

    OspParams params_;
    at::Tensor theta_, mean_;        // [N]: θ of the step before; its mean gradient, as far as it is known
    std::vector<at::Tensor> state_;  // the optimiser's with θ_
    double rate_ = 0;                // learning rate of the step before
    std::vector<OspLayer> layers_;
    std::vector<double> importance_;  // of each layer
    Ranges now_, late_;               // elements that are waited for, and those that are merged in the next step
    at::Tensor lateGradients_;        // the latter's gradients, one after the other
    InFlight flight_;
};

const AlgorithmRegistry::Add<Osp, OspParams> kOspEntry{
    "osp", "Synchronous SGD whose less important gradients arrive a step late", "arXiv 2306.16926",
    noFormula("which of its gradients are waited for depends on their values")};

}  // namespace
}  // namespace dasgd
