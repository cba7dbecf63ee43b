#include "core/experiment/plan_experiment.h"

#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <memory>
#include <new>
#include <string>

#include "core/step/flat_params.h"

namespace dasgd {

namespace {

// The message with the place of the section that caused it, where the message names no place of its own.
Error placed(const Value& section, const Error& error) { return {section.position().prefix() + error.message}; }

Status checkData(const Splits& splits, const Experiment& experiment) {
    const int trainers = experiment.roles().trainers();
    const std::int64_t validation = validationCount(splits.train.count(), experiment.data.validation);
    if (splits.train.count() - validation < trainers) {
        return fail("the training set has " + std::to_string(splits.train.count() - validation) + " samples" +
                    (validation > 0 ? " without the validation set" : "") + " for " + std::to_string(trainers) +
                    " workers; each needs at least one");
    }
    for (const Samples* samples : {&splits.train, &splits.test}) {
        if (samples->count() == 0) continue;
        const auto lowest = samples->targets.min().item<std::int64_t>();
        const auto highest = samples->targets.max().item<std::int64_t>();
        if (lowest < 0 || highest >= splits.input.classes) {
            return fail("the labels reach from " + std::to_string(lowest) + " to " + std::to_string(highest) +
                        ", but the data set announces " + std::to_string(splits.input.classes) + " classes");
        }
    }
    return {};
}

Result<Plan> loadAndBuild(const Experiment& experiment) {
    const std::unique_ptr<Model> model = experiment.makeModel();
    BuildContext context{
        .input = model->naturalInput(), .workers = experiment.roles().trainers(), .timeOnly = experiment.timeOnly()};
    std::int64_t samples = 0;
    if (experiment.dataset) {
        DASGD_ASSIGN(const Splits splits, experiment.dataset->load(context.input));
        DASGD_TRY(checkData(splits, experiment));
        samples = splits.train.count() - validationCount(splits.train.count(), experiment.data.validation);
        context.input = splits.input;
    }
    torch::manual_seed(static_cast<std::uint64_t>(experiment.train.seed));
    if (auto built = model->build(context); !built) {
        return tl::unexpected<Error>(placed(experiment.modelTable, built.error()));
    }
    if (model->module().parameters().front().is_meta() && experiment.compute.measured()) {
        return fail(placed(experiment.modelTable, {experiment.modelName + " has nothing to measure: write step_time in "
                                                                          "[compute], as 60ms, or \"device\""})
                        .message);
    }
    Plan plan = planSteps(experiment, samples);
    const auto parameters = trainableParameters(model->module());
    for (const at::Tensor& parameter : parameters) {
        plan.parameters += parameter.numel();
        plan.parameterShapes.push_back(parameter.sizes().vec());
    }
    const auto& shares = experiment.compute.gradientShares;
    if (!shares.empty() && shares.size() != parameters.size()) {
        return fail(
            "compute.gradient_shares has " + std::to_string(shares.size()) + " numbers and the model " +
            std::to_string(parameters.size()) +
            " parameters; were they measured with another model? Leave them out to share by the model's layers");
    }
    return plan;
}

}  // namespace

Result<Plan> planExperiment(const Experiment& experiment) {
    // Here as in the worker loop: LibTorch throws where memory does not suffice.
    try {
        return loadAndBuild(experiment);
    } catch (const c10::Error& error) {
        const std::string text = error.what_without_backtrace();
        return fail("data and model cannot be made: " + text.substr(0, text.find('\n')));
    } catch (const std::bad_alloc&) {
        return fail("data and model do not fit into memory; make the data set or the model smaller");
    }
}

}  // namespace dasgd
