#include "core/algorithms/slow/slow_average.h"

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

at::Tensor partOf(const at::Tensor& whole, const Fragment& range) { return whole.narrow(0, range.begin, range.size()); }

}  // namespace

std::optional<FieldError> SlowAverageParams::check() const {
    if (fragments > period) {
        return FieldError{"fragments", "fragments is " + std::to_string(fragments) + " and the period has " +
                                           std::to_string(period) +
                                           " steps: one fragment has its outer step after a step, and each of them "
                                           "once in a period; allowed: 1 to " +
                                           std::to_string(period)};
    }
    if (delay >= period) {
        return FieldError{"delay", "delay is " + std::to_string(delay) + "; allowed: 0 to " +
                                       std::to_string(period - 1) +
                                       ", so that a fragment's average is merged before the fragment leaves again"};
    }
    if (correction > 0 && merge != "progress") {
        return FieldError{"correction",
                          "the merge is a blend, which has no correction: set merge = \"progress\", or "
                          "remove correction"};
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
    if (leavesInPass() && facts.clips) {
        return FieldError{"train.gradient_clip",
                          "with launch = \"backward\" layers are stepped before all gradients are there, and clipping "
                          "is by the norm of all: remove it, or set launch = \"step\""};
    }
    if (leavesInPass() && facts.layerwise && facts.parameterShapes.size() == 1 && params_.fragments > 1) {
        return FieldError{"launch", "the optimiser steps whole parameters, of which " + facts.model +
                                        " has one, and a fragment is a part of it: set launch = \"step\""};
    }
    if (params_.fragments == 1) return std::nullopt;
    const auto parts = static_cast<std::int64_t>(indivisibleSizes(facts.parameterShapes).size());
    if (params_.fragments <= parts) return std::nullopt;
    return FieldError{"fragments", "fragments is " + std::to_string(params_.fragments) + ", but " + facts.model +
                                       " can be cut into at most " + std::to_string(parts) +
                                       " (layers, or the elements of a model that is one vector)"};
}

std::optional<FieldError> SlowAverage::checkCompression(const CompressionSettings& settings) const {
    if (params_.gradientPenalty.on) {
        return FieldError{"algorithm.penalty",
                          "the penalty weighs outer gradients by their norms, of which coding keeps none exactly: set "
                          "penalty = false, or remove [compression]"};
    }
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
    int streams = 0, stream = 0;
    for (const auto& ranges : fragments_) streams += static_cast<int>(ranges.size());
    for (const auto& ranges : fragments_) {
        for (const Fragment& range : ranges) {
            coded_.push_back(std::make_unique<CompressedMean>(
                compression_, context,
                CompressedMean::Vector{
                    .begin = range.begin, .elements = range.size(), .stream = stream++, .streams = streams}));
        }
    }
}

bool SlowAverage::codes(const StepContext& context) const {
    return compression_ && context.step() > compression_->params.start;
}

// A second stage leaves half-way.
void SlowAverage::proceed(StepContext& context) {
    const std::int64_t delay = params_.oneRoundLate ? params_.period : params_.delay;
    for (Flight& flight : flights_) {
        const InFlight& transfers = flight.transfers;
        if (!transfers.isCoded() || delay <= 1 || context.step() != transfers.launchedAt() + (delay + 1) / 2) continue;
        for (Sent& sent : flight.sent) codedOf(sent).proceed(context);
    }
}

void SlowAverage::start(StepContext& context) {
    allocate(context);
    context.executor().run({SpanKind::Snapshot, context.params().bytes()}, [&] {
        const at::NoGradGuard guard;
        outer_.copy_(context.params().weights());
    });
}

bool SlowAverage::inPlace() const {
    return params_.delay == 0 && params_.localWeight == 0 && !params_.oneRoundLate && !leavesInPass() &&
           !keepsProgress() && !params_.gradientPenalty.on && !compression_;
}

void SlowAverage::allocate(StepContext& context) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (const FlatParams::Slot& slot : context.params().slots()) shapes.push_back(slot.parameter.sizes().vec());
    fragments_ = partsOfFragments(indivisibleSizes(shapes), params_.fragments, params_.order == "strided");
    for (std::vector<Fragment>& ranges : fragments_) {
        if (!leavesInPass()) ranges = joined(ranges);
        // Fragments are cut by parameters; the sent ranges include their padding.
        for (Fragment& range : ranges) {
            range = {context.params().offsetOf(range.begin), context.params().offsetOf(range.end)};
        }
    }
    makeCoded(context);
    const at::Tensor& weights = context.params().weights();
    outer_ = at::empty_like(weights);
    if (params_.momentum > 0) velocity_ = at::zeros_like(weights);
    if (params_.eager) own_ = at::zeros_like(weights);
    if (params_.gradientPenalty.on) penalty_.emplace(params_.gradientPenalty).start(context);
    if (!inPlace()) allocateBuffers(weights);
    if (leavesInPass()) listen(context);
}

void SlowAverage::allocateBuffers(const at::Tensor& weights) {
    std::vector<std::int64_t> sizes;
    for (const auto& ranges : fragments_) {
        sizes.push_back(0);
        for (const Fragment& range : ranges) sizes.back() += range.size();
    }
    if (turns_.oneAtATime() || params_.oneRoundLate) sizes = {*std::ranges::max_element(sizes)};
    for (const std::int64_t size : sizes) {
        buffers_.push_back(at::zeros({size}, weights.options()));
        if (keepsProgress()) ownBuffers_.push_back(at::zeros({size}, weights.options()));
    }
}

void SlowAverage::listen(StepContext& context) {
    ahead_.start(
        context,
        [this, &context]() -> const std::vector<Fragment>* {
            const auto turn = turns_.leavingAfter(context.ownSteps());
            if (!turn) return nullptr;
            beginFlight(context, *turn);
            return &fragments_[*turn];
        },
        [this, &context](std::size_t layer, bool inPass) {
            Flight& flight = flights_.back();
            leave(context, flight, flight.sent[flight.sent.size() - 1 - layer], inPass);
        });
}

std::vector<at::Tensor> SlowAverage::Flight::means() const {
    std::vector<at::Tensor> tensors;
    for (const Sent& one : sent) tensors.push_back(one.mean);
    return tensors;
}

std::vector<at::Tensor> SlowAverage::Flight::owns() const {
    std::vector<at::Tensor> tensors;
    for (const Sent& one : sent) {
        if (one.own.defined()) tensors.push_back(one.own);
    }
    return tensors;
}

SlowAverage::Flight SlowAverage::flightOf(StepContext& context, std::size_t turn) const {
    Flight flight{.turn = turn};
    std::size_t number = 0;
    for (std::size_t before = 0; before < turn; ++before) number += fragments_[before].size();
    const std::size_t buffer = turn < buffers_.size() ? turn : 0;
    std::int64_t place = 0;
    for (const Fragment& range : fragments_[turn]) {
        Sent sent{.range = range, .number = number++, .mean = {}};
        const at::Tensor whole = inPlace() ? context.params().weights() : buffers_[buffer];
        sent.mean = whole.narrow(0, inPlace() ? range.begin : place, range.size());
        if (keepsProgress()) sent.own = ownBuffers_[buffer].narrow(0, place, range.size());
        place += range.size();
        flight.sent.push_back(std::move(sent));
    }
    // Under a backward pass the last layers leave first.
    if (leavesInPass()) std::ranges::reverse(flight.sent);
    return flight;
}

SlowAverage::Flight& SlowAverage::beginFlight(StepContext& context, std::size_t turn) {
    Flight& flight = flights_.emplace_back(flightOf(context, turn));
    flight.transfers.begin(context, codes(context));
    return flight;
}

void SlowAverage::afterStep(StepContext& context) {
    const std::int64_t k = context.ownSteps();
    proceed(context);
    if (params_.oneRoundLate) {
        if (k % params_.period == 0) exchange(context);
        return;
    }
    if (params_.delay > 0) finishDue(context);
    if (leavesInPass()) {
        ahead_.finish(context);
    } else if (const auto turn = turns_.leavingAfter(k)) {
        launch(context, *turn);
    }
    if (params_.delay == 0) finishDue(context);
}

void SlowAverage::launch(StepContext& context, std::size_t turn) {
    Flight& flight = beginFlight(context, turn);
    if (penalty_) penalty_->meet(context, outer_);
    for (Sent& sent : flight.sent) leave(context, flight, sent, false);
}

void SlowAverage::leave(StepContext& context, Flight& flight, Sent& sent, bool inPass) {
    const at::NoGradGuard guard;
    const auto take = [&] {
        const at::Tensor weights =
            inPass ? LayersAhead::weightsAhead(context, sent.range) : partOf(context.params().weights(), sent.range);
        if (penalty_) {
            penalty_->weigh(outer_, weights, sent.mean);
        } else if (flight.transfers.isCoded()) {
            if (sent.own.defined()) sent.own.copy_(weights);
            at::sub_out(sent.mean, partOf(outer_, sent.range), weights);
            codedOf(sent).encode(context, sent.mean);
        } else {
            snapshotFlat(weights, sent.mean, sent.own, 1.0 / context.comm().size());
        }
    };
    const Work work{SpanKind::Snapshot, leavingBytes(flight, sent)};
    inPass ? context.executor().runInPass(work, take) : context.executor().run(work, take);
    send(context, flight, sent);
}

std::int64_t SlowAverage::leavingBytes(const Flight& flight, const Sent& sent) const {
    const auto bytes = static_cast<std::int64_t>(sent.mean.nbytes());
    if (penalty_) return snapshotBytes(3 + kPassesOfCopy, bytes);
    const double ofCopy = sent.own.defined() ? 1 : 0;
    if (!flight.transfers.isCoded()) return snapshotBytes(kPassesOfCopy + ofCopy, bytes);
    return snapshotBytes(3 + ofCopy, bytes) + coded_[sent.number]->encodeBytes();
}

void SlowAverage::send(StepContext& context, Flight& flight, Sent& sent) {
    if (!flight.transfers.isCoded()) {
        const auto bytes = static_cast<std::int64_t>(sent.mean.nbytes());
        sent.part = flight.transfers.add(context.comm().allReduce(sent.mean, Reduce::Sum), bytes);
        return;
    }
    codedOf(sent).launch(context);
    sent.part = flight.transfers.add(codedOf(sent));
    if (sent.number != 0 || !codedOf(sent).isFirst()) return;
    std::vector<const CompressedMean*> all;
    for (const auto& one : coded_) all.push_back(one.get());
    recordRatio(context, all);
}

void SlowAverage::decodeDelta(const Sent& sent) {
    at::Tensor mean = sent.mean;
    mean.zero_();
    codedOf(sent).decode(mean);
}

void SlowAverage::finishDue(StepContext& context) {
    while (!flights_.empty() && flights_.front().transfers.launchedAt() + params_.delay <= context.step()) {
        Flight& flight = flights_.front();
        const double momentum = momentumAt(context.learningRate());
        for (Sent& sent : flight.sent) {
            flight.transfers.await(context, sent.part);
            penalty_ ? mergePenalized(context, flight, sent, momentum) : mergeSent(context, flight, sent, momentum);
        }
        merged(context, flight);
        flights_.pop_front();
    }
}

void SlowAverage::mergeSent(StepContext& context, const Flight& flight, Sent& sent, double momentum) {
    const std::uint64_t collective = flight.transfers.collective(sent.part);
    context.executor().run({SpanKind::Merge, mergedBytes(flight, sent), collective}, [&] {
        const at::NoGradGuard guard;
        const at::Tensor outer = partOf(outer_, sent.range);
        at::Tensor weights = partOf(context.params().weights(), sent.range);
        if (flight.transfers.isCoded()) {
            decodeDelta(sent);
            at::sub_out(sent.mean, outer, sent.mean);
        }
        OuterStep step = outerStep(momentum);
        // The weights stay as they are where progress is kept.
        step.localWeight = keepsProgress() ? 1 : params_.localWeight;
        outerStepToMeanFlat(outer, sent.mean, velocityOf(sent.range), weights, step);
        if (keepsProgress()) keepProgress(sent, weights);
    });
}

void SlowAverage::mergePenalized(StepContext& context, const Flight& flight, Sent& sent, double momentum) {
    const auto bytes = static_cast<std::int64_t>(sent.mean.nbytes());
    const std::int64_t taken = bytes * (params_.momentum > 0 ? 4 : 2) + mergeBytes(3 + kPassesOfCopy, bytes);
    context.executor().run({SpanKind::Merge, taken, flight.transfers.collective(sent.part)}, [&] {
        const at::NoGradGuard guard;
        penalty_->clip(sent.mean);
        at::sub_out(sent.mean, outer_, sent.mean);
        for (std::size_t i = 0; i < penalty_->ranges().size(); ++i) {
            const Fragment& range = penalty_->ranges()[i];
            at::Tensor weights = partOf(context.params().weights(), range);
            if (penalty_->moves(i)) {
                outerStepToMeanFlat(partOf(outer_, range), partOf(sent.mean, range), velocityOf(range), weights,
                                    outerStep(momentum));
            } else {
                weights.copy_(partOf(outer_, range));
            }
        }
    });
}

// The form of the delta merge keeps equal replicas equal to the last bit (core/gpu/flat_ops.h).
void SlowAverage::keepProgress(const Sent& sent, at::Tensor weights) const {
    at::Tensor outer = sent.mean, corrected;
    outer.copy_(partOf(outer_, sent.range));
    if (params_.correction > 0) {
        corrected = at::sub(weights, sent.own);
        corrected.mul_(corrected).mul_(at::sub(outer, sent.own));
    }
    mergeFlat(weights, outer, sent.own, 0, 1);
    if (corrected.defined()) weights.sub_(corrected, params_.correction);
}

// Exchange of a late round, in one pass: the value that leaves now is formed as the outer step reads the weights.
void SlowAverage::exchange(StepContext& context) {
    const at::NoGradGuard guard;
    const bool first = flights_.empty();
    if (first) flights_.push_back(flightOf(context, 0));
    Flight& flight = flights_.front();
    Sent& sent = flight.sent.front();
    flight.transfers.await(context);
    context.executor().run({SpanKind::Merge, mergedBytes(flight, sent), flight.transfers.collective(sent.part)}, [&] {
        if (flight.transfers.isCoded()) decodeDelta(sent);
        outerStepLateFlat(
            outer_, sent.mean, velocity_, context.params().weights(), outerStep(momentumAt(context.learningRate())),
            {.none = first, .fromPresent = params_.fromPresent, .share = 1.0 / context.comm().size(), .own = own_});
    });
    if (!first) merged(context, flight);
    flight.transfers.begin(context, codes(context));
    if (flight.transfers.isCoded()) {
        const auto bytes = static_cast<std::int64_t>(sent.mean.nbytes());
        const std::int64_t own = own_.defined() ? snapshotBytes(1, bytes) + codedOf(sent).sentBytes() : 0;
        context.executor().run({SpanKind::Snapshot, bytes + codedOf(sent).encodeBytes() + own}, [&] {
            sent.mean.mul_(context.comm().size());
            codedOf(sent).encode(context, sent.mean);
            if (own_.defined()) codedOf(sent).addSent(own_.zero_(), 1.0 / context.comm().size());
        });
    }
    send(context, flight, sent);
}

void SlowAverage::merged(StepContext& context, Flight& flight) {
    if (resetsInner_) context.optimizer().reset();
    flight.transfers.finish(context);
}

at::Tensor SlowAverage::velocityOf(const Fragment& range) const {
    return velocity_.defined() ? partOf(velocity_, range) : at::Tensor();
}

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
std::int64_t SlowAverage::mergedBytes(const Flight& flight, const Sent& sent) const {
    const auto bytes = static_cast<std::int64_t>(sent.mean.nbytes());
    // The mean is cleared, and θ − ⟨Δ⟩ formed in it.
    const std::int64_t decoding =
        flight.transfers.isCoded() ? coded_[sent.number]->decodeBytes() + mergeBytes(4, bytes) : 0;
    // A copy of θ and the merge; the correction takes two differences, two products and an update.
    const double kept = kPassesOfCopy + passesOfMerge(true, true) + (params_.correction > 0 ? 14 : 0);
    const std::int64_t keeping = keepsProgress() ? mergeBytes(kept, bytes) : 0;
    return bytes * (params_.momentum > 0 ? 4 : 2) + decoding + keeping;
}

void SlowAverage::drain(StepContext& context) {
    for (Flight& flight : flights_) flight.transfers.drop(context);
    flights_.clear();
}

namespace {

// Prefix of the state of the average in flight that left as number `flight` of them.
std::string prefixOf(std::size_t flight) { return "flight/" + std::to_string(flight) + "/"; }

}  // namespace

void SlowAverage::save(StepContext& context, Archive& archive) {
    std::vector<Archive> flights;
    for (Flight& flight : flights_) flight.transfers.save(context, flights.emplace_back());
    for (std::size_t i = 0; i < coded_.size(); ++i) {
        Archive own;
        coded_[i]->save(context, own);
        archive.putUnder(kCompressionState + std::to_string(i) + "/", own);
    }
    archive.put("outer", outer_);
    archive.put("rate", at::scalar_tensor(rate_, at::kDouble));
    if (velocity_.defined()) archive.put("velocity", velocity_);
    if (penalty_) penalty_->save(archive);
    archive.put("flights", std::ssize(flights_));
    for (std::size_t i = 0; i < flights_.size(); ++i) {
        flights[i].put("mean", flights_[i].means());
        flights[i].put("sent", flights_[i].owns());
        archive.putUnder(prefixOf(i), flights[i]);
    }
    if (params_.eager && !flights_.empty()) archive.put("own", own_);
}

Status SlowAverage::load(StepContext& context, const Archive& archive) {
    allocate(context);
    DASGD_TRY(archive.read("outer", outer_));
    at::Tensor rate = at::scalar_tensor(0, at::kDouble);
    DASGD_TRY(archive.read("rate", rate));
    rate_ = rate.item<double>();
    if (velocity_.defined()) DASGD_TRY(archive.read("velocity", velocity_));
    if (penalty_) DASGD_TRY(penalty_->load(archive));
    for (std::size_t i = 0; i < coded_.size(); ++i) {
        DASGD_TRY(coded_[i]->load(archive.under(kCompressionState + std::to_string(i) + "/")));
    }
    DASGD_ASSIGN(const std::int64_t flights, archive.integer("flights"));
    for (std::size_t i = 0; i < static_cast<std::size_t>(flights); ++i) {
        DASGD_TRY(loadFlight(context, archive.under(prefixOf(i))));
    }
    return params_.eager && flights > 0 ? archive.read("own", own_) : Status{};
}

Status SlowAverage::loadFlight(StepContext& context, const Archive& archive) {
    InFlight transfers;
    DASGD_TRY(transfers.load(archive));
    const auto turn = turns_.leavingAfter(transfers.launchedAt() - context.origin());
    Flight& flight = flights_.emplace_back(flightOf(context, params_.oneRoundLate ? 0 : turn.value_or(0)));
    flight.transfers = std::move(transfers);
    if (flight.transfers.isCoded()) {
        for (Sent& sent : flight.sent) sent.part = flight.transfers.add(codedOf(sent));
    }
    DASGD_TRY(archive.read("mean", flight.means()));
    return archive.read("sent", flight.owns());
}

}  // namespace dasgd
