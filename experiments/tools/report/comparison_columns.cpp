#include "experiments/tools/report/comparison_columns.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "core/analysis/inflation.h"
#include "experiments/base/number_format.h"

namespace dasgd::experiments {

namespace {

const std::string kDash = "–";

// A column of samples: `format` where it is not that of its own numbers.
struct ColumnSpec {
    std::string head;
    std::function<const Sample&(const ComparedGroup&)> sample;
    double scale = 1;
    std::optional<NumberFormat> format{};
    bool hasSpread = true;   // false for a value that is the same for every seed
    bool countsRuns = true;  // false for a ratio of two groups, whose n are shown beside them
    std::function<std::string(const ComparedGroup&)> mark = [](const ComparedGroup&) { return std::string(); };
    std::function<std::string(const ComparedGroup&)> absent = [](const ComparedGroup&) { return kDash; };
};

const Sample kNoSample;

const Sample& measurableInflation(const ComparedGroup& group) {
    return group.inflation.mean < 1 ? kNoSample : group.inflation;
}

std::function<const Sample&(const ComparedGroup&)> of(Sample ComparedGroup::*sample) {
    return [sample](const ComparedGroup& group) -> const Sample& { return group.*sample; };
}

// An accuracy of texts is one of tokens, which their perplexity says better.
std::function<const Sample&(const ComparedGroup&)> notOfTexts(Sample ComparedGroup::*sample) {
    return
        [sample](const ComparedGroup& group) -> const Sample& { return group.isOfTexts() ? kNoSample : group.*sample; };
}

// Where fewer than all finished runs have the number, it says how many.
std::string ofRuns(const Sample& sample, std::size_t n) {
    if (sample.n == 0 || sample.n >= n) return "";
    return " (" + std::to_string(sample.n) + " of " + std::to_string(n) + ")";
}

NumberFormat formatOf(const ColumnSpec& spec, const Comparison& comparison) {
    if (spec.format) return *spec.format;
    std::vector<double> means;
    for (const ComparedGroup& group : comparison.groups) {
        if (const Sample& sample = spec.sample(group); sample.n > 0) means.push_back(sample.mean * spec.scale);
    }
    return formatFor(means);
}

ComparisonColumn columnOf(const ColumnSpec& spec, const Comparison& comparison) {
    const NumberFormat format = formatOf(spec, comparison);
    ComparisonColumn column{.head = spec.head, .cells = {}};
    for (const ComparedGroup& group : comparison.groups) {
        const Sample& sample = spec.sample(group);
        if (sample.n == 0) {
            column.cells.push_back(spec.absent(group));
            continue;
        }
        const std::string number =
            spec.hasSpread ? format.text(sample, spec.scale) : format.text(sample.mean * spec.scale);
        column.cells.push_back(number + (spec.countsRuns ? ofRuns(sample, group.finished()) : "") + spec.mark(group));
    }
    return column;
}

// One unit for all of the column.
ColumnSpec bytesColumn(const std::string& what, Sample ComparedGroup::*bytes, const Comparison& comparison) {
    constexpr std::array<const char*, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
    double largest = 0;
    for (const ComparedGroup& group : comparison.groups) largest = std::max(largest, (group.*bytes).mean);
    std::size_t unit = 0;
    double scale = 1;
    for (; largest * scale >= 1000 && unit + 1 < kUnits.size(); ++unit) scale /= 1000;
    return {.head = what + (largest > 0 ? std::string(" ") + kUnits[unit] : ""),
            .sample = of(bytes),
            .scale = scale,
            .format = NumberFormat{.decimals = unit == 0 ? 0 : 1},
            .hasSpread = false};
}

auto marked(std::optional<double> ComparedGroup::*p) {
    return [p](const ComparedGroup& group) { return significanceMark(group.*p); };
}

// The mark of what makes a best optimistic stands behind it.
auto markedBest(std::optional<double> ComparedGroup::*p) {
    return [p](const ComparedGroup& group) {
        return (p ? significanceMark(group.*p) : "") + (chosenOnTest(group) ? "§" : "");
    };
}

std::vector<ColumnSpec> resultColumns(const Comparison& comparison) {
    using Group = ComparedGroup;
    std::vector<ColumnSpec> columns{
        {.head = "samples", .sample = of(&Group::samples), .format = NumberFormat{}, .hasSpread = false}};
    if (comparison.equalSamples) {
        const std::string at = " at " + std::to_string(*comparison.equalSamples);
        columns.push_back({.head = "loss" + at, .sample = of(&Group::equalLoss)});
        columns.push_back({.head = "best accuracy %" + at,
                           .sample = notOfTexts(&Group::equalBestAccuracy),
                           .scale = 100,
                           .format = NumberFormat{.decimals = 2}});
        columns.push_back({.head = "best perplexity" + at, .sample = of(&Group::equalBestPerplexity)});
    }
    columns.push_back({.head = "final loss", .sample = of(&Group::finalLoss), .mark = marked(&Group::lossP)});
    columns.push_back({.head = "best accuracy %",
                       .sample = notOfTexts(&Group::bestAccuracy),
                       .scale = 100,
                       .format = NumberFormat{.decimals = 2},
                       .mark = markedBest(&Group::accuracyP)});
    columns.push_back(
        {.head = "best perplexity", .sample = of(&Group::bestPerplexity), .mark = markedBest(&Group::perplexityP)});
    columns.push_back({.head = "best loss", .sample = notOfTexts(&Group::bestLoss), .mark = markedBest(nullptr)});
    return columns;
}

std::vector<ColumnSpec> stepColumns(const Comparison& comparison) {
    using Group = ComparedGroup;
    const NumberFormat three{.decimals = 3};
    return {
        {.head = "ms/step", .sample = of(&Group::stepMs), .mark = marked(&Group::stepP)},
        {.head = "ms/step ÷ baseline's", .sample = of(&Group::stepRatio), .format = three, .countsRuns = false},
        {.head = "ms/step ÷ independent's", .sample = of(&Group::computeRatio), .format = three, .countsRuns = false},
        {.head = "hidden %", .sample = of(&Group::hidden), .scale = 100, .format = kPercentFormat},
        {.head = "blocked %", .sample = of(&Group::blocked), .scale = 100, .format = kPercentFormat},
        {.head = "skew ms", .sample = of(&Group::skewMs)},
        {.head = "inflation",
         .sample = measurableInflation,
         .format = three,
         .mark = [](const Group& group) { return std::string(showsNone(group.inflation) ? "~" : ""); },
         // Something was transferred, but too few ranks tell what it slowed, or they differ too much.
         .absent =
             [](const Group& group) {
                 if (group.inflation.n > 0) return std::string(kNotMeasurable);
                 return group.hidden.n > 0 ? "not known" : kDash;
             }},
        bytesColumn("sent", &Group::bytesSent, comparison)};
}

std::vector<ColumnSpec> targetColumns(const Comparison& comparison) {
    using Group = ComparedGroup;
    return {{.head = "s to target", .sample = of(&Group::secondsToTarget), .mark = marked(&Group::targetP)},
            {.head = "s to target ÷ baseline's",
             .sample = of(&Group::targetRatio),
             .format = NumberFormat{.decimals = 3},
             .countsRuns = false},
            {.head = "steps to target", .sample = of(&Group::stepsToTarget), .format = NumberFormat{.decimals = 0}},
            {.head = "samples to target", .sample = of(&Group::samplesToTarget), .format = NumberFormat{.decimals = 0}},
            bytesColumn("sent to target by one rank,", &Group::bytesToTarget, comparison)};
}

// Medians over all runs, "4.00 (1.50 to –)": where some did not come there, the mean of the others flatters.
std::optional<ComparisonColumn> mediansToTarget(const Comparison& comparison) {
    std::vector<double> medians;
    for (const ComparedGroup& group : comparison.groups) {
        if (group.timesToTarget.median) medians.push_back(*group.timesToTarget.median);
    }
    const bool all = std::ranges::all_of(comparison.groups, [](const ComparedGroup& group) {
        return group.timesToTarget.reached == group.timesToTarget.n;
    });
    if (medians.empty() || all) return std::nullopt;
    const NumberFormat format = formatFor(medians);
    ComparisonColumn column{.head = "median s to target", .cells = {}};
    for (const ComparedGroup& group : comparison.groups) {
        const TimesToTarget& times = group.timesToTarget;
        column.cells.push_back(times.median ? format.text(times.median) + " (" + format.text(times.low) + " to " +
                                                  format.text(times.high) + ")"
                                            : kDash);
    }
    return column;
}

// The columns that any group has a value for; the others' heads.
std::vector<std::string> addTable(const std::vector<ColumnSpec>& columns, const Comparison& comparison,
                                  ComparisonTables& into) {
    std::vector<ComparisonColumn> table;
    std::vector<std::string> lacking;
    for (const ColumnSpec& spec : columns) {
        ComparisonColumn column = columnOf(spec, comparison);
        const auto dashes = static_cast<std::size_t>(std::ranges::count(column.cells, kDash));
        if (dashes == column.cells.size()) {
            lacking.push_back(column.head);
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
    // A column that does not apply to a task counts as missing in none of its runs.
    static_cast<void>(addTable(resultColumns(comparison), comparison, made));
    made.lacking = addTable(stepColumns(comparison), comparison, made);
    if (hasTarget(comparison)) {
        const auto untimed = addTable(targetColumns(comparison), comparison, made);
        made.lacking.insert(made.lacking.end(), untimed.begin(), untimed.end());
        if (auto medians = mediansToTarget(comparison)) made.tables.back().push_back(std::move(*medians));
    }
    // A ratio is no measure of its own.
    std::erase_if(made.lacking, [](const std::string& head) { return head.find("÷") != std::string::npos; });
    return made;
}

}  // namespace dasgd::experiments
