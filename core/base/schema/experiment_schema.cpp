#include "core/base/schema/experiment_schema.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace dasgd {

namespace {

using Json = nlohmann::json;

template <class T>
const T* named(const std::vector<T>& all, std::string_view name) {
    const auto found = std::ranges::find(all, name, &T::name);
    return found == all.end() ? nullptr : &*found;
}

bool isIn(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
}

Json jsonOf(const std::vector<FieldInfo>& fields);

Json jsonOf(const FieldInfo& field) {
    Json json = {{"name", field.name}, {"type", field.type}, {"optional", field.optional}};
    if (field.type != "table") json["default"] = field.defaultToml;
    const FieldSpec& spec = field.spec;
    if (std::isfinite(spec.min)) json[spec.minOpen ? "above" : "min"] = spec.min;
    if (std::isfinite(spec.max)) json[spec.maxOpen ? "below" : "max"] = spec.max;
    if (!spec.unit.empty()) json["unit"] = spec.unit;
    if (!spec.symbol.empty()) json["symbol"] = spec.symbol;
    if (!spec.help.empty()) json["help"] = spec.help;
    if (!spec.choices.empty()) json["choices"] = spec.choices;
    if (!field.children.empty()) json["fields"] = jsonOf(field.children);
    return json;
}

Json jsonOf(const std::vector<FieldInfo>& fields) {
    Json json = Json::array();
    for (const FieldInfo& field : fields) json.push_back(jsonOf(field));
    return json;
}

std::vector<FieldInfo> readFieldList(const Json& json);

FieldInfo readField(const Json& json) {
    FieldInfo field{.name = json.value("name", ""),
                    .type = json.value("type", ""),
                    .defaultToml = json.value("default", ""),
                    .optional = json.value("optional", false)};
    FieldSpec& spec = field.spec;
    spec.minOpen = json.contains("above");
    spec.maxOpen = json.contains("below");
    spec.min = json.value(spec.minOpen ? "above" : "min", spec.min);
    spec.max = json.value(spec.maxOpen ? "below" : "max", spec.max);
    spec.unit = json.value("unit", "");
    spec.symbol = json.value("symbol", "");
    spec.help = json.value("help", "");
    spec.choices = json.value("choices", spec.choices);
    field.children = readFieldList(json);
    return field;
}

std::vector<FieldInfo> readFieldList(const Json& json) {
    std::vector<FieldInfo> fields;
    if (!json.contains("fields")) return fields;
    for (const Json& field : json["fields"]) fields.push_back(readField(field));
    return fields;
}

std::string shortNumber(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}

}  // namespace

const FieldInfo* SchemaPlugin::field(std::string_view wanted) const { return named(fields, wanted); }
const FieldInfo* SchemaSection::field(std::string_view wanted) const { return named(fields, wanted); }
const SchemaPlugin* SchemaSection::plugin(std::string_view wanted) const { return named(plugins, wanted); }
const SchemaSection* ExperimentSchema::section(std::string_view wanted) const { return named(sections, wanted); }

std::vector<const FieldInfo*> SchemaSection::fieldsOf(std::string_view wanted) const {
    std::vector<const FieldInfo*> all;
    const bool isNamed = !fields.empty() && fields.front().name == "name" && !plugins.empty();
    if (isNamed) all.push_back(&fields.front());
    if (const SchemaPlugin* chosen = plugin(wanted)) {
        for (const FieldInfo& each : chosen->fields) all.push_back(&each);
    }
    for (std::size_t i = isNamed ? 1 : 0; i < fields.size(); ++i) all.push_back(&fields[i]);
    return all;
}

std::vector<std::string> ExperimentSchema::sectionNames() const {
    std::vector<std::string> names;
    for (const SchemaSection& each : sections) names.push_back(each.name);
    return names;
}

std::vector<std::string> ExperimentSchema::sectionsUnreadBy(std::string_view algorithm) const {
    std::vector<std::string> names;
    const SchemaSection* algorithms = section("algorithm");
    const SchemaPlugin* own = algorithms ? algorithms->plugin(algorithm) : nullptr;
    if (!own) return names;
    for (const SchemaPlugin& other : algorithms->plugins) {
        for (const std::string& read : other.reads) {
            if (!isIn(own->reads, read) && !isIn(names, read)) names.push_back(read);
        }
    }
    return names;
}

std::vector<std::string> ExperimentSchema::sectionsRefusedBy(const std::string& backend) const {
    std::vector<std::string> names;
    for (const SchemaSection& each : sections) {
        if (!each.backends.empty() && !isIn(each.backends, backend)) names.push_back(each.name);
    }
    return names;
}

std::string schemaJson(const ExperimentSchema& schema) {
    Json sections = Json::array();
    for (const SchemaSection& section : schema.sections) {
        Json plugins = Json::array();
        for (const SchemaPlugin& plugin : section.plugins) {
            plugins.push_back({{"name", plugin.name},
                               {"summary", plugin.summary},
                               {"reference", plugin.reference},
                               {"fields", jsonOf(plugin.fields)}});
            if (!plugin.reads.empty()) plugins.back()["reads"] = plugin.reads;
        }
        sections.push_back({{"name", section.name}, {"fields", jsonOf(section.fields)}, {"plugins", plugins}});
        if (!section.backends.empty()) sections.back()["backends"] = section.backends;
    }
    return Json{{"sections", sections}}.dump();
}

std::string fieldsJson(const std::vector<FieldInfo>& fields) { return jsonOf(fields).dump(); }

Result<ExperimentSchema> readSchema(std::string_view text) {
    const char* const kOther =
        "`dasgd describe --json` named no sections: the program and this window are of different versions";
    ExperimentSchema schema;
    try {
        const Json json = Json::parse(text);
        for (const Json& section : json.at("sections")) {
            SchemaSection& read = schema.sections.emplace_back();
            read.name = section.at("name");
            read.fields = readFieldList(section);
            read.backends = section.value("backends", read.backends);
            for (const Json& plugin : section.value("plugins", Json::array())) {
                read.plugins.push_back({.name = plugin.at("name"),
                                        .summary = plugin.value("summary", ""),
                                        .reference = plugin.value("reference", ""),
                                        .fields = readFieldList(plugin),
                                        .reads = plugin.value("reads", std::vector<std::string>())});
            }
        }
    } catch (const Json::exception&) {
        return fail(kOther);
    }
    if (schema.sections.empty()) return fail(kOther);
    return schema;
}

std::string rangeInWords(const FieldSpec& spec) {
    if (!spec.choices.empty()) {
        std::string words = "one of ";
        for (const std::string& choice : spec.choices) words += (words.back() == ' ' ? "" : ", ") + choice;
        return words;
    }
    constexpr double kFar = 1e6;
    const bool low = std::isfinite(spec.min), high = std::isfinite(spec.max) && spec.max < kFar;
    const std::string lowest = shortNumber(spec.min), highest = shortNumber(spec.max);
    if (low && high && !spec.minOpen && !spec.maxOpen) return lowest + " to " + highest;
    std::string words;
    if (low) words = (spec.minOpen ? "above " : "at least ") + lowest;
    if (high) words += (low ? ", " : "") + std::string(spec.maxOpen ? "below " : "at most ") + highest;
    return words;
}

}  // namespace dasgd
