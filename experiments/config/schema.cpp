#include "experiments/config/schema.h"

#include <utility>

#include "core/experiment/experiment.h"

namespace dasgd::experiments {

ExperimentSchema experimentSchema() { return describeExperiment(); }

std::string defaultOf(const std::string& section, const std::string& key) {
    const ExperimentSchema schema = experimentSchema();
    const SchemaSection* known = schema.section(section);
    const FieldInfo* field = known ? known->field(key) : nullptr;
    return field ? field->defaultToml : std::string();
}

std::vector<AlgorithmInfo> registeredAlgorithms() {
    std::vector<AlgorithmInfo> algorithms;
    const ExperimentSchema schema = describeExperiment();
    for (const SchemaPlugin& plugin : schema.section("algorithm")->plugins)
        algorithms.push_back({plugin, Registry<Algorithm>::find(plugin.name)->traits});
    return algorithms;
}

std::optional<JudgedBy> judgedBy(const Value& document) {
    const auto experiment = readExperiment(document);
    if (!experiment) return std::nullopt;
    if (experiment->timeOnly()) return JudgedBy::Nothing;
    const bool classifies = experiment->dataset && experiment->model->naturalInput().task != Task::kRegression;
    return classifies ? JudgedBy::Accuracy : JudgedBy::LossAlone;
}

std::vector<std::string> unreadSections(const Value& document) {
    const Value* algorithm = document.find("algorithm");
    const Value* name = algorithm && algorithm->isTable() ? algorithm->find("name") : nullptr;
    if (!name || !name->as<std::string>()) return {};
    std::vector<std::string> unread = sectionsUnreadBy(*name->as<std::string>());
    std::erase_if(unread, [&](const std::string& section) { return !document.find(section); });
    return unread;
}

Value withAlgorithm(Value document, Value algorithm) {
    setAlgorithm(document, std::move(algorithm));
    return document;
}

void setAlgorithm(Value& document, Value algorithm) {
    document.set("algorithm", std::move(algorithm));
    for (const std::string& section : unreadSections(document)) document.erase(section);
}

}  // namespace dasgd::experiments
