#include "experiments/run/record/stored_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"
#include "experiments/config/schema.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

void addFields(nlohmann::json& out, const Value& section, const std::string& name,
               const std::vector<FieldInfo>& fields) {
    for (const FieldInfo& field : fields) {
        const bool named = !field.spec.symbol.empty() || !field.spec.unit.empty();
        if (!named || !section.find(field.name)) continue;
        out.push_back({{"key", name + "." + field.name},
                       {"symbol", field.spec.symbol},
                       {"unit", field.spec.unit},
                       {"default", field.defaultToml}});
    }
}

}  // namespace

std::string storedSchema(const Value& resolved) {
    nlohmann::json out = nlohmann::json::array();
    for (const SchemaSection& schema : experimentSchema().sections) {
        const Value* section = resolved.find(schema.name);
        if (!section || !section->isTable()) continue;
        addFields(out, *section, schema.name, schema.fields);
        const Value* name = section->find("name");
        const auto* plugin = name ? name->as<std::string>() : nullptr;
        const SchemaPlugin* found = plugin ? schema.plugin(*plugin) : nullptr;
        if (found) addFields(out, *section, schema.name, found->fields);
    }
    return dumpLine(out);
}

}  // namespace dasgd::experiments
