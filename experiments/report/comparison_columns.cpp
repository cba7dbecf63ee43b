#include "experiments/report/comparison_columns.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

#include "core/analysis/inflation.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

const std::string kDash = "–";

// Of `n` runs; where fewer have the number, it says so.
std::string ofRuns(std::string text, const Sample& sample, std::size_t n) {
    if (sample.n == 0 || sample.n >= n) return text;
    return text.append(" (").append(std::to_string(sample.n)).append(" of ").append(std::to_string(n)).append(")");
}

std::string told(const Sample& sample, const ComparedGroup& group, double scale = 1) {
    return ofRuns(spread(sample, scale, Confidence::Say), sample, group.finished());
}

// The same without a spread.
std::string toldBytes(const Sample& bytes, const ComparedGroup& group) {
    return bytes.n == 0 ? kDash : ofRuns(byteCount(bytes.mean), bytes, group.finished());
}

// "0.281 (CI ±0.021)"; a ratio without an interval is of one run, or `ofItself`.
std::string factor(const Sample& ratio, bool ofItself) {
    if (ratio.n == 0) return kDash;
    char text[64];
    if (ratio.confidence) {
        std::snprintf(text, sizeof text, "%.3f (CI ±%.3f)", ratio.mean, *ratio.confidence);
    } else {
        std::snprintf(text, sizeof text, ratio.n == 1 && !ofItself ? "%.3f (n = 1)" : "%.3f", ratio.mean);
    }
    return text;
}

std::string sampleCount(const Sample& samples) {
    return samples.n == 0 ? kDash : std::to_string(std::llround(samples.mean));
}

using CellOf = std::function<std::string(const ComparedGroup&)>;

// With what makes it optimistic.
std::string toldBest(const Sample& sample, const ComparedGroup& group, double scale, std::optional<double> p) {
    const std::string text = told(sample, group, scale);
    return sample.n == 0 ? text : text + significanceMark(p) + (chosenOnTest(group) ? "§" : "");
}

std::vector<std::pair<std::string, CellOf>> resultColumns(const Comparison& comparison) {
    using Group = ComparedGroup;
    std::vector<std::pair<std::string, CellOf>> columns{
        {"samples", [](const Group& group) { return sampleCount(group.samples); }}};
    if (comparison.equalSamples) {
        const std::string at = " at " + std::to_string(*comparison.equalSamples);
        columns.emplace_back("loss" + at, [](const Group& group) { return told(group.equalLoss, group); });
        columns.emplace_back("best accuracy %" + at, [](const Group& group) {
            return group.isOfTexts() ? kDash : told(group.equalBestAccuracy, group, 100);
        });
        columns.emplace_back("best perplexity" + at,
                             [](const Group& group) { return told(group.equalBestPerplexity, group); });
    }
    columns.emplace_back(
        "final loss", [](const Group& group) { return told(group.finalLoss, group) + significanceMark(group.lossP); });
    // Of a text it is that of tokens, which its perplexity says better.
    columns.emplace_back("best accuracy %", [](const Group& group) {
        return group.isOfTexts() ? kDash : toldBest(group.bestAccuracy, group, 100, group.accuracyP);
    });
    columns.emplace_back("best perplexity", [](const Group& group) {
        return toldBest(group.bestPerplexity, group, 1, group.perplexityP);
    });
    columns.emplace_back("best loss", [](const Group& group) {
        return group.isOfTexts() ? kDash : toldBest(group.bestLoss, group, 1, std::nullopt);
    });
    return columns;
}

std::string toldInflation(const ComparedGroup& group) {
    // Something was transferred, but too few ranks tell what it slowed, or they differ too much.
    if (group.inflation.n == 0 && group.hidden.n > 0) return "not known";
    return told(group.inflation, group) + (showsNone(group.inflation) ? "~" : "");
}

std::vector<std::pair<std::string, CellOf>> stepColumns() {
    using Group = ComparedGroup;
    return {
        {"ms/step", [](const Group& group) { return told(group.stepMs, group) + significanceMark(group.stepP); }},
        {"ms/step ÷ baseline's", [](const Group& group) { return factor(group.stepRatio, group.isBaseline); }},
        {"ms/step ÷ independent's", [](const Group& group) { return factor(group.computeRatio, group.isComputeBase); }},
        {"hidden %", [](const Group& group) { return told(group.hidden, group, 100); }},
        {"blocked %", [](const Group& group) { return told(group.blocked, group, 100); }},
        {"skew ms", [](const Group& group) { return told(group.skewMs, group); }},
        {"inflation", toldInflation},
        {"sent", [](const Group& group) { return toldBytes(group.bytesSent, group); }}};
}

std::vector<std::pair<std::string, CellOf>> targetColumns() {
    using Group = ComparedGroup;
    return {{"s to target",
             [](const Group& group) { return told(group.secondsToTarget, group) + significanceMark(group.targetP); }},
            {"steps to target", [](const Group& group) { return told(group.stepsToTarget, group); }},
            {"samples to target", [](const Group& group) { return told(group.samplesToTarget, group); }},
            {"sent to target¶", [](const Group& group) { return toldBytes(group.bytesToTarget, group); }}};
}

// The columns that any group has a value for; the others' heads.
std::vector<std::string> addTable(const std::vector<std::pair<std::string, CellOf>>& columns,
                                  const Comparison& comparison, ComparisonTables& into) {
    std::vector<ComparisonColumn> table;
    std::vector<std::string> lacking;
    for (const auto& [head, cellOf] : columns) {
        ComparisonColumn column{.head = head, .cells = {}};
        for (const ComparedGroup& group : comparison.groups) column.cells.push_back(cellOf(group));
        const auto dashes = static_cast<std::size_t>(std::ranges::count(column.cells, kDash));
        if (dashes == column.cells.size()) {
            lacking.push_back(head);
            continue;
        }
        into.hasDash = into.hasDash || dashes > 0;
        table.push_back(std::move(column));
    }
    into.tables.push_back(std::move(table));
    return lacking;
}

}  // namespace

std::string significanceMark(std::optional<double> p) { return p && *p < kSignificance ? "†" : ""; }

bool hasTarget(const Comparison& comparison) {
    return std::ranges::any_of(comparison.groups, [](const ComparedGroup& group) { return group.stepsToTarget.n > 0; });
}

bool chosenOnTest(const ComparedGroup& group) {
    const bool hasBest = group.bestAccuracy.n > 0 || group.bestPerplexity.n > 0 || group.bestLoss.n > 0;
    return hasBest && !group.chosenOnValidation;
}

ComparisonTables comparisonTables(const Comparison& comparison) {
    ComparisonTables made;
    // What is no measure of a task is lacking in no run of it.
    static_cast<void>(addTable(resultColumns(comparison), comparison, made));
    made.lacking = addTable(stepColumns(), comparison, made);
    std::erase_if(made.lacking, [](const std::string& head) { return head.starts_with("ms/step ÷"); });
    if (hasTarget(comparison)) {
        const auto untimed = addTable(targetColumns(), comparison, made);
        made.lacking.insert(made.lacking.end(), untimed.begin(), untimed.end());
    }
    return made;
}

}  // namespace dasgd::experiments
