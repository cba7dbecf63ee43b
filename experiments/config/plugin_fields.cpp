#include "experiments/config/plugin_fields.h"

#include <algorithm>

namespace dasgd::experiments {

namespace {

bool isAmong(const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
}

}  // namespace

const SchemaSection* PluginFields::find(std::string_view section) const {
    const SchemaSection* found = schema_.section(section);
    return found && !found->plugins.empty() ? found : nullptr;
}

std::vector<std::string> PluginFields::sections() const {
    std::vector<std::string> names;
    for (const SchemaSection& section : schema_.sections) {
        if (!section.plugins.empty()) names.push_back(section.name);
    }
    return names;
}

std::string PluginFields::pluginOf(const Value& document, std::string_view section) const {
    const Value* table = document.find(section);
    const Value* name = table && table->isTable() ? table->find("name") : nullptr;
    if (name) return name->as<std::string>() ? *name->as<std::string>() : "";
    const SchemaSection* known = find(section);
    if (!known) return {};
    const FieldInfo* field = known->field("name");
    if (!field || field->defaultToml.size() < 2) return {};
    return field->defaultToml.substr(1, field->defaultToml.size() - 2);  // without its quotes
}

std::vector<std::string> PluginFields::leftOver(const Value& document, std::string_view section,
                                                const std::vector<std::string>& others) const {
    const SchemaSection* known = find(section);
    const Value* table = document.find(section);
    if (!known || !table || !table->isTable()) return {};
    const std::string name = pluginOf(document, section);
    const SchemaPlugin* own = known->plugin(name);
    if (!own) return {};
    std::vector<std::string> keys;
    for (const auto& [key, value] : *table->as<Value::Table>()) {
        if (known->field(key) || key == "name" || own->field(key)) continue;
        const bool ofAnother = std::ranges::any_of(
            known->plugins, [&](const SchemaPlugin& each) { return isAmong(others, each.name) && each.field(key); });
        if (ofAnother) keys.push_back(key);
    }
    return keys;
}

}  // namespace dasgd::experiments
