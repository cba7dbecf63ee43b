#include "experiments/tools/report/comparison_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "core/analysis/inflation.h"
#include "experiments/base/text.h"
#include "experiments/tools/report/comparison_columns.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

std::optional<double> meanOf(const Sample& sample) { return sample.n > 0 ? std::optional(sample.mean) : std::nullopt; }

std::string times(double value) {
    char text[32];
    std::snprintf(text, sizeof text, value >= 9.95 ? "%.0f" : value >= 1.095 ? "%.1f" : "%.2f", value);
    return text;
}

std::string timesOf(const ComparedGroup& group) {
    std::string text;
    for (const TimeSource source : group.times)
        text += (text.empty() ? "" : " and ") + std::string(timeInWords(source));
    return text;
}

// Says which times are emulated or simulated; "" if all were measured.
std::string clockText(const ComparedGroup& group, const ComparedGroup& baseline) {
    const std::string own = timesOf(group), other = timesOf(baseline);
    if (own != other) return ", " + own + " against " + other;
    return own.empty() || own == timeInWords(TimeSource::Measured) ? "" : ", " + own;
}

// The time of a step beyond computing alone, and the part of it that is known to be communication. The rest may be
// computing that was slowed by communication or by something else.
std::string beyondComputing(const ComparedGroup& group) {
    if (group.computeRatio.n == 0) return "";
    const double step = group.stepMs.mean, alone = step / group.computeRatio.mean;
    std::string text = "; computing alone would take " + shortNumber(alone) + " ms";
    constexpr double kEqual = 0.005;
    if (std::abs(group.computeRatio.mean - 1) < kEqual) return text + " too";
    if (group.computeRatio.mean < 1) {
        return text + ", more than a step took" +
               (group.times == std::set{TimeSource::Simulated}
                    ? ""
                    : ", which can only be noise: repeat on a quiet machine");
    }
    if (group.blocked.n == 0) return text;
    const double beyond = step - alone, blocked = group.blocked.mean * step;
    text += ", " + shortNumber(beyond) + " ms less; ranks are blocked for " + shortNumber(blocked) + " ms of a step";
    if (beyond - blocked > 0.05 * step) text += ", and the rest is computing that was slower than alone";
    return text;
}

std::string inWords(const ComparedGroup& group, const ComparedGroup& baseline) {
    std::string text = "Per step, " + printable(group.label);
    const double ratio = group.stepRatio.mean;
    const std::string other = printable(baseline.label);
    const std::string measured = " (" + shortNumber(group.stepMs.mean) + " ms against " +
                                 shortNumber(baseline.stepMs.mean) + " ms" + clockText(group, baseline) + ")";
    if (ratio < 0.995) {
        text += " is " + times(1 / ratio) + " times as fast as " + other + measured;
    } else if (ratio > 1.005) {
        text += " takes " + times(ratio) + " times as long as " + other + measured;
    } else {
        text += " is as fast as " + other + measured;
    }
    return text + beyondComputing(group) + ".\n";
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
    return "warning: the runs were trained on different numbers of samples, so final loss and what is best are not "
           "comparable; the columns \"at " +
           std::to_string(*comparison.equalSamples) +
           "\" are, on the straight line between the evaluations before and after\n";
}

std::string csvSample(const Sample& sample) {
    const auto number = [](std::optional<double> value) { return value ? csvNumber(*value) : std::string(); };
    return "," + number(meanOf(sample)) + "," + number(sample.std) + "," + number(sample.confidence);
}

const char* chosenOn(const ComparedGroup& group) { return group.chosenOnValidation ? "validation" : "test"; }

// The costs of reaching the target besides seconds.
constexpr std::array<const char*, 3> kWayNames{"steps_to_target", "samples_to_target", "bytes_by_rank_to_target"};

std::array<const Sample*, 3> wayOf(const ComparedGroup& group) {
    return {&group.stepsToTarget, &group.samplesToTarget, &group.bytesToTarget};
}

// A number by its name in CSV and JSON.
struct NamedSample {
    const char* name;
    const Sample* sample;
};

// Those that have their n beside them in CSV.
std::vector<NamedSample> laterSamples(const ComparedGroup& group) {
    return {{"skew_ms", &group.skewMs},
            {"compute_inflation", &group.inflation},
            {"best_loss", &group.bestLoss},
            {"best_perplexity", &group.bestPerplexity},
            {"best_perplexity_at_equal_samples", &group.equalBestPerplexity}};
}

// Those whose n stand at the end of the line, as their columns had none at first.
std::vector<NamedSample> olderSamples(const ComparedGroup& group) {
    std::vector<NamedSample> samples{{"step_ms", &group.stepMs},
                                     {"final_loss", &group.finalLoss},
                                     {"best_accuracy", &group.bestAccuracy},
                                     {"hidden", &group.hidden},
                                     {"blocked", &group.blocked},
                                     {"bytes_sent", &group.bytesSent},
                                     {"samples", &group.samples},
                                     {"loss_at_equal_samples", &group.equalLoss},
                                     {"best_accuracy_at_equal_samples", &group.equalBestAccuracy},
                                     {"seconds_to_target", &group.secondsToTarget}};
    for (std::size_t i = 0; i < kWayNames.size(); ++i) samples.push_back({kWayNames[i], wayOf(group)[i]});
    return samples;
}

// Where all times come from; "" where they differ, which mixedTimesText() tells, and where no run has finished.
std::string timesText(const Comparison& comparison) {
    const auto times = comparison.times();
    if (times.size() != 1) return "";
    std::set<std::string> links;
    for (const ComparedGroup& group : comparison.groups) {
        if (!group.emulatedLink.empty()) links.insert(printable(group.emulatedLink));
    }
    return std::string("time ") + timeInWords(*times.begin()) + (links.size() == 1 ? " " + *links.begin() : "");
}

std::string mixedTimesText(const Comparison& comparison) {
    if (comparison.times().size() < 2) return "";
    std::string text = "warning: times of different kinds stand beside each other, and are divided by each other: ";
    bool first = true;
    for (const ComparedGroup& group : comparison.groups) {
        if (group.times.empty()) continue;
        text += (first ? "" : "; ") + printable(group.label) + " " + timesOf(group);
        first = false;
    }
    return text + "\n";
}

// "" where the finished runs differ in their algorithms alone and had their machines to themselves.
std::string warningsText(const Comparison& comparison) {
    std::string text;
    if (const std::string words = setupInWords(comparison.setupDifferences()); !words.empty()) {
        text = "warning: set-ups differ, so that ratios and results are not of algorithms alone: " + printable(words) +
               "\n";
    }
    std::vector<const ComparedGroup*> groups;
    for (const ComparedGroup& group : comparison.groups) groups.push_back(&group);
    if (const std::string words = disturbedInWords(groups); !words.empty()) {
        text += "warning: " + printable(words) + " (`dasgd show RUN` tells how much)\n";
    }
    if (const std::string words = partlyReadInWords(groups); !words.empty()) {
        text += "warning: " + printable(words) + " (`dasgd show RUN` tells what)\n";
    }
    return text;
}

std::string setupsOf(const ComparedGroup& group) {
    std::string text;
    for (const RunSetup& setup : group.setups) text += (text.empty() ? "" : " / ") + setupInWords(setup);
    return text;
}

std::string tablesText(const ComparisonTables& made, const Comparison& comparison) {
    std::string text;
    for (const auto& columns : made.tables) {
        // The last one stands where there is nothing to tell but how many runs there are.
        if (columns.empty() && !(text.empty() && &columns == &made.tables.back())) continue;
        std::vector<std::string> heads{"configuration", "n"};
        for (const ComparisonColumn& column : columns) heads.push_back(column.head);
        TextTable table(heads);
        for (std::size_t i = 0; i < comparison.groups.size(); ++i) {
            const ComparedGroup& group = comparison.groups[i];
            std::vector<std::string> cells{
                printable(group.label),
                std::to_string(group.finished()) + (group.unfinished > 0 ? "*" : "") + (group.repeated > 0 ? "‡" : "")};
            for (const ComparisonColumn& column : columns) cells.push_back(column.cells[i]);
            table.add(std::move(cells));
        }
        text += (text.empty() ? "" : "\n") + table.toString();
    }
    return text;
}

// Parts of one line, whatever of them there is.
std::string noteLine(const std::vector<std::string>& parts) {
    std::string line;
    for (const std::string& part : parts) {
        if (!part.empty()) line += (line.empty() ? "" : "; ") + part;
    }
    return line.empty() ? "" : line + "\n";
}

bool anyGroup(const Comparison& comparison, const std::function<bool(const ComparedGroup&)>& is) {
    return std::ranges::any_of(comparison.groups, is);
}

bool differs(const ComparedGroup& group) {
    return std::ranges::any_of(std::array{group.lossP, group.accuracyP, group.perplexityP, group.stepP, group.targetP},
                               [](std::optional<double> p) { return !significanceMark(p).empty(); });
}

std::string numbersNote(const Comparison& comparison) {
    const bool repeated = anyGroup(comparison, [](const ComparedGroup& group) { return group.finished() > 1; });
    const bool single = anyGroup(comparison, [](const ComparedGroup& group) { return group.finished() == 1; });
    const bool oneDraw = anyGroup(comparison, [](const ComparedGroup& group) { return group.hasOneDraw(); });
    const std::string baseline = printable(comparison.baseline);
    return noteLine(
        {timesText(comparison), repeated ? "mean ± half of the 95 % confidence interval over n seeds" : "",
         oneDraw ? kOneDrawInWords : "", single ? "one run (n = 1) says nothing of its spread" : "",
         baseline.empty() ? "" : "baseline: " + baseline,
         anyGroup(comparison, differs) ? "† differs from " + baseline + " at 5 % (" + kTestInWords + ")" : ""});
}

std::string marksNote(const Comparison& comparison) {
    const auto unfinished = [](const ComparedGroup& group) { return group.unfinished > 0; };
    const auto again = [](const ComparedGroup& group) { return group.repeated > 0; };
    const auto noise = [](const ComparedGroup& group) {
        return isWithinNoise(group.inflation) && group.inflation.mean >= 1;
    };
    const auto below = [](const ComparedGroup& group) { return group.inflation.n > 0 && group.inflation.mean < 1; };
    return noteLine(
        {anyGroup(comparison, unfinished) ? "* runs that failed or were stopped are in no mean" : "",
         anyGroup(comparison, again) ? "‡ of runs with the same seeds only the newest finished one counts" : "",
         anyGroup(comparison, noise) ? "~ no inflation: 1 lies in the interval" : "",
         anyGroup(comparison, below) ? "not measurable: steps without transfers were slower, for another reason" : "",
         anyGroup(comparison, chosenOnTest) ? "§ chosen on the test set itself, which is optimistic (data.validation "
                                              "sets samples apart for the choice)"
                                            : ""});
}

std::string absenceNote(const ComparisonTables& made, const Comparison& comparison) {
    std::string lacking;
    for (const std::string& head : made.lacking) lacking += (lacking.empty() ? "" : ", ") + head;
    return noteLine({hasTarget(comparison)
                         ? "to target: until the first evaluation that reached it; the median and its 95 % "
                           "interval count runs that did not"
                         : "",
                     made.hasDash ? "– none of its runs has it" : "",
                     lacking.empty() ? "" : "left out, as no run has recorded it: " + lacking});
}

}  // namespace

std::string comparisonText(const Comparison& comparison) {
    const ComparisonTables made = comparisonTables(comparison);
    std::string text = tablesText(made, comparison);
    text += numbersNote(comparison) + marksNote(comparison) + absenceNote(made, comparison) +
            mixedTimesText(comparison) + warningsText(comparison) + samplesInWords(comparison) + "\n";
    const auto baseline = std::ranges::find(comparison.groups, comparison.baseline, &ComparedGroup::label);
    for (const ComparedGroup& group : comparison.groups) {
        if (group.stepRatio.n == 0 || group.label == comparison.baseline || group.algorithm == "independent") continue;
        text += inWords(group, *baseline);
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
    csv += ",best_chosen_on";
    for (const char* name : kWayNames) csv += std::string(",") + name + "_mean," + name + "_std," + name + "_ci95";
    csv += ",time,emulated_link";
    const ComparedGroup none;
    for (const auto& [name, sample] : laterSamples(none)) {
        csv += std::string(",") + name + "_mean," + name + "_std," + name + "_ci95," + name + "_n";
    }
    for (const auto& [name, sample] : olderSamples(none)) csv += std::string(",") + name + "_n";
    csv += ",step_ratio_ci95,compute_ratio_ci95,setup,disturbed,partly_read\r\n";
    for (const ComparedGroup& group : comparison.groups) {
        csv += csvText(group.label) + "," + csvText(group.algorithm) + "," + std::to_string(group.runIds.size()) + "," +
               std::to_string(group.unfinished);
        for (const Sample* sample :
             {&group.stepMs, &group.finalLoss, &group.bestAccuracy, &group.hidden, &group.blocked, &group.bytesSent}) {
            csv += csvSample(*sample);
        }
        for (const Sample* ratio : {&group.stepRatio, &group.computeRatio})
            csv += "," + (ratio->n > 0 ? csvNumber(ratio->mean) : "");
        for (const Sample* sample : {&group.samples, &group.equalLoss, &group.equalBestAccuracy}) {
            csv += csvSample(*sample);
        }
        csv += "," + (comparison.equalSamples ? std::to_string(*comparison.equalSamples) : "") + "," +
               std::to_string(group.repeated) + csvSample(group.secondsToTarget) + "," + chosenOn(group);
        for (const Sample* sample : wayOf(group)) csv += csvSample(*sample);
        csv += "," + csvText(timesOf(group)) + "," + csvText(group.emulatedLink);
        for (const auto& [name, sample] : laterSamples(group)) {
            csv += csvSample(*sample) + "," + std::to_string(sample->n);
        }
        for (const auto& [name, sample] : olderSamples(group)) csv += "," + std::to_string(sample->n);
        for (const Sample* ratio : {&group.stepRatio, &group.computeRatio})
            csv += "," + (ratio->confidence ? csvNumber(*ratio->confidence) : "");
        csv += "," + csvText(setupsOf(group)) + "," + std::to_string(group.disturbed) + "," +
               std::to_string(group.partlyRead) + "\r\n";
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
                               {"step_ratio", jsonNumber(meanOf(group.stepRatio))},
                               {"compute_ratio", jsonNumber(meanOf(group.computeRatio))}};
        json["step_ms"] = toJson(group.stepMs);
        json["final_loss"] = toJson(group.finalLoss);
        json["best_accuracy"] = toJson(group.bestAccuracy);
        json["best_chosen_on"] = chosenOn(group);
        json["seconds_to_target"] = toJson(group.secondsToTarget);
        for (std::size_t i = 0; i < kWayNames.size(); ++i) json[kWayNames[i]] = toJson(*wayOf(group)[i]);
        json["hidden"] = toJson(group.hidden);
        json["blocked"] = toJson(group.blocked);
        json["bytes_sent"] = toJson(group.bytesSent);
        json["step_p"] = jsonNumber(group.stepP);
        json["final_loss_p"] = jsonNumber(group.lossP);
        json["best_accuracy_p"] = jsonNumber(group.accuracyP);
        json["seconds_to_target_p"] = jsonNumber(group.targetP);
        const TimesToTarget& watched = group.timesToTarget;
        json["seconds_to_target_median"] = {{"n", watched.n},
                                            {"reached", watched.reached},
                                            {"median", jsonNumber(watched.median)},
                                            {"low", jsonNumber(watched.low)},
                                            {"high", jsonNumber(watched.high)}};
        // Null where any finished run of either did not reach it.
        json["target_ratio"] = toJson(group.targetRatio);
        json["samples"] = toJson(group.samples);
        json["loss_at_equal_samples"] = toJson(group.equalLoss);
        json["best_accuracy_at_equal_samples"] = toJson(group.equalBestAccuracy);
        for (const auto& [name, sample] : laterSamples(group)) json[name] = toJson(*sample);
        json["best_perplexity_p"] = jsonNumber(group.perplexityP);
        json["time"] = timesOf(group);
        json["emulated_link"] = group.emulatedLink;
        json["setup"] = setupsOf(group);
        json["disturbed"] = group.disturbed;
        json["partly_read"] = group.partlyRead;
        json["step_ratio_over_seeds"] = toJson(group.stepRatio);
        json["compute_ratio_over_seeds"] = toJson(group.computeRatio);
        groups.push_back(std::move(json));
    }
    nlohmann::json json = {{"baseline", comparison.baseline}, {"groups", std::move(groups)}};
    json["equal_samples"] = comparison.equalSamples ? nlohmann::json(*comparison.equalSamples) : nlohmann::json();
    nlohmann::json differences = nlohmann::json::array();
    for (const auto& [what, values] : comparison.setupDifferences())
        differences.push_back({{"what", what}, {"values", values}});
    json["setups_differ_in"] = std::move(differences);
    return json;
}

}  // namespace dasgd::experiments
