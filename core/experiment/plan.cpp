#include "core/experiment/plan.h"

#include <algorithm>
#include <cmath>

namespace dasgd {

namespace {

constexpr std::int64_t roundUp(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::int64_t Plan::batchOf(std::int64_t step) const {
    const bool last = step % stepsPerEpoch == 0;
    return passesJoin || !last ? batchSize : epochSamples - (stepsPerEpoch - 1) * batchSize;
}

std::int64_t Plan::samplesAfter(std::int64_t steps) const {
    if (passesJoin) return steps * workers * batchSize;
    const std::int64_t begun = steps % stepsPerEpoch;
    return workers * (steps / stepsPerEpoch * epochSamples + begun * batchSize);
}

double Plan::epochAfter(std::int64_t steps) const {
    return static_cast<double>(samplesAfter(steps)) / static_cast<double>(workers * epochSamples);
}

double Plan::meanBatch() const { return static_cast<double>(epochSamples) / meanEpochSteps(); }

double Plan::meanEpochSteps() const {
    if (!passesJoin) return static_cast<double>(stepsPerEpoch);
    return static_cast<double>(epochSamples) / static_cast<double>(batchSize);
}

std::int64_t evalEveryOf(std::int64_t spacing, std::int64_t stepsPerEpoch) {
    return roundUp(spacing, stepsPerEpoch) * stepsPerEpoch;
}

std::int64_t validationCount(std::int64_t samples, double share) {
    if (samples == 0 || share == 0) return 0;
    return std::clamp<std::int64_t>(std::llround(share * static_cast<double>(samples)), 1, samples);
}

Plan planSteps(const PlanFacts& facts) {
    Plan plan{.workers = facts.workers, .batchSize = facts.batchSize, .epochSamples = facts.batchSize};
    const std::int64_t share = facts.dropLast ? facts.samples / facts.workers : roundUp(facts.samples, facts.workers);
    plan.passesJoin = facts.timeOnly || share < facts.batchSize;
    plan.ofData = facts.samples > 0;
    if (plan.ofData) plan.epochSamples = share;
    if (plan.passesJoin) {
        plan.stepsPerEpoch = std::max<std::int64_t>(1, plan.epochSamples / facts.batchSize);
        plan.totalSteps = roundUp(facts.epochs * plan.epochSamples, facts.batchSize);
    } else {
        plan.stepsPerEpoch = facts.dropLast ? share / facts.batchSize : roundUp(share, facts.batchSize);
        if (facts.dropLast) plan.epochSamples = plan.stepsPerEpoch * facts.batchSize;
        plan.totalSteps = facts.epochs * plan.stepsPerEpoch;
    }
    if (facts.steps > 0) plan.totalSteps = facts.steps;
    plan.evalEvery = facts.evalEvery > 0 ? facts.evalEvery : plan.stepsPerEpoch;
    return plan;
}

std::int64_t stepOfSamePlace(const Plan& before, const Plan& now, std::int64_t step) {
    if (!now.ofData) return step * before.workers / now.workers;
    const std::int64_t ofEpoch = before.workers * before.epochSamples;
    const std::int64_t samples = before.samplesAfter(step);
    const std::int64_t epochs = samples / ofEpoch;
    // Samples of one rank of `now` in the epoch that has begun.
    const std::int64_t begun = samples % ofEpoch * now.epochSamples / ofEpoch;
    if (now.passesJoin) return (epochs * now.epochSamples + begun) / now.batchSize;
    return epochs * now.stepsPerEpoch + begun / now.batchSize;
}

}  // namespace dasgd
