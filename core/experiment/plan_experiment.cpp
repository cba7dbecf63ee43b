#include "core/experiment/plan_experiment.h"

#include <sys/sysinfo.h>
#include <torch/nn/module.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

#include "core/datasets/number_range.h"
#include "core/models/built_size.h"
#include "core/models/embedding_tables.h"
#include "core/models/sequence.h"
#include "core/step/flat_params.h"
#include "core/step/hidden_matrices.h"

namespace dasgd {

double memoryOfHost() {
    struct sysinfo about {};
    ::sysinfo(&about);
    return (static_cast<double>(about.totalram) + static_cast<double>(about.totalswap)) * about.mem_unit;
}

namespace {

// The error with the place of the section that caused it, where its message names no place of its own.
Error placed(const Value& section, const Error& error) { return {section.position().prefix() + error.message}; }

// Error at the key's place, or at that of its section where the key is not given.
tl::unexpected<Error> refuseAt(const Value& section, std::string_view key, const std::string& message) {
    const Value* given = section.find(key);
    return (given ? *given : section).error(message);
}

// Refuses a continuous set too short for its rows: a rank reads its part of it in as many rows as its batch has
// samples.
Status checkRows(const Splits& splits, std::int64_t samples, const Experiment& experiment) {
    const int trainers = experiment.roles().trainers();
    const std::int64_t share = samples / trainers, needed = experiment.train.samplesPerStep();
    if (!splits.train.continuous || share >= needed || experiment.timeOnly()) return {};
    return refuseAt(experiment.trainTable, "batch_size",
                    "each of " + std::to_string(trainers) + " workers has " + std::to_string(share) +
                        " samples of the text, and train.batch_size" +
                        (experiment.train.accumulate > 1 ? " times accumulate asks for " : " asks for ") +
                        std::to_string(needed) + (experiment.train.accumulate > 1 ? " a step" : " side by side") +
                        ": choose a smaller batch_size, shorter samples or a longer text");
}

// Source of the samples of a set, for messages: the file or folder that the user named, else the name of the data.
std::string sourceOf(const Experiment& experiment, const std::string& set) {
    const Value* data = experiment.resolved.find("data");
    for (const char* key : {"test_path", "path"}) {
        const bool ofTheSet = std::string_view(key) == "path" || set == "test";
        const Value* given = ofTheSet && data ? data->find(key) : nullptr;
        const std::string* path = given ? given->as<std::string>() : nullptr;
        if (path && !path->empty()) return *path;
    }
    return experiment.dataName;
}

// Checks the labels of data sets whose own reading does not check them.
Status checkLabels(const Samples& samples, const std::string& set, std::int64_t classes, const Experiment& experiment) {
    if (samples.count() == 0 || samples.task() == Task::kRegression) return {};
    const auto outside = firstOutside(samples.targets, classes);
    if (!outside) return {};
    return fail(sourceOf(experiment, set) + ": sample " + std::to_string(outside->sample) + " of its " + set +
                " set has label " + std::to_string(outside->value) + ", and its classes are 0 to " +
                std::to_string(classes - 1) + ": number them anew, or leave the sample out");
}

Status checkData(const Splits& splits, const Experiment& experiment) {
    const int trainers = experiment.roles().trainers();
    const std::int64_t validation = validationCount(splits.train.count(), experiment.data.validation);
    if (splits.train.count() - validation < trainers) {
        return refuseAt(experiment.dataTable, "validation",
                        "the training set has " + std::to_string(splits.train.count() - validation) + " samples" +
                            (validation > 0 ? " without the validation set" : "") + " for " + std::to_string(trainers) +
                            " workers; each needs at least one: " +
                            (validation > 0 ? "lower data.validation" : "start fewer workers or take more samples"));
    }
    if (experiment.partition.byClass() && splits.train.task() != Task::kClassification) {
        return refuseAt(experiment.dataTable, "partition",
                        "partition = \"" + experiment.data.partition + "\" goes by classes, and the targets of " +
                            experiment.dataName + " are none; choose partition = \"iid\" or \"contiguous\"");
    }
    DASGD_TRY(checkRows(splits, splits.train.count() - validation, experiment));
    DASGD_TRY(checkLabels(splits.train, "training", splits.input.classes, experiment));
    return checkLabels(splits.test, "test", splits.input.classes, experiment);
}

// Refuses samples that name rows which the embedding tables of the model do not have.
Status checkNamedRows(const Samples& samples, const std::string& set, const Model& model,
                      const Experiment& experiment) {
    if (samples.count() == 0) return {};
    const auto& tables = dynamic_cast<const HasEmbeddingTables&>(model);
    const std::int64_t rows = model.naturalInput().categories.rows;
    constexpr std::int64_t kPart = 1 << 14;
    for (std::int64_t begin = 0; begin < samples.count(); begin += kPart) {
        const at::Tensor part = at::arange(begin, std::min(begin + kPart, samples.count()), at::kLong);
        const at::Tensor named = tables.rowsOf(makeBatch(samples, part, at::kDouble).inputs).flatten(1);
        // A NaN is no whole number.
        const at::Tensor wrong = named.lt(0).logical_or(named.ge(rows)).logical_or(named.ne(named.floor()));
        if (!wrong.any().item<bool>()) continue;
        const auto first = wrong.flatten().to(at::kByte).argmax().item<std::int64_t>();
        std::ostringstream row;
        row << named.flatten()[first].item<double>();
        return fail(sourceOf(experiment, set) + ": sample " + std::to_string(begin + first / named.size(1)) +
                    " of its " + set + " set names row " + row.str() +
                    " of a table, and rows are whole numbers from 0 to " + std::to_string(rows - 1) +
                    ": set rows in [model], or name = \"clicks\" in [data], which makes such samples");
    }
    return {};
}

std::string leftOutInWords(const Splits& splits) {
    const std::int64_t count = splits.skipped.value_or(0);
    if (count == 0) return splits.notRead;
    std::string text = std::to_string(count);
    text +=
        count == 1 ? " damaged part of the data is left out: " : " damaged parts of the data are left out; the first: ";
    return text + splits.firstSkipped + (splits.notRead.empty() ? "" : "; " + splits.notRead);
}

// Before anything is allocated: initializing a layer that fits takes long where the next one does not. A model that is
// read from a file is as large as the file, and is not built twice.
Status checkSize(const Experiment& experiment, const BuildContext& context) {
    if (experiment.modelTable.find("path")) return {};
    const auto bytes = sizeOfBuilt(*experiment.makeModel(), context);
    if (!bytes || *bytes <= memoryOfHost()) return {};
    const auto gigabytes = [](double size) { return std::to_string(std::llround(size / 1e9)) + " GB"; };
    return experiment.modelTable.error(experiment.modelName + " of these sizes, for these data, takes " +
                                       gigabytes(*bytes) + " of memory, and this machine has " +
                                       gigabytes(memoryOfHost()) + ": make it smaller");
}

// Refuses more stages than the model, which has been built, has layers to put on them.
Status checkCut(const Experiment& experiment, const Model& model) {
    const std::int64_t stages = experiment.cluster.stages;
    if (stages == 1) return {};
    const auto* cut = dynamic_cast<const HasSequence*>(&model);
    Result<std::vector<SequenceLayer>> layers = fail("is no sequence of layers");
    if (cut) layers = cut->sequence();
    const std::string instead = ", or set stages = 1 in [cluster]";
    if (!layers) {
        return experiment.modelTable.error(experiment.modelName + " cannot be cut into stages, as it " +
                                           layers.error().message + instead);
    }
    if (std::ssize(*layers) >= stages) return {};
    return experiment.modelTable.error(
        experiment.modelName + " of these settings has " + std::to_string(layers->size()) +
        " layers to cut between, and cluster.stages is " + std::to_string(stages) + ": set at most " +
        std::to_string(layers->size()) + " stages, or choose a deeper model");
}

Result<Plan> loadAndBuild(const Experiment& experiment, const TryForeignCode& attempt) {
    const std::unique_ptr<Model> model = experiment.makeModel();
    if (auto* foreign = dynamic_cast<RunsForeignCode*>(model.get())) foreign->tryWith(attempt);
    BuildContext context{.input = model->naturalInput(),
                         .workers = experiment.roles().trainers(),
                         .timeOnly = experiment.timeOnly(),
                         .labelSmoothing = experiment.train.labelSmoothing,
                         .type = experiment.scalarType()};
    std::int64_t samples = 0;
    std::string leftOut;
    Splits named;
    if (experiment.dataset) {
        DASGD_ASSIGN(const Splits splits, experiment.dataset->load(context.input));
        if (dynamic_cast<const HasEmbeddingTables*>(model.get())) named = splits;
        DASGD_TRY(checkData(splits, experiment));
        samples = splits.train.count() - validationCount(splits.train.count(), experiment.data.validation);
        context.input = splits.input;
        leftOut = leftOutInWords(splits);
    }
    DASGD_TRY(checkSize(experiment, context));
    torch::manual_seed(static_cast<std::uint64_t>(experiment.train.seed));
    if (auto built = model->build(context); !built) {
        return tl::unexpected<Error>(placed(experiment.modelTable, built.error()));
    }
    DASGD_TRY(checkNamedRows(named.train, "training", *model, experiment));
    DASGD_TRY(checkNamedRows(named.test, "test", *model, experiment));
    DASGD_TRY(checkCut(experiment, *model));
    if (model->module().parameters().front().is_meta() && experiment.compute.measured()) {
        return fail(placed(experiment.modelTable, {experiment.modelName + " has nothing to measure: write step_time in "
                                                                          "[compute], as 60ms, or \"device\""})
                        .message);
    }
    Plan plan = planSteps(experiment, samples);
    plan.trainSamples = samples;
    plan.leftOut = leftOut;
    const auto parameters = trainableParameters(model->module());
    for (const at::Tensor& parameter : parameters) {
        plan.parameters += parameter.numel();
        plan.parameterShapes.push_back(parameter.sizes().vec());
    }
    const std::vector<bool> hidden = hiddenMatrices(model->module());
    plan.hiddenMatrices = std::ranges::count(hidden, true);
    plan.hasBuffers = !floatingBuffers(model->module()).empty();
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

Result<Plan> planExperiment(const Experiment& experiment, const TryForeignCode& attempt) {
    // Exceptions are caught here as in the worker loop: LibTorch throws where memory does not suffice.
    try {
        return loadAndBuild(experiment, attempt);
    } catch (const c10::Error& error) {
        const std::string text = error.what_without_backtrace();
        return fail("data and model cannot be made: " + text.substr(0, text.find('\n')));
    } catch (const std::bad_alloc&) {
        return fail("data and model do not fit into memory; make the data set or the model smaller");
    }
}

bool runsForeignCode(const Experiment& experiment) {
    return dynamic_cast<RunsForeignCode*>(experiment.makeModel().get()) != nullptr;
}

}  // namespace dasgd
