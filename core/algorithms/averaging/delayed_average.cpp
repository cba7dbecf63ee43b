#include "core/algorithms/averaging/delayed_average.h"

#include <torch/types.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/algorithms/averaging/coded_mean.h"
#include "core/cost/memory/memory_passes.h"
#include "core/gpu/flat_ops.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"

namespace dasgd {

namespace {

const std::string kMean = "mean", kReceived = "received";

}  // namespace

Mixer meanMixer() {
    return {.scale = [](int size) { return 1.0 / size; },
            .start =
                [](Communicator& comm, at::Tensor& snapshot) {
                    std::vector<Pending> sum;
                    sum.push_back(comm.allReduce(snapshot, Reduce::Sum));
                    return sum;
                }};
}

CommunicationPattern averagesOfWeights(PatternNumber delay) {
    return withCoding(kCodingOfDifferences, averagesEvery(ofField("period"), std::move(delay)));
}

std::optional<FieldError> DelayedAverageParams::check() const {
    const std::string steps = " (" + std::to_string(period) + ") steps";
    if (delay > period) {
        return FieldError{"delay", "delay is " + std::to_string(delay) + "; allowed: 0 to period" + steps};
    }
    if (offset >= period) {
        return FieldError{"offset", "offset is " + std::to_string(offset) + "; allowed: 0 to period - 1 (" +
                                        std::to_string(period - 1) + ") steps"};
    }
    if (snapshotAtZero && offset > 0 && offset < delay) {
        return FieldError{"offset", "offset is " + std::to_string(offset) + ", but the snapshot at zero is merged at " +
                                        std::to_string(delay) +
                                        " steps (delay) and only one average can be in flight; allowed with "
                                        "snapshot_at_zero: 0, or delay to period - 1"};
    }
    if (!statePeriods.empty() && optimizerState != "average") {
        return FieldError{"state_periods",
                          "the optimiser's state is not averaged: set optimizer_state = \"average\", or remove "
                          "state_periods"};
    }
    return std::nullopt;
}

DelayedAverage::DelayedAverage(const DelayedAverageParams& params, Mixer mixer)
    : params_(params), mixer_(std::move(mixer)) {}

void DelayedAverage::start(StepContext& context) {
    makeOwnState(context);
    coded_ = makeCoded(context);
    if (params_.snapshotAtZero) average(context);
}

bool DelayedAverage::proceedsAfter(std::int64_t k) const {
    return flight_.isCoded() && params_.delay > 1 && k == launchedAt() + (params_.delay + 1) / 2;
}

void DelayedAverage::makeOwnState(StepContext& context) {
    for (const auto& [name, tensor] : ownState()) {
        if (!tensor->defined()) *tensor = at::zeros_like(context.params().weights());
    }
}

void DelayedAverage::afterStep(StepContext& context) {
    const std::int64_t k = context.step();
    if (flight_.any() && k == launchedAt() + params_.delay) merge(context);
    if (proceedsAfter(k)) coded_->proceed(context);
    if (leavesAfter(context.ownSteps())) average(context);
}

void DelayedAverage::average(StepContext& context) {
    const bool whole = payload(context.params().size()) == context.params().size() && !mixer_.received && !coded_;
    if (whole && params_.delay == 0 && params_.localWeight == 0 && params_.optimizerState != "average") {
        averageInPlace(context);
        return;
    }
    launch(context);
    if (params_.delay == 0) merge(context);
}

void DelayedAverage::drain(StepContext& context) { flight_.drop(context); }

std::vector<at::Tensor> DelayedAverage::received(std::int64_t begin, std::int64_t size) const {
    std::vector<at::Tensor> parts;
    if (!mixer_.received) return parts;
    for (const at::Tensor& part : *mixer_.received) parts.push_back(part.narrow(0, begin, size));
    return parts;
}

// The correction is of the weights that left, not of the optimiser's state beside them.
std::int64_t DelayedAverage::takenBytes(std::int64_t size) const {
    const auto sent = static_cast<std::int64_t>(ofWeights(size).nbytes());
    const std::int64_t state = static_cast<std::int64_t>(mean_.nbytes()) - sent;
    return snapshotBytes(passesOfSnapshot(params_.correction > 0), sent) + snapshotBytes(kPassesOfCopy, state);
}

std::int64_t DelayedAverage::mergedBytes(std::int64_t size) const {
    const int parts = mixer_.received ? static_cast<int>(mixer_.received->size()) : 0;
    const int weighed = mixer_.factors ? static_cast<int>(mixer_.factors->size()) : 0;
    const auto sent = static_cast<std::int64_t>(ofWeights(size).nbytes());
    const std::int64_t state = static_cast<std::int64_t>(mean_.nbytes()) - sent;
    const bool isLocal = params_.localWeight > 0;
    return mergeBytes(passesOfMerge(isLocal, params_.correction > 0, parts), sent) +
           mergeBytes(passesOfMerge(isLocal, false, parts), state) + mergeBytes(kPassesOfCopy * weighed, sent + state);
}

void DelayedAverage::weigh() {
    if (!mixer_.factors || mixer_.factors->empty()) return;
    mean_.mul_(mixer_.factors->front());
    for (std::size_t i = 1; i < mixer_.factors->size(); ++i) (*mixer_.received)[i - 1].mul_((*mixer_.factors)[i]);
}

void DelayedAverage::save(StepContext& context, Archive& archive) {
    flight_.save(context, archive);
    for (const auto& [name, tensor] : ownState()) archive.put(name, *tensor);
    if (mixer_.prepare) archive.put("exchanges", exchanges_);
    if (coded_) {
        Archive own;
        coded_->save(context, own);
        archive.putUnder(kCompressionState, own);
    }
    if (!flight_.any()) return;
    const std::int64_t size = context.params().size();
    archive.put("tensors", 1 + (mean_.numel() - payload(size)) / size);
    archive.put(kMean, mean_);
    if (mixer_.received) {
        archive.put(kReceived, std::ssize(*mixer_.received));
        archive.put(kReceived, received(0, mean_.numel()));
    }
    if (params_.correction > 0) archive.put("snapshot", snapshot_);
}

// Called in place of start(): a snapshot of step 0 has long been taken. The optimiser's state is restored before.
Status DelayedAverage::load(StepContext& context, const Archive& archive) {
    makeOwnState(context);
    for (const auto& [name, tensor] : ownState()) DASGD_TRY(archive.read(name, *tensor));
    DASGD_TRY(flight_.load(archive));
    // Absent in checkpoints of older versions, whose exchanges were all alike.
    exchanges_ = archive.integer("exchanges").value_or(0);
    coded_ = makeCoded(context);
    if (coded_) DASGD_TRY(coded_->load(archive.under(kCompressionState)));
    if (!flight_.any()) return {};
    if (flight_.isCoded()) flight_.add(*coded_);
    if (mixer_.prepare && !flight_.isCoded()) mixer_.prepare(context, exchanges_ - 1);
    const at::Tensor& weights = context.params().weights();
    // A snapshot of step 0 has the weights alone, even where the optimiser has state by now.
    DASGD_ASSIGN(const std::int64_t tensors, archive.integer("tensors"));
    const std::int64_t leaves = payload(weights.numel());
    mean_ = at::empty({leaves + (tensors - 1) * weights.numel()}, weights.options());
    DASGD_TRY(archive.read(kMean, mean_));
    if (mixer_.received) {
        // Older checkpoints hold one summed tensor; newer ones hold one tensor for each part that arrived.
        const std::int64_t parts = archive.integer(kReceived).value_or(0);
        mixer_.received->clear();
        for (std::int64_t i = 0; i < parts; ++i) mixer_.received->push_back(at::empty_like(mean_));
        DASGD_TRY(archive.read(kReceived, *mixer_.received));
    }
    if (params_.correction == 0) return {};
    snapshot_ = at::empty({leaves}, weights.options());
    return archive.read("snapshot", snapshot_);
}

std::vector<at::Tensor> DelayedAverage::averagedState(StepContext& context) const {
    if (params_.optimizerState != "average") return {};
    const at::Tensor& weights = context.params().weights();
    // In a time-only run the optimiser does not step and has no state; tensors of the size of its state are sent.
    if (weights.is_meta() && context.step() > 0) {
        const auto tensors = static_cast<std::size_t>(context.optimizer().stateTensors());
        return leavingState(context, std::vector<at::Tensor>(tensors, weights), context.step());
    }
    return leavingState(context, context.optimizer().state(), context.step());
}

std::vector<at::Tensor> DelayedAverage::leavingState(const StepContext& context, std::vector<at::Tensor> state,
                                                     std::int64_t launchedAt) const {
    if (params_.statePeriods.empty()) return state;
    const std::int64_t steps = launchedAt - context.origin() - params_.offset;
    std::vector<at::Tensor> leaving;
    for (std::size_t i = 0; i < state.size(); ++i) {
        const std::int64_t every = params_.statePeriods[std::min(i, params_.statePeriods.size() - 1)];
        if (steps % (every * params_.period) == 0) leaving.push_back(std::move(state[i]));
    }
    return leaving;
}

void DelayedAverage::launch(StepContext& context) {
    const at::NoGradGuard guard;
    const bool isCoded = coded_ && !coded_->leavesWhole(context.step());
    if (mixer_.prepare && !isCoded) mixer_.prepare(context, exchanges_);
    ++exchanges_;
    const at::Tensor& weights = context.params().weights();
    const std::int64_t size = weights.numel();
    const std::int64_t leaves = payload(size);
    const std::vector<at::Tensor> state = averagedState(context);
    const std::int64_t elements = leaves + static_cast<std::int64_t>(state.size()) * size;
    if (!mean_.defined() || mean_.numel() != elements) mean_ = at::empty({elements}, weights.options());
    if (params_.correction > 0 && !snapshot_.defined()) snapshot_ = at::empty({leaves}, weights.options());
    const std::int64_t coding = isCoded ? coded_->encodeBytes() + codedAsBytes(*coded_) : 0;
    context.executor().run({SpanKind::Snapshot, takenBytes(size) + coding}, [&] {
        const double scale = isCoded ? 1 : meanWeight_ * mixer_.scale(context.comm().size());
        take(context, ofWeights(size), scale);
        if (isCoded) {
            coded_->encode(context, mean_.narrow(0, 0, size));
            codedAs(context, *coded_);
        }
        for (std::size_t i = 0; i < state.size(); ++i) {
            snapshotFlat(state[i], ofState(static_cast<std::int64_t>(i), size), {}, scale);
        }
    });
    if (!isCoded) {
        flight_.launch(context, mixer_.start(context.comm(), mean_), static_cast<std::int64_t>(mean_.nbytes()));
        return;
    }
    coded_->launch(context);
    flight_.begin(context, isCoded);
    flight_.add(*coded_);
    if (leaves == size) return;
    // Numbers that leave beside the weights travel whole.
    at::Tensor beside = mean_.narrow(0, size, leaves - size);
    flight_.add(context.comm().allReduce(beside, Reduce::Mean), static_cast<std::int64_t>(beside.nbytes()));
}

at::Tensor DelayedAverage::ofState(std::int64_t part, std::int64_t size) const {
    return mean_.narrow(0, payload(size) + part * size, size);
}

void DelayedAverage::take(StepContext& context, at::Tensor out, double scale) {
    snapshotFlat(context.params().weights(), out, params_.correction > 0 ? snapshot_ : at::Tensor(), scale);
}

void DelayedAverage::merge(StepContext& context) {
    flight_.await(context);
    const bool isCoded = flight_.isCoded();
    const std::int64_t decoding = isCoded ? coded_->decodeBytes() : coded_ ? coded_->agreeBytes() : 0;
    const std::int64_t bytes = mergedBytes(context.params().size()) + decoding;
    context.executor().run({SpanKind::Merge, bytes, flight_.collective()}, [&] {
        const at::NoGradGuard guard;
        weigh();
        if (isCoded) {
            coded_->decode(mean_.narrow(0, 0, context.params().size()));
        } else if (coded_) {
            coded_->agree(mean_.narrow(0, 0, context.params().size()));
        }
        mergeWeights(context, ofWeights(context.params().size()));
        mergeState(context);
    });
    flight_.finish(context);
}

void DelayedAverage::mergeWeights(StepContext& context, at::Tensor mean) {
    mergeFlat(context.params().weights(), mean, snapshot_, params_.localWeight, params_.correction,
              received(0, mean.numel()));
}

void DelayedAverage::mergeState(StepContext& context) {
    if (params_.optimizerState == "reset") context.optimizer().reset();
    if (params_.optimizerState != "average") return;
    const std::int64_t size = context.params().size();
    const std::vector<at::Tensor> state = leavingState(context, context.optimizer().state(), launchedAt());
    for (std::int64_t i = 0; i < (mean_.numel() - payload(size)) / size; ++i) {
        mergeFlat(state[static_cast<std::size_t>(i)], ofState(i, size), {}, params_.localWeight, 0,
                  received(payload(size) + i * size, size));
    }
}

std::optional<FieldError> DelayedMean::check(const RunOutline& facts) const {
    const auto given = std::ssize(params().statePeriods);
    if (given <= facts.optimizerState) return std::nullopt;
    const std::string kept = std::to_string(facts.optimizerState);
    return FieldError{
        "state_periods",
        "state_periods has " + std::to_string(given) + " numbers, and the optimiser keeps " + kept + " tensors: " +
            (facts.optimizerState == 0 ? "remove it" : "give " + kept + " at most; the last one holds for the rest")};
}

std::optional<FieldError> DelayedMean::checkCompression(const CompressionSettings& settings) const {
    if (params().optimizerState == "average") {
        return FieldError{
            "algorithm.optimizer_state",
            "the optimiser's means cannot be coded beside the weights (those of squares must stay positive): "
            "set optimizer_state = \"keep\" or \"reset\", or remove [compression]"};
    }
    return checkCodedWeights(settings);
}

std::unique_ptr<CodedExchange> DelayedMean::makeCoded(StepContext& context) {
    if (!compression_) return nullptr;
    return std::make_unique<CodedMean>(compression_, context,
                                       averagesGradients() ? at::Tensor() : context.params().weights());
}

// With nothing overlapped the weights themselves can travel: no snapshot, no copy back, the same bits.
void DelayedAverage::averageInPlace(StepContext& context) {
    at::Tensor& weights = context.params().weights();
    context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
        const at::NoGradGuard guard;
        weights.mul_(meanWeight_ * mixer_.scale(context.comm().size()));
    });
    flight_.launch(context, mixer_.start(context.comm(), weights), context.params().bytes());
    flight_.await(context);
    if (params_.optimizerState == "reset") context.optimizer().reset();
    flight_.finish(context);
}

}  // namespace dasgd
