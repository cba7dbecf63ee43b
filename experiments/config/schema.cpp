#include "experiments/config/schema.h"

#include <utility>

#include "core/backends/simulated_sections.h"
#include "core/experiment/experiment.h"

namespace dasgd::experiments {

std::vector<SchemaSection> experimentSchema() {
    std::vector<SchemaSection> sections;
    for (SectionInfo& info : describeExperiment()) {
        SchemaSection section{info.name, std::move(info.fields), {}};
        if (std::ranges::find(kSimulatedSections, section.name) != kSimulatedSections.end())
            section.backends = backendsWithSimulatedTime();
        for (auto& plugin : info.plugins) {
            section.plugins.push_back({plugin.name, plugin.summary, plugin.reference, std::move(plugin.fields),
                                       std::move(plugin.communication), std::move(plugin.reads)});
        }
        sections.push_back(std::move(section));
    }
    return sections;
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
