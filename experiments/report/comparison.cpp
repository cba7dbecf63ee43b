#include "experiments/report/comparison.h"

#include <algorithm>
#include <map>
#include <set>

#include "experiments/config/checked_experiment.h"
#include "experiments/config/toml_reader.h"
#include "experiments/report/equal_samples.h"
#include "experiments/report/run_summary.h"

namespace dasgd::experiments {

namespace {

void flatten(const Value& table, const std::string& prefix, FlatSettings& out) {
    for (const auto& [key, value] : *table.as<Value::Table>()) {
        if (value.isTable()) {
            flatten(value, prefix + key + ".", out);
        } else {
            out.emplace_back(prefix + key, value.as<std::string>() ? *value.as<std::string>() : value.toToml());
        }
    }
}

FlatSettings flatConfiguration(const std::string& config) {
    const auto document = parseToml(config, "config");
    FlatSettings flat = document ? flatSettings(*document) : FlatSettings{};
    std::erase_if(flat, [](const auto& entry) { return entry.first == "name" || entry.first == "train.seed"; });
    return flat;
}

std::string shortKey(const std::string& key) {
    constexpr std::string_view own = "algorithm.";
    return key.starts_with(own) ? key.substr(own.size()) : key;
}

// A matrix says less in a label than which of the matrices it is: long values are numbered as they come.
class LongValues {
public:
    std::string shown(const std::string& key, const std::string& value) {
        if (value.size() <= kLongest) return value;
        auto& known = known_[key];
        const auto found = std::find(known.begin(), known.end(), value);
        const auto index = found - known.begin();
        if (found == known.end()) known.push_back(value);
        return "#" + std::to_string(index + 1);
    }

private:
    static constexpr std::size_t kLongest = 40;
    std::map<std::string, std::vector<std::string>> known_;
};

struct Gathered {
    ComparedGroup group;
    std::string config;
    std::vector<double> stepMs, finalLoss, bestAccuracy, hidden, blockedS, bytesSent, samples;
    std::vector<std::string> finished;  // run ids
};

void gather(const RunSummary& summary, Gathered& into) {
    const storage::RunRow& row = summary.row;
    into.group.runIds.push_back(row.runId);
    if (row.status != "finished") {
        ++into.group.unfinished;
        return;
    }
    const auto add = [](std::vector<double>& values, const std::optional<double>& value) {
        if (value) values.push_back(*value);
    };
    add(into.stepMs, summary.stepMs);
    add(into.finalLoss, row.finalLoss);
    add(into.bestAccuracy, row.bestAccuracy);
    add(into.hidden, row.hidden);
    add(into.blockedS, row.blockedS);
    into.bytesSent.push_back(static_cast<double>(row.bytesSent));
    into.samples.push_back(static_cast<double>(row.samples));
    into.finished.push_back(row.runId);
}

ComparedGroup reduce(const Gathered& gathered) {
    ComparedGroup group = gathered.group;
    group.stepMs = summarise(gathered.stepMs);
    group.finalLoss = summarise(gathered.finalLoss);
    group.bestAccuracy = summarise(gathered.bestAccuracy);
    group.hidden = summarise(gathered.hidden);
    group.blockedS = summarise(gathered.blockedS);
    group.bytesSent = summarise(gathered.bytesSent);
    group.samples = summarise(gathered.samples);
    return group;
}

// Where the runs were not all trained on as many samples: results at the largest number that all of them reached.
Status addEqualSamples(storage::RunReader& reader, const std::vector<Gathered>& gathered, Comparison& comparison) {
    std::set<double> counts;
    std::vector<RunCurves> curves;
    for (const Gathered& each : gathered) {
        counts.insert(each.samples.begin(), each.samples.end());
        for (const std::string& runId : each.finished) {
            DASGD_ASSIGN(RunCurves run, curvesOf(reader, runId));
            curves.push_back(std::move(run));
        }
    }
    if (counts.size() > 1) comparison.equalSamples = commonSamples(curves);
    if (!comparison.equalSamples) return {};
    auto run = curves.cbegin();
    for (std::size_t i = 0; i < gathered.size(); ++i) {
        std::vector<double> losses, accuracies;
        for (std::size_t j = 0; j < gathered[i].finished.size(); ++j, ++run) {
            const ResultAtSamples result = resultAt(*run, *comparison.equalSamples);
            if (result.loss) losses.push_back(*result.loss);
            if (result.bestAccuracy) accuracies.push_back(*result.bestAccuracy);
        }
        comparison.groups[i].equalLoss = summarise(losses);
        comparison.groups[i].equalBestAccuracy = summarise(accuracies);
    }
    return {};
}

const ComparedGroup* findGroup(const Comparison& comparison, const std::string& name) {
    for (const ComparedGroup& group : comparison.groups) {
        if (group.stepMs.n > 0 && (group.label == name || group.algorithm == name)) return &group;
    }
    return nullptr;
}

Status addRatios(Comparison& comparison, const std::string& wanted) {
    const ComparedGroup* baseline = findGroup(comparison, wanted.empty() ? "sync_sgd" : wanted);
    if (!baseline && !wanted.empty()) return fail("no finished run of '" + wanted + "' to compare with");
    const ComparedGroup* compute = findGroup(comparison, "independent");
    for (const ComparedGroup& group : comparison.groups) {
        if (wanted.empty() && findGroup(comparison, "sync_sgd")) break;
        if (!wanted.empty() || group.stepMs.n == 0) continue;
        if (!baseline || group.stepMs.mean > baseline->stepMs.mean) baseline = &group;
    }
    if (!baseline) return {};
    comparison.baseline = baseline->label;
    const double baselineMs = baseline->stepMs.mean;
    const double computeMs = compute ? compute->stepMs.mean : 0;
    for (ComparedGroup& group : comparison.groups) {
        if (group.stepMs.n == 0) continue;
        group.stepRatio = group.stepMs.mean / baselineMs;
        if (compute) group.computeRatio = group.stepMs.mean / computeMs;
    }
    return {};
}

}  // namespace

FlatSettings flatSettings(const Value& table) {
    FlatSettings flat;
    flatten(table, "", flat);
    return flat;
}

std::vector<std::string> labelConfigurations(const std::vector<std::string>& configs) {
    std::vector<FlatSettings> flats;
    std::map<std::string, std::set<std::string>> values;
    for (const std::string& config : configs) {
        flats.push_back(flatConfiguration(config));
        for (const auto& [key, value] : flats.back()) values[key].insert(value);
    }
    LongValues longValues;
    std::vector<std::string> labels;
    for (const FlatSettings& flat : flats) {
        std::string label;
        for (const auto& [key, value] : flat) {
            if (key == "algorithm.name") label.insert(0, value);
            if (key != "algorithm.name" && values[key].size() > 1)
                label.append(" ").append(shortKey(key)).append("=").append(longValues.shown(key, value));
        }
        const auto taken = std::count_if(labels.begin(), labels.end(), [&](const std::string& other) {
            return other == label || other.starts_with(label + " #");
        });
        labels.push_back(taken > 0 ? label + " #" + std::to_string(taken + 1) : label);
    }
    return labels;
}

Result<Comparison> compareRuns(storage::RunReader& reader, const std::vector<std::string>& runIds,
                               const std::string& baseline) {
    std::vector<std::string> keys;
    std::vector<Gathered> gathered;
    for (const std::string& runId : runIds) {
        DASGD_ASSIGN(const RunSummary summary, summariseRun(reader, runId));
        const auto document = parseToml(summary.row.config, summary.row.runId);
        const std::string key = document ? configurationKey(*document) : summary.row.config;
        const auto known = std::find(keys.begin(), keys.end(), key);
        const auto index = static_cast<std::size_t>(known - keys.begin());
        if (known == keys.end()) {
            keys.push_back(key);
            gathered.emplace_back();
            gathered.back().config = summary.row.config;
            gathered.back().group.algorithm = summary.row.algorithm;
        }
        gather(summary, gathered[index]);
    }
    std::vector<std::string> configs;
    configs.reserve(gathered.size());
    for (const Gathered& each : gathered) configs.push_back(each.config);
    const std::vector<std::string> labels = labelConfigurations(configs);
    Comparison comparison;
    for (std::size_t i = 0; i < gathered.size(); ++i) {
        comparison.groups.push_back(reduce(gathered[i]));
        comparison.groups.back().label = labels[i];
    }
    DASGD_TRY(addEqualSamples(reader, gathered, comparison));
    DASGD_TRY(addRatios(comparison, baseline));
    return comparison;
}

}  // namespace dasgd::experiments
