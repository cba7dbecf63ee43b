#include "experiments/report/comparison.h"

#include <algorithm>

#include "core/analysis/configuration.h"
#include "experiments/report/equal_samples.h"
#include "experiments/report/run_summary.h"
#include "storage/scaling.h"

namespace dasgd::experiments {

namespace {

struct Gathered {
    ComparedGroup group;
    Settings settings;
    std::vector<double> stepMs, finalLoss, bestAccuracy, hidden, blocked, bytesSent, samples;
    std::vector<std::string> finished;  // run ids
};

void gather(const storage::RunRow& row, Gathered& into) {
    into.group.runIds.push_back(row.runId);
    if (row.status != "finished") {
        ++into.group.unfinished;
        return;
    }
    const auto add = [](std::vector<double>& values, const std::optional<double>& value) {
        if (value) values.push_back(*value);
    };
    add(into.stepMs, row.stepMs);
    add(into.finalLoss, row.finalLoss);
    add(into.bestAccuracy, row.bestAccuracy);
    add(into.hidden, row.hidden);
    add(into.blocked, row.blocked());
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
    group.blocked = summarise(gathered.blocked);
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

bool isNamed(const ComparedGroup& group, const std::string& name) {
    return group.label == name || group.algorithm == name;
}

// Of the timed ones.
const ComparedGroup* findGroup(const Comparison& comparison, const std::string& name) {
    for (const ComparedGroup& group : comparison.groups) {
        if (group.stepMs.n > 0 && isNamed(group, name)) return &group;
    }
    return nullptr;
}

tl::unexpected<Error> noBaseline(const Comparison& comparison, const std::string& name) {
    const bool untimed = std::ranges::any_of(comparison.groups, [&](const ComparedGroup& group) {
        return group.runIds.size() > group.unfinished && isNamed(group, name);
    });
    return fail(untimed ? "no run of '" + name +
                              "' was timed (evaluations touched every round of it): compare with "
                              "another, or give it fewer evaluations (train.eval_every)"
                        : "no finished run of '" + name + "' to compare with");
}

Status addRatios(Comparison& comparison, const std::string& wanted) {
    const ComparedGroup* baseline = findGroup(comparison, wanted.empty() ? "sync_sgd" : wanted);
    if (!baseline && !wanted.empty()) return noBaseline(comparison, wanted);
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

Result<Comparison> compareRuns(storage::RunReader& reader, const std::vector<std::string>& runIds,
                               const std::string& baseline) {
    std::vector<std::string> keys;
    std::vector<Gathered> gathered;
    for (const std::string& runId : runIds) {
        DASGD_ASSIGN(const storage::RunRow row, reader.row(runId));
        const Settings settings = storage::settingsOf(row);
        const std::string key = configurationKey(settings);
        const auto known = std::find(keys.begin(), keys.end(), key);
        const auto index = static_cast<std::size_t>(known - keys.begin());
        if (known == keys.end()) {
            keys.push_back(key);
            gathered.emplace_back();
            gathered.back().settings = settings;
            gathered.back().group.algorithm = row.algorithm;
        }
        gather(row, gathered[index]);
    }
    std::vector<Settings> settings;
    settings.reserve(gathered.size());
    for (const Gathered& each : gathered) settings.push_back(each.settings);
    const std::vector<std::string> labels = labelConfigurations(settings);
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
