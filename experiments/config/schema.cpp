#include "experiments/config/schema.h"

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

}  // namespace dasgd::experiments
