// `dasgd describe`: the schema, from the same definitions that check a file.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/config/cluster_profile.h"
#include "experiments/config/schema.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

// Choices in lines of `kWidest` characters where one of them is no longer: one setting with many must not push the help
// of all others out of sight.
std::vector<std::string> choicesOf(const FieldSpec& spec) {
    constexpr std::size_t kWidest = 34;
    std::vector<std::string> lines;
    for (const std::string& choice : spec.choices) {
        if (lines.empty() || lines.back().size() + choice.size() + 3 > kWidest) {
            if (!lines.empty()) lines.back() += " |";
            lines.push_back(choice);
        } else {
            lines.back() += " | " + choice;
        }
    }
    return lines;
}

// "0 to 1 steps"; the unit alone where every value is allowed.
std::string rangeOf(const FieldSpec& spec) {
    const std::string range = rangeInWords(spec);
    return range.empty() || spec.unit.empty() ? range + spec.unit : range + " " + spec.unit;
}

void addRows(TextTable& table, const std::vector<FieldInfo>& fields, const std::string& indent) {
    for (const FieldInfo& field : fields) {
        const std::string name = field.name + (field.spec.symbol.empty() ? "" : " (" + field.spec.symbol + ")");
        const std::vector<std::string> choices = choicesOf(field.spec);
        const std::string allowed = choices.empty() ? rangeOf(field.spec) : choices.front();
        table.add({indent + name, field.type, field.defaultToml, allowed, field.spec.help});
        for (std::size_t line = 1; line < choices.size(); ++line) table.add({"", "", "", choices[line]});
        addRows(table, field.children, indent + "  ");
    }
}

std::string schemaText() {
    TextTable table({"key", "type", "default", "allowed", ""});
    for (const std::size_t column : {1, 2, 3, 4}) table.leftAlign(column);
    table.add({"name", "string", "", "", "Name of the experiment"});
    for (const SchemaSection& section : experimentSchema().sections) {
        table.add({});
        std::string backends;
        for (const std::string& name : section.backends) backends += (backends.empty() ? "" : ", ") + name;
        table.add({"[" + section.name + "]", "", "", "", backends.empty() ? "" : "only with backend " + backends});
        addRows(table, section.fields, "  ");
        for (const SchemaPlugin& plugin : section.plugins) {
            const std::string about = plugin.summary + (plugin.reference.empty() ? "" : " (" + plugin.reference + ")");
            table.add({"  name = \"" + plugin.name + "\"", "", "", "", about});
            addRows(table, plugin.fields, "    ");
        }
    }
    table.add({});
    table.add(
        {"[sweep]", "", "", "", "\"section.key\" = [values]: one experiment for each; several keys: their product"});
    table.add(
        {"[[case]]", "", "", "", "Laid over the rest of the file: one experiment for each; cases may hold cases"});
    return table.toString();
}

constexpr const char* kEnvironmentHelp = "Variables of every rank: NAME = \"value\"";
constexpr const char* kSlurmHelp = "Options of sbatch without the dashes; true: one without a value";

nlohmann::json profileJson() {
    return {{"fields", nlohmann::json::parse(fieldsJson(describeFields<ClusterProfile>()))},
            {"tables", {{"environment", kEnvironmentHelp}, {"slurm", kSlurmHelp}}}};
}

std::string profileText() {
    TextTable table({"key", "type", "default", "allowed", ""});
    for (const std::size_t column : {1, 2, 3, 4}) table.leftAlign(column);
    addRows(table, describeFields<ClusterProfile>(), "");
    table.add({});
    table.add({"[environment]", "", "", "", kEnvironmentHelp});
    table.add({"[slurm]", "", "", "", kSlurmHelp});
    return table.toString();
}

struct DescribeOptions {
    bool json = false, clusters = false;
};

Action declareDescribe(CLI::App& app) {
    auto options = std::make_shared<DescribeOptions>();
    app.add_flag("--json", options->json, "As one JSON object");
    app.add_flag("--clusters", options->clusters, "The keys of a cluster's profile (`dasgd run --on`) instead");
    return [options] {
        const bool clusters = options->clusters;
        const std::string text = options->json
                                     ? (clusters ? dumpLine(profileJson()) : schemaJson(experimentSchema())) + "\n"
                                     : (clusters ? profileText() : schemaText());
        std::fputs(text.c_str(), stdout);
        return static_cast<int>(kFinished);
    };
}

const CommandRegistry::Add kDescribeEntry{
    {.order = 120,
     .name = "describe",
     .summary = "Every key of an experiment file, or of a cluster's profile: type, default, range",
     .declare = declareDescribe}};

}  // namespace

}  // namespace dasgd::experiments
