#include "core/algorithms/stages/delayed_stages.h"

#include <torch/types.h>

#include <utility>

#include "core/base/check.h"

namespace dasgd {

// In this tick the neighbours send what the next one begins with. All messages of a pair of ranks are received in the
// order in which they are sent.
void DelayedStages::receiveForNext(StepContext& context) {
    const std::int64_t next = context.step() + 1;
    if (!place().isFirst() && forwardIn(next) >= 1) {
        Batch batch{
            .number = forwardIn(next), .passes = stage().passesOf(forwardIn(next)), .launchedAt = context.step()};
        for (StagePass& pass : batch.passes) batch.messages.push_back(receiveInput(context, pass));
        coming_.push_back(std::move(batch));
    }
    if (place().isLast() || backwardIn(next) < 1) return;
    for (Batch& batch : kept_) {
        if (batch.number != backwardIn(next)) continue;
        for (StagePass& pass : batch.passes) batch.messages.push_back(receiveGradient(context, pass));
        batch.launchedAt = context.step();
    }
}

void DelayedStages::awaitInputs(StepContext& context, Batch& batch) {
    for (std::size_t i = 0; i < batch.messages.size(); ++i) {
        awaitInput(context, batch.messages[i], batch.launchedAt, batch.passes[i]);
    }
    batch.messages.clear();
}

void DelayedStages::awaitGradients(StepContext& context, Batch& batch) {
    for (std::size_t i = 0; i < batch.messages.size(); ++i) {
        awaitGradient(context, batch.messages[i], batch.launchedAt, batch.passes[i]);
    }
    batch.messages.clear();
}

DelayedStages::Batch DelayedStages::takeComing(StepContext& context) {
    if (place().isFirst()) return {.number = context.step(), .passes = stage().passesOf(context.step())};
    DASGD_CHECK(!coming_.empty() && coming_.front().number == forwardIn(context.step()));
    Batch batch = std::move(coming_.front());
    coming_.pop_front();
    awaitInputs(context, batch);
    return batch;
}

bool DelayedStages::makePasses(StepContext& context) {
    receiveForNext(context);
    if (backwardIn(context.step()) < 1) return false;
    Batch batch;
    if (place().isLast()) {
        batch = takeComing(context);
        for (StagePass& pass : batch.passes) stage().forward(pass, StageKeeps::Graph);
    } else {
        DASGD_CHECK(!kept_.empty() && kept_.front().number == backwardIn(context.step()));
        batch = std::move(kept_.front());
        kept_.pop_front();
        awaitGradients(context, batch);
    }
    makeBackward(context, batch);
    return true;
}

void DelayedStages::makeBackward(StepContext& context, Batch& batch) {
    for (StagePass& pass : batch.passes) {
        if (!place().isLast()) {
            if (keeps_ == StageKeeps::Input) stage().recompute(pass);
            if (shrink_ != 1) {
                context.executor().run({SpanKind::Merge, static_cast<std::int64_t>(pass.gradient.nbytes())}, [&] {
                    const at::NoGradGuard guard;
                    pass.gradient.mul_(shrink_);
                });
            }
        }
        const at::Tensor gradient = stage().backward(pass);
        if (!place().isFirst()) sendGradient(context, gradient);
    }
    context.record(metrics::kStalenessSteps, static_cast<double>(forwardIn(context.step()) - batch.number));
}

void DelayedStages::afterStep(StepContext& context) {
    StagedAlgorithm::afterStep(context);
    if (!isCut()) return;
    if (!place().isLast() && forwardIn(context.step()) >= 1) {
        Batch batch = takeComing(context);
        for (StagePass& pass : batch.passes) {
            stage().forward(pass, keeps_);
            sendOutput(context, pass);
            if (keeps_ == StageKeeps::Input) pass.output = at::Tensor();
        }
        kept_.push_back(std::move(batch));
    }
    awaitSentBefore(context);
}

void DelayedStages::drain(StepContext& context) {
    for (Batch& batch : coming_) awaitInputs(context, batch);
    for (Batch& batch : kept_) awaitGradients(context, batch);
    StagedAlgorithm::drain(context);
}

// The passes hold what was received, and their graphs follow from their inputs.
void DelayedStages::save(StepContext& context, Archive& archive) {
    drain(context);
    if (!isCut()) return;
    const auto put = [&](const std::string& name, const std::deque<Batch>& batches) {
        archive.put(name, static_cast<std::int64_t>(batches.size()));
        for (std::size_t b = 0; b < batches.size(); ++b) {
            const std::string batch = name + "/" + std::to_string(b) + "/";
            archive.put(batch + "number", batches[b].number);
            for (std::size_t i = 0; i < batches[b].passes.size(); ++i) {
                const StagePass& pass = batches[b].passes[i];
                const std::string own = batch + std::to_string(i) + "/";
                const bool isDue = batches[b].number == backwardIn(context.step() + 1);
                if (pass.input.defined()) archive.put(own + "input", pass.input.detach());
                if (isDue && pass.gradient.defined()) archive.put(own + "gradient", pass.gradient);
                if (pass.weights.defined()) archive.put(own + "weights", pass.weights);
                if (pass.random.defined()) archive.put(own + "random", pass.random);
            }
        }
    };
    put("coming", coming_);
    put("kept", kept_);
}

Status DelayedStages::loadBatch(const Archive& archive, const std::string& name, Batch& batch) {
    DASGD_ASSIGN(batch.number, archive.integer(name + "number"));
    batch.passes = stage().passesOf(batch.number);
    for (std::size_t i = 0; i < batch.passes.size(); ++i) {
        StagePass& pass = batch.passes[i];
        const std::string own = name + std::to_string(i) + "/";
        // The first stage has received nothing: samples that it has taken are not taken again.
        if (place().isFirst() && archive.has(own + "input")) pass.input = archive.tensors().at(own + "input").clone();
        if (!place().isFirst()) DASGD_TRY(archive.read(own + "input", pass.input));
        if (archive.has(own + "gradient")) DASGD_TRY(archive.read(own + "gradient", pass.gradient));
        if (archive.has(own + "weights")) {
            pass.weights = at::empty_like(stage().part().weights());
            DASGD_TRY(archive.read(own + "weights", pass.weights));
        }
        if (archive.has(own + "random")) {
            pass.random = archive.tensors().at(own + "random").clone();
            if (keeps_ != StageKeeps::Input) stage().recompute(pass);
        }
    }
    return {};
}

Status DelayedStages::load(StepContext& context, const Archive& archive) {
    start(context);
    if (!isCut()) return {};
    for (const auto& [name, batches] :
         {std::pair(std::string("coming"), &coming_), std::pair(std::string("kept"), &kept_)}) {
        DASGD_ASSIGN(const std::int64_t count, archive.integer(name));
        for (std::int64_t b = 0; b < count; ++b) {
            Batch batch;
            DASGD_TRY(loadBatch(archive, name + "/" + std::to_string(b) + "/", batch));
            batches->push_back(std::move(batch));
        }
    }
    return {};
}

}  // namespace dasgd
