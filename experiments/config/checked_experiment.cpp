#include "experiments/config/checked_experiment.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/algorithms/extensions.h"
#include "core/algorithms/slow/fragments.h"
#include "core/analysis/runs/configuration.h"
#include "core/base/log.h"
#include "core/base/schema/toml_reader.h"
#include "core/compression/sent_bytes.h"
#include "core/experiment/experiment.h"
#include "core/experiment/plan_experiment.h"
#include "core/optimizers/optimizer.h"
#include "core/train/data/training_data.h"
#include "core/train/rank_state.h"
#include "core/train/run_check.h"
#include "experiments/base/text.h"
#include "experiments/config/calibrated_cluster.h"
#include "experiments/config/document.h"
#include "experiments/config/model_check.h"
#include "experiments/config/platform_check.h"

namespace dasgd::experiments {

namespace {

// True for a setting that changes neither model, data nor cluster.
bool leavesDataAlone(const std::string& key) {
    const std::string section = key.substr(0, key.find('.'));
    return section == "algorithm" || section == "graph" || section == "compression" || section == "optimizer" ||
           section == "schedule" || section == "record";
}

// Experiments of a sweep that differ in nothing the plan depends on share it: loading the data once a seed would make
// the check of a large sweep slow.
std::string planKey(const Experiment& experiment) {
    const Settings settings = settingsOf(experiment.resolved);
    const auto partition = settings.find("data.partition");
    const bool random = partition != settings.end() && partition->second.starts_with("dirichlet");
    std::string key = random ? settings.at("train.seed") + "\n" : "";
    // All that a plan takes of the algorithm.
    key += std::to_string(experiment.roles().trainers()) + " " + std::to_string(evaluationSpacing(experiment)) + "\n";
    for (const auto& [name, value] : configurationOf(settings)) {
        if (leavesDataAlone(name)) continue;
        key += name + "=" + value + "\n";
    }
    return key;
}

Status checkNetwork(const Experiment& experiment, const Value& document, const std::string& program) {
    if (!experiment.networkFile) return {};
    const Value& network = *document.find("network");
    const Value* hosts = network.find("hosts");
    const Status fits = askAboutPlatform({.file = experiment.networkFile->path,
                                          .hosts = hosts ? *hosts->as<std::string>() : "",
                                          .workers = static_cast<int>(experiment.cluster.workers)},
                                         program);
    if (fits) return {};
    return network.find("file")->error(fits.error().message);
}

// Most experiments of a sweep have the same data.
void reportLeftOut(const Plan& fresh, const std::map<std::string, Plan>& plans) {
    if (fresh.leftOut.empty()) return;
    for (const auto& [key, plan] : plans) {
        if (plan.leftOut == fresh.leftOut) return;
    }
    logLine(LogLevel::Warning, printable(fresh.leftOut));
}

// Facts that the experiments of one check share.
struct CheckedBefore {
    std::map<std::string, Plan> plans;
    std::set<std::string> warnings;  // each is said once

    void warn(const std::optional<std::string>& warning) {
        if (warning && warnings.insert(*warning).second) logLine(LogLevel::Warning, *warning);
    }
};

std::optional<CompressedExchange> compressionOf(const Experiment& experiment, const Plan& plan, CheckedBefore& before) {
    if (!experiment.compression) return std::nullopt;
    const auto algorithm = experiment.makeAlgorithm();
    before.warn(dynamic_cast<const CompressesExchanges&>(*algorithm).warnOfCompression(*experiment.compression));
    if (experiment.graph) return CompressedExchange{.why = "how many compressed messages a rank sends is the graph's"};
    const SentModel model{.shapes = plan.parameterShapes,
                          .elementBytes = static_cast<std::int64_t>(c10::elementSize(experiment.scalarType())),
                          .ranks = static_cast<int>(experiment.cluster.workers)};
    before.warn(sendsTooMuch(*experiment.compression, model));
    return compressedExchange(*experiment.compression, model);
}

std::vector<std::vector<std::size_t>> fragmentsOf(const Value& resolved, const std::vector<std::int64_t>& layerSizes) {
    const auto* count = valueAt<std::int64_t>(resolved, "algorithm", "fragments");
    const auto* order = valueAt<std::string>(resolved, "algorithm", "order");
    const bool strided = order && *order == "strided";
    std::map<std::int64_t, std::size_t> layers;  // by their first element
    std::int64_t begin = 0;
    for (const std::int64_t size : layerSizes) layers.emplace(std::exchange(begin, begin + size), layers.size());
    std::vector<std::vector<std::size_t>> fragments;
    for (const auto& parts : partsOfFragments(layerSizes, count ? *count : 1, strided)) {
        fragments.emplace_back();
        for (const Fragment& part : parts) fragments.back().push_back(layers.at(part.begin));
    }
    return fragments;
}

Result<CheckedExperiment> check(const ExpandedExperiment& expanded, CheckedBefore& before, const std::string& program) {
    std::map<std::string, Plan>& plans = before.plans;
    DASGD_ASSIGN(const Experiment experiment, readExperiment(expanded.document));
    const std::string key = planKey(experiment);
    if (!plans.contains(key)) {
        DASGD_TRY(checkNetwork(experiment, expanded.document, program));
        const auto attempt = [&](const ForeignCode& code) { return askAboutModel(code, program); };
        DASGD_ASSIGN(Plan fresh, planExperiment(experiment, attempt));
        // Finding out the time of a step runs the model, in this process.
        if (!runsForeignCode(experiment)) DASGD_TRY(checkStepTime(expanded.document, experiment));
        reportLeftOut(fresh, plans);
        plans.emplace(key, std::move(fresh));
    }
    const Plan& plan = plans.at(key);
    DASGD_TRY(checkRun(expanded.document, experiment, plan));
    CheckedExperiment checked{.resolved = experiment.resolved,
                              .label = expanded.label,
                              .name = experiment.name,
                              .algorithm = experiment.algorithmName,
                              .backend = experiment.cluster.backend,
                              .layout = experiment.layout,
                              .seed = experiment.train.seed,
                              .workers = static_cast<int>(experiment.cluster.workers),
                              .trainers = experiment.roles().trainers(),
                              .elastic = isElastic(*experiment.makeAlgorithm()),
                              .timeoutS = experiment.cluster.timeoutS,
                              .totalSteps = plan.totalSteps,
                              .meanBatch = plan.meanBatch(),
                              .stepsPerEpoch = plan.meanEpochSteps(),
                              .epochSteps = plan.stepsPerEpoch,
                              .ofData = plan.ofData,
                              .evalEvery = experiment.timeOnly() ? 0 : plan.evalEvery,
                              .evalSpacing = evaluationSpacing(experiment),
                              .parameters = plan.parameters,
                              .optimizerTensors = experiment.makeOptimizer()->stateTensors(),
                              .compressed = compressionOf(experiment, plan, before)};
    for (const auto& shape : plan.parameterShapes) {
        checked.parameterSizes.push_back(
            std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
    }
    checked.layerSizes = indivisibleSizes(plan.parameterShapes);
    checked.fragments = fragmentsOf(checked.resolved, checked.layerSizes);
    if (const auto& link = experiment.cluster.link) checked.link = link->bandwidth + ", " + link->latency;
    if (experiment.networkFile) checked.networkFile = experiment.networkFile->path;
    return checked;
}

// Algorithms of a sweep that differ in nothing else of the training are evaluated equally often: the best accuracy of a
// run is the best of so many evaluations, and by its own rounds each would have another number of them.
void shareSpacing(std::vector<Result<CheckedExperiment>>& checked) {
    std::map<Settings, std::vector<CheckedExperiment*>> alike;
    for (Result<CheckedExperiment>& result : checked) {
        if (!result) continue;
        CheckedExperiment& each = *result;
        Settings settings = configurationOf(settingsOf(each.resolved));
        const bool given = settings.at("train.eval_every") != "0" || settings.at("train.eval_spacing") != "0";
        if (each.evalEvery == 0 || given) continue;
        std::erase_if(settings, [](const auto& setting) { return leavesDataAlone(setting.first); });
        alike[std::move(settings)].push_back(&each);
    }
    for (const auto& [settings, members] : alike) {
        std::int64_t spacing = 0;
        for (const CheckedExperiment* member : members) spacing = std::max(spacing, member->evalSpacing);
        const auto has = [spacing](const CheckedExperiment* member) { return member->evalSpacing == spacing; };
        if (std::ranges::all_of(members, has)) continue;
        // Also of those that have it by their own rounds: else the records would differ where nothing does.
        for (CheckedExperiment* member : members) {
            member->evalSpacing = spacing;
            member->evalEvery = evalEveryOf(spacing, member->epochSteps);
            member->resolved.find("train")->set("eval_spacing", Value(spacing));
        }
    }
}

// Checks one after the other until `stops`, given the newest result, says so.
std::vector<Result<CheckedExperiment>> checkUntil(const std::vector<ExpandedExperiment>& expanded,
                                                  const std::string& program, const auto& stops) {
    CheckedBefore before;
    std::vector<Result<CheckedExperiment>> checked;
    for (const ExpandedExperiment& experiment : expanded) {
        checked.push_back(check(experiment, before, program));
        if (auto& result = checked.back(); !result && !experiment.label.empty()) {
            result = fail(result.error().message + " (in the sweep: " + experiment.label + ")");
        }
        if (stops(checked.back())) break;
    }
    shareSpacing(checked);
    return checked;
}

}  // namespace

Result<Value> readExperimentFile(const std::string& file, const Overrides& overrides) {
    DASGD_ASSIGN(Value document, readTomlFile(file));
    if (!overrides.calibration.empty()) {
        DASGD_ASSIGN(const Value calibration, readTomlFile(overrides.calibration));
        DASGD_TRY(applyCalibration(document, calibration));
    }
    return document;
}

Result<std::vector<CheckedExperiment>> loadExperiments(const std::string& file, const Overrides& overrides,
                                                       const std::string& program) {
    DASGD_ASSIGN(const Value document, readExperimentFile(file, overrides));
    return checkExperiments(document, overrides, program);
}

Result<std::vector<CheckedExperiment>> checkExperiments(const Value& document, const Overrides& overrides,
                                                        const std::string& program) {
    DASGD_ASSIGN(const std::vector<ExpandedExperiment> expanded, expandExperiments(document, overrides));
    reportDropped(expanded);
    return checkExperiments(expanded, program);
}

Result<std::vector<CheckedExperiment>> checkExperiments(const std::vector<ExpandedExperiment>& expanded,
                                                        const std::string& program) {
    std::vector<CheckedExperiment> accepted;
    for (auto& result : checkUntil(expanded, program, [](const auto& newest) { return !newest; })) {
        if (!result) return tl::unexpected(result.error());
        accepted.push_back(std::move(*result));
    }
    return accepted;
}

std::vector<Result<CheckedExperiment>> checkEach(const std::vector<ExpandedExperiment>& expanded,
                                                 const std::string& program) {
    return checkUntil(expanded, program, [](const auto&) { return false; });
}

Result<std::vector<std::vector<std::int64_t>>> stageParameters(const Value& document) {
    std::vector<std::vector<std::int64_t>> stages;
    DASGD_ASSIGN(const Experiment experiment, readExperiment(document));
    if (experiment.cluster.stages == 1) return stages;
    DASGD_ASSIGN(const TrainingData data, loadTrainingData(experiment));
    DASGD_ASSIGN(const auto model, buildModel(experiment, data, Rank{0}));
    const std::vector<at::Tensor> parameters = trainableParameters(model->module());
    for (const StagePlan::Part& part : data.stages->parts) {
        std::vector<std::int64_t>& own = stages.emplace_back();
        for (std::size_t slot = part.firstSlot; slot < part.endSlot; ++slot) own.push_back(parameters[slot].numel());
    }
    return stages;
}

Result<CheckedExperiment> checkExperiment(const Value& document) {
    DASGD_ASSIGN(std::vector<CheckedExperiment> experiments,
                 checkExperiments(std::vector<ExpandedExperiment>{{document, ""}}));
    return std::move(experiments.front());
}

}  // namespace dasgd::experiments
