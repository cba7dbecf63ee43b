#include "experiments/config/sweep.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/analysis/runs/configuration.h"
#include "core/base/log.h"
#include "core/base/schema/toml_reader.h"
#include "experiments/base/text.h"
#include "experiments/config/cases.h"
#include "experiments/config/plugin_fields.h"
#include "experiments/config/schema.h"

namespace dasgd::experiments {

namespace {

constexpr std::int64_t kMaxRange = 100'000;

struct Assignment {
    std::vector<std::string> path;
    std::string text;  // right of the first '='
    SourcePosition place;
};

Result<Assignment> splitAssignment(const std::string& option, const std::string& argument) {
    const SourcePosition place{std::make_shared<const std::string>(option + " " + argument), 0, 0};
    const auto equals = argument.find('=');
    if (equals == std::string::npos) return fail(place.prefix() + "needs the form key=value");
    DASGD_ASSIGN(std::vector<std::string> path, parseKeyPath(argument.substr(0, equals), place));
    return Assignment{std::move(path), argument.substr(equals + 1), place};
}

std::string joined(const std::vector<std::string>& path) {
    std::string key;
    for (const std::string& part : path) key += (key.empty() ? "" : ".") + part;
    return key;
}

bool isPrefix(const std::vector<std::string>& shorter, const std::vector<std::string>& longer) {
    return shorter.size() <= longer.size() && std::equal(shorter.begin(), shorter.end(), longer.begin());
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// "1..5": both ends belong to it.
Result<std::optional<std::vector<Value>>> parseRange(std::string_view text, const SourcePosition& place) {
    const auto dots = text.find("..");
    if (dots == std::string_view::npos) return std::nullopt;
    const auto first = wholeNumber(text.substr(0, dots));
    const auto last = wholeNumber(text.substr(dots + 2));
    if (!first || !last) return std::nullopt;
    if (*last < *first || *last - *first >= kMaxRange) {
        return fail(place.prefix() + "the range " + std::string(text) + " must rise and have at most " +
                    std::to_string(kMaxRange) + " numbers");
    }
    std::vector<Value> values;
    for (std::int64_t number = *first; number <= *last; ++number) values.emplace_back(number, place);
    return values;
}

// Cuts at commas that stand outside brackets and strings.
std::vector<std::string> splitList(const std::string& text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote) {
            if (c == quote && !(quote == '"' && text[i - 1] == '\\')) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '[' || c == '{' || c == '(') {
            ++depth;
        } else if (c == ']' || c == '}' || c == ')') {
            --depth;
        } else if (c == ',' && depth == 0) {
            parts.emplace_back();
            continue;
        }
        parts.back() += c;
    }
    return parts;
}

Result<std::vector<Value>> parseSweepValues(const Assignment& assignment) {
    std::vector<Value> values;
    for (const std::string& part : splitList(assignment.text)) {
        DASGD_ASSIGN(auto range, parseRange(part, assignment.place));
        if (range) {
            values.insert(values.end(), range->begin(), range->end());
            continue;
        }
        DASGD_ASSIGN(Value value, parseArgument(part, *assignment.place.source));
        values.push_back(std::move(value));
    }
    return values;
}

Result<std::vector<SweepAxis>> axesOfFile(const Value& document) {
    std::vector<SweepAxis> axes;
    const Value* sweep = document.find("sweep");
    if (!sweep) return axes;
    if (!sweep->isTable())
        return sweep->error("sweep must be a table of arrays, found " + std::string(sweep->typeName()));
    for (const auto& [key, value] : *sweep->as<Value::Table>()) {
        const auto* values = value.as<Value::Array>();
        if (value.isTable()) {
            return fail(value.keyPosition().prefix() + "write the key of a sweep in quotes: \"" + key +
                        ".field\" = […]");
        }
        if (!values)
            return value.error("a sweep of " + key + " must be an array, found " + std::string(value.typeName()));
        if (values->empty()) return value.error("a sweep of " + key + " needs at least one value");
        DASGD_ASSIGN(std::vector<std::string> path, parseKeyPath(key, value.keyPosition()));
        axes.push_back({std::move(path), value.keyPosition(), *values});
    }
    return axes;
}

Status applySet(const std::string& argument, Value& document, std::vector<SweepAxis>& axes) {
    DASGD_ASSIGN(const Assignment assignment, splitAssignment("--set", argument));
    DASGD_ASSIGN(Value value, parseArgument(assignment.text, *assignment.place.source));
    std::erase_if(axes, [&](const SweepAxis& axis) { return axis.path == assignment.path; });
    for (const SweepAxis& axis : axes) {
        if (!isPrefix(axis.path, assignment.path)) continue;
        return fail(assignment.place.prefix() + "has no effect, since " + axis.place.prefix() + "sweeps all of '" +
                    axis.key() + "'; change it there");
    }
    return assignAt(document, assignment.path, assignment.place, std::move(value));
}

Status applySweep(const std::string& argument, std::vector<SweepAxis>& axes) {
    DASGD_ASSIGN(SweepAxis axis, parseAxis("--sweep", argument));
    const auto same = std::find_if(axes.begin(), axes.end(), [&](const SweepAxis& a) { return a.path == axis.path; });
    if (same != axes.end()) {
        *same = std::move(axis);
    } else {
        axes.push_back(std::move(axis));
    }
    return {};
}

Status checkAxes(const std::vector<SweepAxis>& axes) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        count *= axes[i].values.size();
        if (count > kMaxExpandedExperiments) {
            return fail(axes[i].place.prefix() + "the sweep has more than " + std::to_string(kMaxExpandedExperiments) +
                        " experiments");
        }
        if (axes[i].path.front() == "sweep") return fail(axes[i].place.prefix() + "a sweep cannot sweep itself");
        for (std::size_t earlier = 0; earlier < i; ++earlier) {
            if (!isPrefix(axes[i].path, axes[earlier].path)) continue;
            return fail(axes[i].place.prefix() + "replaces what " + axes[earlier].place.prefix() + "sweeps ('" +
                        axes[earlier].key() + "'); put the sweep of '" + axes[i].key() + "' first or leave one out");
        }
    }
    return {};
}

std::string labelText(const Value& value) {
    const Value* name = value.isTable() ? value.find("name") : nullptr;
    if (!name || !name->as<std::string>()) {
        return value.as<std::string>() ? *value.as<std::string>() : value.toToml();
    }
    std::string text = *name->as<std::string>();
    for (const auto& [key, child] : *value.as<Value::Table>()) {
        if (key != "name") text += " " + key + "=" + labelText(child);
    }
    return text;
}

// One point of the product of all axes.
struct Choice {
    Value document;
    std::vector<std::pair<std::string, std::string>> labels;  // key and value of each axis

    void leaveOut(const std::string& section, const std::string& key) {
        document.find(section)->erase(key);
        std::erase_if(labels, [&](const auto& label) { return label.first == section + "." + key; });
    }
    void leaveOut(const std::string& section) {
        document.erase(section);
        std::erase_if(labels, [&](const auto& label) {
            return label.first == section || label.first.starts_with(section + ".");
        });
    }
    [[nodiscard]] std::string label() const {
        std::string text;
        for (const auto& [key, value] : labels) text += (text.empty() ? "" : ", ") + key + "=" + value;
        return text;
    }
};

// The plug-ins that an axis over `section`.name takes in turn; none without such an axis.
std::vector<std::string> sweptPlugins(const std::vector<SweepAxis>& axes, const std::string& section) {
    std::vector<std::string> names;
    for (const SweepAxis& axis : axes) {
        if (axis.path != std::vector<std::string>{section, "name"}) continue;
        for (const Value& value : axis.values) {
            if (const auto* name = value.as<std::string>()) names.push_back(*name);
        }
    }
    return names;
}

bool isFromCommandLine(const SourcePosition& place) { return place.source && place.source->starts_with("--"); }

Error leftOverError(const Value& document, const std::string& section, const std::vector<std::string>& keys) {
    const Value& table = *document.find(section);
    const Value& name = *table.find("name");
    std::string list;
    for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
    return {table.find(keys.front())->keyPosition().prefix() + *name.as<std::string>() + " (" +
            *name.position().source + ") does not know " + list + ", which belong to another " + section +
            ": remove them from [" + section + "], or leave them out with --drop-unknown"};
}

// Fields of [section] that only other plug-ins know. What the command line sets itself is never dropped.
Status settleSection(Choice& choice, const std::string& section, const PluginFields& fields,
                     const std::vector<SweepAxis>& axes, bool drop, std::vector<std::string>& dropped) {
    const std::vector<std::string> swept = sweptPlugins(axes, section);
    if (!swept.empty()) {
        for (const std::string& key : fields.leftOver(choice.document, section, swept)) choice.leaveOut(section, key);
    }
    std::vector<std::string> keys = fields.leftOver(choice.document, section);
    if (keys.empty()) return {};
    const Value& table = *choice.document.find(section);
    std::erase_if(keys, [&](const auto& key) { return isFromCommandLine(table.find(key)->keyPosition()); });
    const Value* name = table.find("name");
    if (!drop && !keys.empty() && name && isFromCommandLine(name->position())) {
        return tl::unexpected(leftOverError(choice.document, section, keys));
    }
    if (!drop) return {};
    for (const std::string& key : keys) {
        choice.leaveOut(section, key);
        dropped.push_back(section + "." + key);
    }
    return {};
}

bool sweepsAlgorithms(const std::vector<SweepAxis>& axes) {
    return std::ranges::any_of(axes, [](const SweepAxis& axis) {
        return axis.path == std::vector<std::string>{"algorithm"} ||
               axis.path == std::vector<std::string>{"algorithm", "name"};
    });
}

bool isSetByCommandLine(const Value& section) {
    const auto* fields = section.as<Value::Table>();
    return isFromCommandLine(section.keyPosition()) || (fields && std::ranges::any_of(*fields, [](const auto& field) {
                                                            return isFromCommandLine(field.second.keyPosition());
                                                        }));
}

// Sections that the algorithm does not read, as [graph]: of an algorithm that the command line names they are refused,
// or dropped.
Status settleUnread(Choice& choice, const std::vector<SweepAxis>& axes, bool drop, std::vector<std::string>& dropped) {
    const bool isSwept = sweepsAlgorithms(axes);
    for (const std::string& section : unreadSections(choice.document)) {
        const Value& table = *choice.document.find(section);
        const Value& name = *choice.document.find("algorithm")->find("name");
        if (!isSwept && isSetByCommandLine(table)) continue;
        if (!isSwept && !drop && !isFromCommandLine(name.position())) continue;
        if (!isSwept && !drop) {
            return fail(table.keyPosition().prefix() + *name.as<std::string>() + " (" + *name.position().source +
                        ") does not read [" + section + "]: remove it, or leave it out with --drop-unknown");
        }
        choice.leaveOut(section);
        if (!isSwept) dropped.push_back("[" + section + "]");
    }
    return {};
}

Result<std::vector<ExpandedExperiment>> settlePlugins(std::vector<Choice> choices, const std::vector<SweepAxis>& axes,
                                                      const Overrides& overrides) {
    const PluginFields fields;
    std::vector<ExpandedExperiment> expanded;
    std::set<std::string> taken;
    for (Choice& choice : choices) {
        const std::size_t axesBefore = choice.labels.size();
        std::vector<std::string> dropped;
        for (const std::string& section : fields.sections()) {
            DASGD_TRY(settleSection(choice, section, fields, axes, overrides.dropUnknown, dropped));
        }
        DASGD_TRY(settleUnread(choice, axes, overrides.dropUnknown, dropped));
        // An axis over a field that this plug-in does not have leads to the same experiment several times.
        if (choice.labels.size() < axesBefore && !taken.insert(choice.document.toToml()).second) continue;
        expanded.push_back({std::move(choice.document), choice.label(), std::move(dropped)});
    }
    return expanded;
}

Result<std::vector<ExpandedExperiment>> sweepOut(const Value& document, const Overrides& overrides) {
    Value base = document;
    DASGD_ASSIGN(std::vector<SweepAxis> axes, axesOfFile(document));
    base.erase("sweep");
    for (const std::string& argument : overrides.set) DASGD_TRY(applySet(argument, base, axes));
    for (const std::string& argument : overrides.sweep) DASGD_TRY(applySweep(argument, axes));
    DASGD_TRY(checkAxes(axes));

    std::vector<Choice> choices{{std::move(base), {}}};
    for (const SweepAxis& axis : axes) {
        std::vector<Choice> next;
        for (const Choice& choice : choices) {
            for (const Value& value : axis.values) {
                Choice chosen = choice;
                DASGD_TRY(assignAt(chosen.document, axis.path, axis.place, value));
                chosen.labels.emplace_back(axis.key(), labelText(value));
                next.push_back(std::move(chosen));
            }
        }
        choices = std::move(next);
    }
    return settlePlugins(std::move(choices), axes, overrides);
}

using Turns = std::vector<std::pair<std::size_t, ExpandedExperiment>>;

// Every configuration with its first seed, then every one with its next. What a machine's speed drifts by over the
// hours of a sweep then falls on all configurations alike, and not on those that come last.
std::vector<ExpandedExperiment> inTurn(Turns turns) {
    std::ranges::stable_sort(turns, {}, [](const auto& one) { return one.first; });
    std::vector<ExpandedExperiment> experiments;
    experiments.reserve(turns.size());
    for (auto& [turn, experiment] : turns) experiments.push_back(std::move(experiment));
    return experiments;
}

}  // namespace

std::string SweepAxis::key() const { return joined(path); }

Result<SweepAxis> parseAxis(const std::string& option, const std::string& argument) {
    DASGD_ASSIGN(Assignment assignment, splitAssignment(option, argument));
    DASGD_ASSIGN(std::vector<Value> values, parseSweepValues(assignment));
    return SweepAxis{std::move(assignment.path), assignment.place, std::move(values)};
}

Status assignAt(Value& root, const std::vector<std::string>& path, const SourcePosition& place, Value value) {
    Value* node = &root;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) {
        if (!node->find(path[i])) {
            Value table(Value::Table{}, place);
            table.setKeyPosition(place);
            node->set(path[i], std::move(table));
        }
        node = node->find(path[i]);
        if (!node->isTable()) {
            return fail(place.prefix() + joined(path) + " does not exist: " + path[i] + " is " +
                        std::string(node->typeName()) + ", not a table");
        }
    }
    value.setKeyPosition(place);
    node->set(path.back(), std::move(value));
    return {};
}

Result<std::vector<ExpandedExperiment>> expandExperiments(const Value& document, const Overrides& overrides) {
    DASGD_ASSIGN(const std::vector<Case> cases, expandCases(document));
    Turns all;
    for (const Case& one : cases) {
        DASGD_ASSIGN(auto expanded, sweepOut(one.document, overrides));
        std::map<std::string, std::size_t> made;  // of each configuration
        for (ExpandedExperiment& experiment : expanded) {
            const bool both = !one.label.empty() && !experiment.label.empty();
            experiment.label = one.label + (both ? ", " : "") + experiment.label;
            const auto turn = made[configurationKey(settingsOf(experiment.document))]++;
            all.emplace_back(turn, std::move(experiment));
        }
    }
    return inTurn(std::move(all));
}

void reportDropped(const std::vector<ExpandedExperiment>& experiments) {
    std::vector<std::string> keys;
    for (const ExpandedExperiment& experiment : experiments) {
        for (const std::string& key : experiment.dropped) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
        }
    }
    if (keys.empty()) return;
    std::string list;
    for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
    logLine(LogLevel::Info, "--drop-unknown left out " + printable(list));
}

}  // namespace dasgd::experiments
