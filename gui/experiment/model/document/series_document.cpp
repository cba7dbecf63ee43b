#include "gui/experiment/model/document/series_document.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/runs/configuration.h"
#include "core/base/schema/toml_reader.h"
#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

namespace {

// A sweep over more tables than this would be unreadable.
constexpr std::size_t kMostTables = 64;

using Runs = std::vector<RunItemPtr>;
using Keys = std::set<std::string>;

// One dimension of the sweep: a key, or a whole section, in which the runs differ.
struct Axis {
    std::string key;
    bool isSection = false;
    std::vector<std::size_t> firsts;  // for each value the first run that has it, in the order of the runs
};

ExperimentDocument documentOf(const RunItem& run) { return ExperimentDocument(QString::fromStdString(run.row.config)); }

Runs onePerConfiguration(std::span<const RunItemPtr> runs) {
    Runs ordered(runs.begin(), runs.end());
    std::ranges::stable_sort(ordered, [](const RunItemPtr& a, const RunItemPtr& b) {
        return std::pair(a->row.seriesPlace, a->id) < std::pair(b->row.seriesPlace, b->id);
    });
    std::set<std::pair<std::string_view, std::string>> seen;
    std::erase_if(ordered, [&](const RunItemPtr& run) {
        std::string seeds;
        for (const std::string& key : seedKeys()) {
            const std::string* seed = run->config.find(key);
            seeds += (seed ? *seed : std::string()) + '\n';
        }
        return !seen.emplace(run->group, std::move(seeds)).second;
    });
    return ordered;
}

// The keys of each section, "train" → "train.steps", …, from one list of keys.
std::map<std::string, Keys> sectionsOf(const RunSettings::Keys& keys) {
    std::map<std::string, Keys> sections;
    for (const std::string& key : keys) sections[key.substr(0, key.find('.'))].insert(key);
    return sections;
}

std::string textOf(const RunItem& run, const Keys& keys) {
    std::string text;
    for (const std::string& key : keys) {
        const std::string* value = run.config.find(key);
        if (value) text.append(key).append("=").append(*value) += '\n';
    }
    return text;
}

Axis axisOver(const Runs& runs, const std::string& name, const Keys& keys, bool isSection) {
    Axis axis{.key = name, .isSection = isSection};
    std::set<std::string> seen;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (seen.insert(textOf(*runs[i], keys)).second) axis.firsts.push_back(i);
    }
    return axis;
}

bool differs(const Runs& runs, const std::string& key) {
    const std::string* first = runs.front()->config.find(key);
    return std::ranges::any_of(runs, [&](const RunItemPtr& run) {
        const std::string* own = run->config.find(key);
        return !own != !first || (own && *own != *first);
    });
}

std::size_t combinations(const std::vector<Axis>& axes) {
    std::size_t count = 1;
    for (const Axis& axis : axes) count *= axis.firsts.size();
    return count;
}

// The axes of one section; none if all runs agree.
std::vector<Axis> axesOf(const Runs& runs, const std::string& section, const Keys& keys, bool haveSameKeys) {
    Keys differing;
    for (const std::string& key : keys) {
        if (differs(runs, key)) differing.insert(key);
    }
    if (differing.empty()) return {};
    std::vector<Axis> axes;
    for (const std::string& key : differing) axes.push_back(axisOver(runs, key, {key}, false));
    Axis whole = axisOver(runs, section, differing, true);
    const bool eachByItself = haveSameKeys && combinations(axes) == whole.firsts.size();
    return eachByItself ? axes : std::vector<Axis>{std::move(whole)};
}

// nullopt if a section is not in all runs, as a sweep cannot leave it out.
std::optional<std::vector<Axis>> axesOf(const Runs& runs) {
    std::set<RunSettings::Keys> lists;
    std::set<const RunSettings::Keys*> known;
    for (const RunItemPtr& run : runs) {
        const RunSettings::Keys* keys = run->config.keys().get();
        if (!keys) return std::nullopt;
        if (known.insert(keys).second) lists.insert(*keys);
    }
    std::map<std::string, Keys> all;
    std::map<std::string, std::set<Keys>> variants;
    std::map<std::string, std::size_t> holders;
    for (const RunSettings::Keys& list : lists) {
        for (auto& [section, keys] : sectionsOf(list)) {
            all[section].insert(keys.begin(), keys.end());
            ++holders[section];
            variants[section].insert(std::move(keys));
        }
    }
    std::vector<Axis> axes;
    for (const auto& [section, keys] : all) {
        if (holders[section] != lists.size()) return std::nullopt;
        for (Axis& axis : axesOf(runs, section, keys, variants[section].size() == 1)) axes.push_back(std::move(axis));
    }
    // The last axis of a sweep varies fastest, so it is the one whose value changes first.
    std::ranges::stable_sort(axes, std::greater<>(), [](const Axis& axis) { return axis.firsts[1]; });
    return axes;
}

// A field has one type in all recorded configurations, so the first run decides whether its values are quoted.
std::optional<std::vector<std::string>> valuesOfKey(const Runs& runs, const Axis& axis) {
    const ExperimentDocument first = documentOf(*runs.front());
    const Value* value = first.value(QString::fromStdString(axis.key));
    if (!value) return std::nullopt;
    const bool isString = value->as<std::string>() != nullptr;
    std::vector<std::string> values;
    for (const std::size_t place : axis.firsts) {
        const std::string& text = *runs[place]->config.find(axis.key);
        values.push_back(isString ? Value(text).toToml() : text);
        if (!parseToml("v = " + values.back(), "series")) return std::nullopt;
    }
    return values;
}

std::optional<std::vector<std::string>> tablesOf(const Runs& runs, const Axis& axis) {
    if (axis.firsts.size() > kMostTables) return std::nullopt;
    std::vector<std::string> tables;
    for (const std::size_t place : axis.firsts) {
        const ExperimentDocument document = documentOf(*runs[place]);
        const Value* table = document.value(QString::fromStdString(axis.key));
        if (!table || !table->isTable()) return std::nullopt;
        tables.push_back(table->toToml());
    }
    return tables;
}

// One line of [sweep]: "algorithm.delay" = [1, 2, 3]
std::optional<std::string> lineOf(const Runs& runs, const Axis& axis) {
    const auto values = axis.isSection ? tablesOf(runs, axis) : valuesOfKey(runs, axis);
    if (!values) return std::nullopt;
    std::string line = Value(axis.key).toToml() + " = [";
    for (std::size_t i = 0; i < values->size(); ++i) line += (i == 0 ? "" : ", ") + (*values)[i];
    // Recorded files lie in the folders of their runs, but a sweep looks for all of them in one folder.
    if (line.find("\"artefacts/") != std::string::npos) return std::nullopt;
    return line + "]\n";
}

}  // namespace

std::optional<SeriesDocument> seriesDocument(std::span<const RunItemPtr> runs) {
    const Runs made = onePerConfiguration(runs);
    if (made.size() < 2) return std::nullopt;
    const auto axes = axesOf(made);
    if (!axes || axes->empty() || combinations(*axes) != made.size()) return std::nullopt;
    std::string text = made.front()->row.config;
    if (text.empty()) return std::nullopt;
    if (!text.ends_with('\n')) text += '\n';
    text += "\n[sweep]\n";
    for (const Axis& axis : *axes) {
        const auto line = lineOf(made, axis);
        if (!line) return std::nullopt;
        text += *line;
    }
    return SeriesDocument{QString::fromStdString(text), made.front(), static_cast<int>(made.size())};
}

}  // namespace dasgd::gui
