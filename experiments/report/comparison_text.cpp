#include "experiments/report/comparison_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"
#include "experiments/report/run_summary.h"

namespace dasgd::experiments {

namespace {

std::optional<double> meanOf(const Sample& sample) { return sample.n > 0 ? std::optional(sample.mean) : std::nullopt; }

// Of `n` runs; where fewer have the number, it says so.
std::string told(const Sample& sample, std::size_t n, double scale = 1) {
    const std::string text = spread(sample, scale, Confidence::Say);
    if (sample.n == 0 || sample.n >= n) return text;
    return text + " (" + std::to_string(sample.n) + " of " + std::to_string(n) + ")";
}

// Of a difference from the baseline that is more than the seeds' scatter.
std::string mark(std::optional<double> p) { return p && *p < kSignificance ? "†" : ""; }

std::string factor(std::optional<double> value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", value.value_or(0));
    return value ? text : "–";
}

std::string times(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value >= 9.95 ? "%.0f" : value >= 1.095 ? "%.1f" : "%.2f", value);
    return text;
}

std::string inWords(const ComparedGroup& group, const Comparison& comparison, double baselineMs) {
    std::string text = "Per step, " + printable(group.label);
    const double ratio = *group.stepRatio;
    const std::string other = printable(comparison.baseline);
    const std::string measured =
        " (" + shortNumber(group.stepMs.mean) + " ms against " + shortNumber(baselineMs) + " ms)";
    if (ratio < 0.995) {
        text += " is " + times(1 / ratio) + " times as fast as " + other + measured;
    } else if (ratio > 1.005) {
        text += " takes " + times(ratio) + " times as long as " + other + measured;
    } else {
        text += " is as fast as " + other + measured;
    }
    if (group.computeRatio) {
        char costs[160];
        std::snprintf(costs, sizeof costs, "; computing alone would take %.3g ms, so communication costs %+.1f %%%s",
                      group.stepMs.mean / *group.computeRatio, (*group.computeRatio - 1) * 100,
                      *group.computeRatio < 1 ? ", which can only be noise: repeat on a quiet machine" : "");
        text += costs;
    }
    return text + ".\n";
}

std::string sampleCount(const Sample& samples) {
    if (samples.n == 0) return "–";
    return std::to_string(std::llround(samples.mean));
}

// "" where all runs were trained on the same number of samples.
std::string samplesInWords(const Comparison& comparison) {
    std::optional<double> fewest, most;
    for (const ComparedGroup& group : comparison.groups) {
        if (group.samples.n == 0) continue;
        const double spread = group.samples.std.value_or(0);
        fewest = std::min(fewest.value_or(group.samples.mean), group.samples.mean - spread);
        most = std::max(most.value_or(group.samples.mean), group.samples.mean + spread);
    }
    if (!fewest || *fewest == *most) return "";
    if (!comparison.equalSamples) {
        return "warning: the runs were trained on different numbers of samples, and not all were evaluated: their "
               "results are not comparable\n";
    }
    return "warning: the runs were trained on different numbers of samples, so final loss and best accuracy are not "
           "comparable; the columns \"at " +
           std::to_string(*comparison.equalSamples) +
           "\" are, on the straight line between the evaluations before and after\n";
}

std::string csvSample(const Sample& sample) {
    const auto number = [](std::optional<double> value) { return value ? csvNumber(*value) : std::string(); };
    return "," + number(meanOf(sample)) + "," + number(sample.std) + "," + number(sample.confidence);
}

}  // namespace

namespace {

bool hasTarget(const Comparison& comparison) {
    return std::ranges::any_of(comparison.groups,
                               [](const ComparedGroup& group) { return group.secondsToTarget.n > 0; });
}

const char* chosenOn(const ComparedGroup& group) { return group.chosenOnValidation ? "validation" : "test"; }

bool chosenOnTest(const ComparedGroup& group) { return group.bestAccuracy.n > 0 && !group.chosenOnValidation; }

std::vector<std::string> columnsOf(const Comparison& comparison) {
    std::vector<std::string> columns{"configuration",   "n",         "samples",    "final loss",
                                     "best accuracy %", "ms/step",   "÷ baseline", "÷ independent",
                                     "hidden %",        "blocked %", "sent"};
    if (comparison.equalSamples) {
        const std::string at = " at " + std::to_string(*comparison.equalSamples);
        columns.insert(columns.begin() + 3, {"loss" + at, "best accuracy %" + at});
    }
    if (hasTarget(comparison)) columns.emplace_back("s to target");
    return columns;
}

std::vector<std::string> cellsOf(const ComparedGroup& group, const Comparison& comparison) {
    const std::size_t n = group.finished();
    std::vector<std::string> cells{
        printable(group.label),
        std::to_string(n) + (group.unfinished > 0 ? "*" : "") + (group.repeated > 0 ? "‡" : ""),
        sampleCount(group.samples),
        told(group.finalLoss, n) + mark(group.lossP),
        told(group.bestAccuracy, n, 100) + mark(group.accuracyP) + (chosenOnTest(group) ? "§" : ""),
        told(group.stepMs, n) + mark(group.stepP),
        factor(group.stepRatio),
        factor(group.computeRatio),
        told(group.hidden, n, 100),
        told(group.blocked, n, 100),
        group.bytesSent.n > 0 ? byteCount(group.bytesSent.mean) : "–"};
    if (comparison.equalSamples) {
        cells.insert(cells.begin() + 3, {told(group.equalLoss, n), told(group.equalBestAccuracy, n, 100)});
    }
    if (hasTarget(comparison)) cells.push_back(told(group.secondsToTarget, n));
    return cells;
}

}  // namespace

std::string comparisonText(const Comparison& comparison) {
    TextTable table(columnsOf(comparison));
    bool repeated = false;
    bool unfinished = false;
    bool again = false;
    bool differs = false;
    bool onTest = false;
    double baselineMs = 0;
    for (const ComparedGroup& group : comparison.groups) {
        repeated = repeated || group.finished() > 1;
        onTest = onTest || chosenOnTest(group);
        unfinished = unfinished || group.unfinished > 0;
        again = again || group.repeated > 0;
        for (const auto& p : {group.lossP, group.accuracyP, group.stepP}) differs = differs || !mark(p).empty();
        if (group.label == comparison.baseline) baselineMs = group.stepMs.mean;
        table.add(cellsOf(group, comparison));
    }
    std::string text = table.toString();
    text += samplesInWords(comparison);
    if (repeated) text += "mean ± standard deviation over n seeds (CI: half width of the 95 % confidence interval)\n";
    if (differs) {
        text += "† differs from " + printable(comparison.baseline) +
                " at 5 % (Welch's t test, not corrected for several comparisons)\n";
    }
    if (unfinished) text += "* runs that failed or were stopped are in no mean\n";
    if (again) text += "‡ of runs with the same seeds the newest finished one counts, the others are in no mean\n";
    if (onTest) {
        text +=
            "§ the largest accuracy on the test set, chosen on that set itself, which makes it optimistic "
            "(data.validation sets samples apart for the choice)\n";
    }
    text += "\n";
    for (const ComparedGroup& group : comparison.groups) {
        if (!group.stepRatio || group.label == comparison.baseline || group.algorithm == "independent") continue;
        text += inWords(group, comparison, baselineMs);
    }
    return text;
}

std::string comparisonCsv(const Comparison& comparison) {
    std::string csv = "configuration,algorithm,runs,unfinished";
    for (const char* name : {"step_ms", "final_loss", "best_accuracy", "hidden", "blocked", "bytes_sent"}) {
        csv += std::string(",") + name + "_mean," + name + "_std," + name + "_ci95";
    }
    csv += ",step_ratio,compute_ratio";
    for (const char* name : {"samples", "loss_at_equal_samples", "best_accuracy_at_equal_samples"}) {
        csv += std::string(",") + name + "_mean," + name + "_std," + name + "_ci95";
    }
    csv += ",equal_samples,repeated,seconds_to_target_mean,seconds_to_target_std,seconds_to_target_ci95";
    csv += ",best_chosen_on\r\n";
    for (const ComparedGroup& group : comparison.groups) {
        csv += csvText(group.label) + "," + csvText(group.algorithm) + "," + std::to_string(group.runIds.size()) + "," +
               std::to_string(group.unfinished);
        for (const Sample* sample :
             {&group.stepMs, &group.finalLoss, &group.bestAccuracy, &group.hidden, &group.blocked, &group.bytesSent}) {
            csv += csvSample(*sample);
        }
        csv += "," + (group.stepRatio ? csvNumber(*group.stepRatio) : "") + "," +
               (group.computeRatio ? csvNumber(*group.computeRatio) : "");
        for (const Sample* sample : {&group.samples, &group.equalLoss, &group.equalBestAccuracy}) {
            csv += csvSample(*sample);
        }
        csv += "," + (comparison.equalSamples ? std::to_string(*comparison.equalSamples) : "") + "," +
               std::to_string(group.repeated) + csvSample(group.secondsToTarget) + "," + chosenOn(group) + "\r\n";
    }
    return csv;
}

nlohmann::json comparisonJson(const Comparison& comparison) {
    nlohmann::json groups = nlohmann::json::array();
    for (const ComparedGroup& group : comparison.groups) {
        nlohmann::json json = {{"configuration", group.label},
                               {"algorithm", group.algorithm},
                               {"runs", group.runIds},
                               {"unfinished", group.unfinished},
                               {"repeated", group.repeated},
                               {"step_ratio", jsonNumber(group.stepRatio)},
                               {"compute_ratio", jsonNumber(group.computeRatio)}};
        json["step_ms"] = toJson(group.stepMs);
        json["final_loss"] = toJson(group.finalLoss);
        json["best_accuracy"] = toJson(group.bestAccuracy);
        json["best_chosen_on"] = chosenOn(group);
        json["seconds_to_target"] = toJson(group.secondsToTarget);
        json["hidden"] = toJson(group.hidden);
        json["blocked"] = toJson(group.blocked);
        json["bytes_sent"] = toJson(group.bytesSent);
        json["step_p"] = jsonNumber(group.stepP);
        json["final_loss_p"] = jsonNumber(group.lossP);
        json["best_accuracy_p"] = jsonNumber(group.accuracyP);
        json["samples"] = toJson(group.samples);
        json["loss_at_equal_samples"] = toJson(group.equalLoss);
        json["best_accuracy_at_equal_samples"] = toJson(group.equalBestAccuracy);
        groups.push_back(std::move(json));
    }
    nlohmann::json json = {{"baseline", comparison.baseline}, {"groups", std::move(groups)}};
    json["equal_samples"] = comparison.equalSamples ? nlohmann::json(*comparison.equalSamples) : nlohmann::json();
    return json;
}

}  // namespace dasgd::experiments
