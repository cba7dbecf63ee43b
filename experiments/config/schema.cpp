#include "experiments/config/schema.h"

#include <utility>

#include "core/experiment/experiment.h"

namespace dasgd::experiments {

std::vector<SchemaSection> experimentSchema() {
    std::vector<SchemaSection> sections;
    for (SectionInfo& info : describeExperiment()) {
        SchemaSection section{info.name, std::move(info.fields), {}};
        for (auto& plugin : info.plugins) {
            section.plugins.push_back({plugin.name, plugin.summary, plugin.reference, std::move(plugin.fields),
                                       std::move(plugin.communication)});
        }
        sections.push_back(std::move(section));
    }
    return sections;
}

bool readsGraph(const std::string& algorithm) { return mixesOverGraph(algorithm); }

void setAlgorithm(Value& document, Value algorithm) {
    const Value* name = algorithm.find("name");
    if (!name || !name->as<std::string>() || !readsGraph(*name->as<std::string>())) document.erase("graph");
    document.set("algorithm", std::move(algorithm));
}

}  // namespace dasgd::experiments
