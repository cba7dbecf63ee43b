// The schema of an experiment, from the fields that its sections and plug-ins visit.
#include <algorithm>
#include <type_traits>

#include "core/backends/simulated_sections.h"
#include "core/experiment/experiment.h"

namespace dasgd {

namespace {

template <class T>
std::vector<SchemaPlugin> describePlugins() {
    std::vector<SchemaPlugin> plugins;
    for (const auto& [name, entry] : Registry<T>::entries()) {
        plugins.push_back({name, entry.summary, entry.reference, entry.fields});
        if constexpr (std::is_same_v<T, Algorithm>) plugins.back().reads = sectionsReadBy(name);
    }
    return plugins;
}

std::vector<FieldInfo> describeName(std::string_view fallback) {
    FieldInfo name{.name = "name", .type = "string", .spec = {.help = "Which one"}};
    if (!fallback.empty()) name.defaultToml = Value(std::string(fallback)).toToml();
    return {name};
}

std::vector<FieldInfo> describeGraph() {
    std::vector<FieldInfo> fields = describeName("");
    fields[0].spec.help = "Which one, for algorithms of gossip; each has a default";
    fields[0].optional = true;
    return fields;
}

std::vector<FieldInfo> describeCompression() {
    std::vector<FieldInfo> fields = describeName(kNoCompression);
    fields[0].spec.help = "What codes the exchanges of the algorithm; none: they travel whole";
    for (FieldInfo field : describeFields<CompressionParams>()) {
        // The default is the operator's.
        if (field.name == "error_feedback" || field.name == "rescale_error") {
            field.optional = true;
            field.defaultToml.clear();
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

std::vector<FieldInfo> describeCluster() {
    std::vector<FieldInfo> fields = describeFields<ClusterParams>();
    for (const auto& [name, entry] : BackendRegistry::entries()) {
        for (FieldInfo field : entry.fields) {
            field.optional = true;  // absent from the table where another backend is chosen
            fields.push_back(std::move(field));
        }
    }
    return fields;
}

}  // namespace

ExperimentSchema describeExperiment() {
    std::vector<FieldInfo> data = describeName(kDefaultData);
    for (FieldInfo& field : describeFields<DataParams>()) data.push_back(std::move(field));
    std::vector<FieldInfo> network = describeName(kDefaultNetwork);
    for (FieldInfo& field : describeFields<NetworkParams>()) network.push_back(std::move(field));
    ExperimentSchema schema{{{"algorithm", describeName(""), describePlugins<Algorithm>()},
                             {"graph", describeGraph(), describePlugins<Graph>()},
                             {"compression", describeCompression(), describePlugins<Compressor>()},
                             {"model", describeName(""), describePlugins<Model>()},
                             {"data", std::move(data), describePlugins<Dataset>()},
                             {"train", describeFields<TrainParams>(), {}},
                             {"optimizer", describeName(kDefaultOptimizer), describePlugins<Optimizer>()},
                             {"schedule", describeName(kDefaultSchedule), describePlugins<Schedule>()},
                             {"cluster", describeCluster(), {}},
                             {"network", std::move(network), describePlugins<Topology>()},
                             {"compute", describeFields<ComputeParams>(), {}},
                             {"faults", describeFields<FaultParams>(), {}},
                             {"record", describeFields<RecordParams>(), {}}}};
    for (SchemaSection& section : schema.sections) {
        if (std::ranges::find(kSimulatedSections, section.name) != kSimulatedSections.end())
            section.backends = backendsWithSimulatedTime();
    }
    return schema;
}

}  // namespace dasgd
