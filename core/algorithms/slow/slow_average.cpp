#include "core/algorithms/slow/slow_average.h"

#include <torch/types.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/algorithms/averaging/coded_mean.h"
#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "core/cost/memory_passes.h"
#include "core/gpu/flat_ops.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"

namespace dasgd {

std::optional<FieldError> SlowAverageParams::check() const {
    if (period % fragments != 0) {
        return FieldError{"fragments", "fragments is " + std::to_string(fragments) +
                                           ", which does not divide the period of " + std::to_string(period) +
                                           " steps: one fragment is averaged every period / fragments steps"};
    }
    if (delay >= period / fragments) {
        return FieldError{"delay", "delay is " + std::to_string(delay) + "; allowed: 0 to " +
                                       std::to_string(period / fragments - 1) +
                                       ", less than the period / fragments steps between two fragments"};
    }
    return std::nullopt;
}

FieldSpec roundField() {
    return {.min = 1, .max = 1e9, .unit = "steps", .symbol = "H", .help = "Local steps of a round"};
}
FieldSpec outerRateField() {
    return {.min = 0, .max = 1e3, .minOpen = true, .symbol = "α", .help = "Step size of the outer steps"};
}
FieldSpec outerMomentumField() {
    return {.min = 0, .max = 1, .maxOpen = true, .symbol = "β", .help = "Momentum of the outer steps"};
}
FieldSpec innerStateField() {
    return {.help = "The local optimiser's state at an outer step: kept, or reset", .choices = {"keep", "reset"}};
}

std::optional<FieldError> SlowAverage::check(const RunOutline& facts) const {
    if (params_.fragments == 1) return std::nullopt;
    const auto parts = static_cast<std::int64_t>(indivisibleSizes(facts.parameterShapes).size());
    if (params_.fragments <= parts) return std::nullopt;
    return FieldError{"fragments", "fragments is " + std::to_string(params_.fragments) + ", but " + facts.model +
                                       " can be cut into at most " + std::to_string(parts) +
                                       " (layers, or the elements of a model that is one vector)"};
}

std::optional<FieldError> SlowAverage::checkCompression(const CompressionSettings& settings) const {
    if (params_.fromPresent) {
        return FieldError{"algorithm.from_present",
                          "with from_present = true the weights themselves leave, whose coding errors would be in "
                          "proportion to them: set from_present = false, or remove [compression]"};
    }
    if (params_.eager) return checkKnowsSent(settings, "a rank replaces what it sent of its own a round before");
    return checkCodedWeights(settings);
}

std::optional<std::string> SlowAverage::warnOfCompression(const CompressionSettings& settings) const {
    const bool sparse = settings.compressor->properties().sparse && settings.params.errorFeedback;
    if (!sparse || !params_.nesterov || params_.momentum == 0) return std::nullopt;
    return "[compression] " + settings.name +
           " keeps what it does not send, and the Nesterov momentum of the outer steps amplifies what it then releases "
           "at once: set nesterov = false or the outer momentum to 0, or choose an operator that sends all numbers, as "
           "int";
}

void SlowAverage::makeCoded(StepContext& context) {
    if (!compression_) return;
    const auto streams = static_cast<int>(fragments_.size());
    for (int i = 0; i < streams; ++i) {
        const Fragment& fragment = fragments_[static_cast<std::size_t>(i)];
        coded_.push_back(std::make_unique<CompressedMean>(
            compression_, context,
            CompressedMean::Vector{
                .begin = fragment.begin, .elements = fragment.size(), .stream = i, .streams = streams}));
    }
}

bool SlowAverage::codes(const StepContext& context) const {
    return compression_ && context.step() > compression_->params.start;
}

bool SlowAverage::proceedsAfter(std::int64_t k) const {
    const std::int64_t delay = params_.oneRoundLate ? params_.period : params_.delay;
    return isCoded_ && delay > 1 && k == launchedAt_ + (delay + 1) / 2;
}

void SlowAverage::start(StepContext& context) {
    allocate(context);
    context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
        const at::NoGradGuard guard;
        outer_.copy_(context.params().weights());
    });
}

bool SlowAverage::inPlace() const {
    return params_.delay == 0 && params_.localWeight == 0 && !params_.oneRoundLate && !compression_;
}

void SlowAverage::allocate(StepContext& context) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (const FlatParams::Slot& slot : context.params().slots()) shapes.push_back(slot.parameter.sizes().vec());
    fragments_ = cutIntoFragments(indivisibleSizes(shapes), params_.fragments);
    // Fragments are cut by parameters; the sent ranges include their padding.
    for (Fragment& fragment : fragments_) {
        fragment = {context.params().offsetOf(fragment.begin), context.params().offsetOf(fragment.end)};
    }
    turn_ = fragments_.back();
    makeCoded(context);
    const at::Tensor& weights = context.params().weights();
    outer_ = at::empty_like(weights);
    if (params_.momentum > 0) velocity_ = at::zeros_like(weights);
    if (params_.eager) own_ = at::zeros_like(weights);
    if (inPlace()) return;
    const Fragment largest = *std::ranges::max_element(fragments_, {}, &Fragment::size);
    buffer_ = at::zeros({largest.size()}, weights.options());
    mean_ = buffer_;
}

// A delayed average belongs to the fragment whose outer step comes next.
void SlowAverage::takeTurn(const StepContext& context, std::int64_t launchedAt) {
    launchedAt_ = launchedAt;
    const std::int64_t round = (launchedAt - context.origin() + params_.delay) / interval() - 1;
    turnNumber_ = static_cast<std::size_t>(round % params_.fragments);
    turn_ = fragments_[turnNumber_];
}

at::Tensor SlowAverage::part(const at::Tensor& whole) const { return whole.narrow(0, turn_.begin, turn_.size()); }

void SlowAverage::afterStep(StepContext& context) {
    const std::int64_t k = context.ownSteps();
    if (proceedsAfter(context.step()) && coded().isUnderWay()) coded().proceed(context);
    if (params_.oneRoundLate) {
        if (k % interval() == 0) exchange(context);
        return;
    }
    if ((k + params_.delay) % interval() == 0) launch(context);
    if (k % interval() == 0 && inFlight()) finish(context);
}

void SlowAverage::launch(StepContext& context) {
    const at::NoGradGuard guard;
    DASGD_CHECK(!inFlight() && "one average in flight");
    takeTurn(context, context.step());
    const at::Tensor weights = part(context.params().weights());
    mean_ = inPlace() ? weights : buffer_.narrow(0, 0, turn_.size());
    isCoded_ = codes(context);
    const auto bytes = static_cast<std::int64_t>(mean_.nbytes());
    if (isCoded_) {
        context.executor().run({SpanKind::Snapshot, snapshotBytes(3, bytes) + coded().encodeBytes()}, [&] {
            at::sub_out(mean_, part(outer_), weights);
            coded().encode(context, mean_);
        });
    } else {
        context.executor().run({SpanKind::Snapshot, bytes},
                               [&] { snapshotFlat(weights, mean_, {}, 1.0 / context.comm().size()); });
    }
    leave(context);
}

void SlowAverage::leave(StepContext& context) {
    if (isCoded_) {
        coded().launch(context);
        if (turnNumber_ != 0 || !coded().isFirst()) return;
        std::vector<const CompressedMean*> all;
        for (const auto& one : coded_) all.push_back(one.get());
        recordRatio(context, all);
    } else {
        pending_ = context.comm().allReduce(mean_, Reduce::Sum);
    }
}

void SlowAverage::await(StepContext& context) {
    if (isCoded_ && coded().isUnderWay()) {
        coded().arrive(context);
        collective_ = coded().collective();
        arrived_ = true;
        return;
    }
    if (!pending_) return;
    collective_ = pending_.collective();
    context.executor().waitFor(pending_, launchedAt_, static_cast<std::int64_t>(mean_.nbytes()));
    arrived_ = true;
}

void SlowAverage::decodeDelta() {
    mean_.zero_();
    coded().decode(mean_);
}

void SlowAverage::finish(StepContext& context) {
    await(context);
    context.executor().run({SpanKind::Merge, mergedBytes(), collective_}, [&] {
        const at::NoGradGuard guard;
        if (isCoded_) {
            decodeDelta();
            at::sub_out(mean_, part(outer_), mean_);
        }
        OuterStep step = outerStep(momentumAt(context.learningRate()));
        step.localWeight = params_.localWeight;
        outerStepToMeanFlat(part(outer_), mean_, ofVelocity(), part(context.params().weights()), step);
    });
    merged(context);
}

// Exchange of a late round, in one pass: the value that leaves now is formed as the outer step reads the weights.
void SlowAverage::exchange(StepContext& context) {
    const at::NoGradGuard guard;
    await(context);
    const bool first = !arrived_;
    context.executor().run({SpanKind::Merge, mergedBytes(), first ? 0 : collective_}, [&] {
        if (!first && isCoded_) decodeDelta();
        outerStepLateFlat(
            outer_, mean_, ofVelocity(), context.params().weights(), outerStep(momentumAt(context.learningRate())),
            {.none = first, .fromPresent = params_.fromPresent, .share = 1.0 / context.comm().size(), .own = own_});
    });
    if (!first) merged(context);
    takeTurn(context, context.step());
    isCoded_ = codes(context);
    if (isCoded_) {
        const auto bytes = static_cast<std::int64_t>(mean_.nbytes());
        const std::int64_t own = own_.defined() ? snapshotBytes(1, bytes) + coded().sentBytes() : 0;
        context.executor().run({SpanKind::Snapshot, bytes + coded().encodeBytes() + own}, [&] {
            mean_.mul_(context.comm().size());
            coded().encode(context, mean_);
            if (own_.defined()) coded().addSent(own_.zero_(), 1.0 / context.comm().size());
        });
    }
    leave(context);
}

void SlowAverage::merged(StepContext& context) {
    arrived_ = false;
    if (isCoded_) coded().finish();
    if (resetsInner_) context.optimizer().reset();
    context.record(metrics::kStalenessSteps, static_cast<double>(context.step() - launchedAt_));
}

at::Tensor SlowAverage::ofVelocity() const { return velocity_.defined() ? part(velocity_) : at::Tensor(); }

OuterStep SlowAverage::outerStep(double momentum) const {
    return {.learningRate = params_.learningRate,
            .momentum = momentum,
            .nesterov = params_.nesterov,
            .penalty = params_.penalty,
            .clip = params_.clip};
}

// Factor of the kept momentum. Where the last outer step was made at a rate of 0 there is no scale to carry over, and u
// starts anew.
double SlowAverage::momentumAt(double rate) {
    const double before = std::exchange(rate_, rate);
    if (!params_.momentumOfRate) return params_.momentum;
    return before > 0 ? params_.momentum * rate / before : 0;
}

// Bytes of a merge: it is charged as one operation on two tensors; an outer step is two of them, with momentum four.
// One round late that includes the snapshot.
std::int64_t SlowAverage::mergedBytes() const {
    const auto bytes = static_cast<std::int64_t>(mean_.nbytes());
    // mean_ is cleared, and θ − ⟨Δ⟩ formed in it.
    const std::int64_t decoding = isCoded_ ? coded_[turnNumber_]->decodeBytes() + mergeBytes(4, bytes) : 0;
    return bytes * (params_.momentum > 0 ? 4 : 2) + decoding;
}

void SlowAverage::drain(StepContext& context) {
    if (isCoded_) {
        coded().drop(context);
        isCoded_ = false;
    }
    await(context);
    arrived_ = false;
}

void SlowAverage::save(StepContext& context, Archive& archive) {
    // A coded average is kept as its messages.
    const bool messages = isCoded_ && coded().isUnderWay() && !arrived_;
    if (!messages) await(context);
    for (std::size_t i = 0; i < coded_.size(); ++i) {
        Archive own;
        coded_[i]->save(context, own);
        archive.putUnder(kCompressionState + std::to_string(i) + "/", own);
    }
    if (compression_) archive.put("coded", static_cast<std::int64_t>(messages));
    archive.put("outer", outer_);
    archive.put("rate", at::scalar_tensor(rate_, at::kDouble));
    if (velocity_.defined()) archive.put("velocity", velocity_);
    archive.put("in_flight", static_cast<std::int64_t>(inFlight()));
    if (!inFlight()) return;
    archive.put("launched_at", launchedAt_);
    archive.put("mean", mean_);
    if (params_.eager) archive.put("own", own_);
}

Status SlowAverage::load(StepContext& context, const Archive& archive) {
    allocate(context);
    DASGD_TRY(archive.read("outer", outer_));
    at::Tensor rate = at::scalar_tensor(0, at::kDouble);
    DASGD_TRY(archive.read("rate", rate));
    rate_ = rate.item<double>();
    if (velocity_.defined()) DASGD_TRY(archive.read("velocity", velocity_));
    for (std::size_t i = 0; i < coded_.size(); ++i) {
        DASGD_TRY(coded_[i]->load(archive.under(kCompressionState + std::to_string(i) + "/")));
    }
    DASGD_ASSIGN(const std::int64_t underWay, archive.integer("in_flight"));
    if (underWay == 0) return {};
    DASGD_ASSIGN(const std::int64_t launchedAt, archive.integer("launched_at"));
    takeTurn(context, launchedAt);
    if (compression_) {
        DASGD_ASSIGN(const std::int64_t messages, archive.integer("coded"));
        isCoded_ = messages != 0;
    }
    arrived_ = !isCoded_;
    mean_ = buffer_.narrow(0, 0, turn_.size());
    DASGD_TRY(archive.read("mean", mean_));
    return params_.eager ? archive.read("own", own_) : Status{};
}

}  // namespace dasgd
