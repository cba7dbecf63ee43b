#include "experiments/config/checked_experiment.h"

#include <torch/cuda.h>

#include <map>

#include "core/train/experiment.h"
#include "experiments/config/calibrated_cluster.h"
#include "experiments/config/platform_check.h"
#include "experiments/config/toml_reader.h"

namespace dasgd::experiments {

namespace {

// Experiments of a sweep that differ in nothing the plan depends on share it: loading the data once a seed would make
// the check of a large sweep slow.
std::string planKey(const Value& resolved) {
    Value key = resolved;
    for (const char* section : {"name", "algorithm", "optimizer", "schedule", "record"}) key.erase(section);
    const Value* data = resolved.find("data");
    const Value* partition = data ? data->find("partition") : nullptr;
    const bool random = partition && partition->toToml().find("dirichlet") != std::string::npos;
    if (Value* train = key.find("train"); train && !random) train->erase("seed");
    return key.toToml();
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

Result<CheckedExperiment> check(const ExpandedExperiment& expanded, std::map<std::string, Plan>& plans,
                                const std::string& program) {
    DASGD_ASSIGN(const Experiment experiment, readExperiment(expanded.document));
    const std::string key = planKey(experiment.resolved);
    if (!plans.contains(key)) {
        DASGD_TRY(checkNetwork(experiment, expanded.document, program));
        DASGD_ASSIGN(const Plan fresh, planExperiment(experiment));
        plans.emplace(key, fresh);
    }
    const Plan& plan = plans.at(key);
    CheckedExperiment checked{.resolved = experiment.resolved,
                              .label = expanded.label,
                              .name = experiment.name,
                              .algorithm = experiment.algorithmName,
                              .backend = experiment.cluster.backend,
                              .layout = experiment.layout,
                              .seed = experiment.train.seed,
                              .workers = static_cast<int>(experiment.cluster.workers),
                              .timeoutS = experiment.cluster.timeoutS,
                              .totalSteps = plan.totalSteps,
                              .stepsPerEpoch = plan.stepsPerEpoch,
                              .evalEvery = experiment.timeOnly() ? 0 : plan.evalEvery,
                              .parameters = plan.parameters};
    if (const auto& link = experiment.cluster.link) checked.link = link->bandwidth + ", " + link->latency;
    if (experiment.networkFile) checked.networkFile = experiment.networkFile->path;
    return checked;
}

}  // namespace

Result<Value> readExperimentFile(const std::string& file, const Overrides& overrides) {
    DASGD_ASSIGN(Value document, readTomlFile(file));
    if (!overrides.platform.empty()) {
        DASGD_ASSIGN(const Value platform, readTomlFile(overrides.platform));
        DASGD_TRY(applyPlatform(document, platform));
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
    return checkExperiments(expanded, program);
}

Result<std::vector<CheckedExperiment>> checkExperiments(const std::vector<ExpandedExperiment>& expanded,
                                                        const std::string& program) {
    std::map<std::string, Plan> plans;
    std::vector<CheckedExperiment> checked;
    for (const ExpandedExperiment& experiment : expanded) {
        auto result = check(experiment, plans, program);
        if (!result && !experiment.label.empty()) {
            return fail(result.error().message + " (in the sweep: " + experiment.label + ")");
        }
        if (!result) return tl::unexpected(result.error());
        checked.push_back(std::move(*result));
    }
    return checked;
}

Result<CheckedExperiment> checkExperiment(const Value& document) {
    DASGD_ASSIGN(std::vector<CheckedExperiment> experiments,
                 checkExperiments(std::vector<ExpandedExperiment>{{document, ""}}));
    return std::move(experiments.front());
}

std::string configurationKey(const Value& resolved) {
    Value key = resolved;
    key.erase("name");
    if (Value* train = key.find("train"); train && train->isTable()) train->erase("seed");
    return key.toToml();
}

std::vector<SchemaSection> experimentSchema() {
    std::vector<SchemaSection> sections;
    for (SectionInfo& info : describeExperiment()) {
        SchemaSection section{info.name, std::move(info.fields), {}};
        for (auto& plugin : info.plugins) {
            section.plugins.push_back({plugin.name, plugin.summary, plugin.reference, std::move(plugin.fields)});
        }
        sections.push_back(std::move(section));
    }
    return sections;
}

std::size_t gpuCount() { return torch::cuda::device_count(); }

}  // namespace dasgd::experiments
