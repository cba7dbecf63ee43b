#include "experiments/tools/report/scaling_report.h"

#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "experiments/base/number_format.h"
#include "experiments/base/text.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

std::string timeOf(const ScalingTable& table) {
    if (table.simulated) return "time simulated";
    return "measured, " + table.backend + (table.link.empty() ? "" : ", emulated link " + printable(table.link));
}

const char* judgedOn(const ScalingTable& table) { return table.validates ? "validation" : "test"; }

std::string timeToTarget(const ScalingPoint& point, const NumberFormat& format) {
    const Sample& seconds = point.secondsToTarget;
    if (seconds.n == 0) return point.reached > 0 ? "reached, not timed" : "not reached";
    if (point.allReached()) return format.text(seconds);
    return format.text(seconds) + " (" + std::to_string(seconds.n) + " of " + std::to_string(point.runIds.size()) + ")";
}

NumberFormat formatOf(const ScalingTable& table, Sample ScalingPoint::*sample) {
    std::vector<double> means;
    for (const ScalingPoint& point : table.points) {
        if ((point.*sample).n > 0) means.push_back((point.*sample).mean);
    }
    return formatFor(means);
}

std::string tableText(const ScalingTable& table, const ScalingReport& report, Markup markup) {
    std::vector<std::string> header{"workers",  "batch",        "n",       "ms/step", "samples/s",
                                    "speed-up", "efficiency %", "hidden %"};
    if (report.target) header.push_back("s to " + report.target->inWords() + " (" + judgedOn(table) + " set)");
    TextTable text(header);
    auto refused = table.refused.begin();
    const auto addRefused = [&](int below) {
        for (; refused != table.refused.end() && refused->workers < below; ++refused) {
            std::vector<std::string> row(header.size(), "–");
            row.front() = std::to_string(refused->workers);
            text.add(std::move(row));
        }
    };
    const NumberFormat step = formatOf(table, &ScalingPoint::stepMs),
                       rate = formatOf(table, &ScalingPoint::samplesPerS),
                       seconds = formatOf(table, &ScalingPoint::secondsToTarget), two{.decimals = 2};
    for (const ScalingPoint& point : table.points) {
        addRefused(point.workers);
        std::vector<std::string> row{std::to_string(point.workers),
                                     std::to_string(point.batch),
                                     std::to_string(point.stepMs.n),
                                     step.text(point.stepMs),
                                     rate.text(point.samplesPerS),
                                     two.text(point.speedUp),
                                     kPercentFormat.text(point.efficiency, 100),
                                     kPercentFormat.text(point.hidden, 100)};
        if (report.target) row.push_back(timeToTarget(point, seconds));
        text.add(std::move(row));
    }
    addRefused(std::numeric_limits<int>::max());
    std::string out = ownLine(printable(table.label) + " (" + timeOf(table) + ")", markup) + text.toString(markup);
    for (const RefusedPoint& point : table.refused) out += ownLine(printable(inWords(point)), markup);
    if (table.unfinished > 0) {
        out += ownLine(std::to_string(table.unfinished) +
                           (table.unfinished == 1 ? " run that failed, was stopped or never began is"
                                                  : " runs that failed, were stopped or never began are") +
                           " left out",
                       markup);
    }
    return out + "\n";
}

// "" where speed-ups and efficiencies compare the lines.
std::string startsText(const ScalingReport& report) {
    std::vector<const std::vector<ScalingPoint>*> lines;
    for (const ScalingTable& table : report.tables) lines.push_back(&table.points);
    const std::optional<UnequalStarts> apart = unequalStarts(lines);
    if (!apart) return "";
    char share[16];
    std::snprintf(share, sizeof share, "%.0f %%", 100 * apart->share);
    return "the lines begin apart, so these two do not compare them: at " + std::to_string(apart->workers) +
           (apart->workers == 1 ? " worker " : " workers ") + printable(report.tables[apart->slowest].label) + " has " +
           share + " of the samples/s of " + printable(report.tables[apart->fastest].label) +
           (apart->withinScatter ? ", no further apart than their seeds scatter" : "");
}

}  // namespace

std::string inWords(const RefusedPoint& point) {
    std::string text = std::to_string(point.workers);
    return text.append(point.workers == 1 ? " worker" : " workers").append(" cannot be run: ").append(point.why);
}

std::string scalingText(const ScalingReport& report, Markup markup) {
    const bool strong = report.scaling == Scaling::Strong;
    std::string text = strong ? "Strong scaling: the batch of all workers together stays the same.\n\n"
                              : "Weak scaling: the batch of each worker stays the same.\n\n";
    bool repeated = false, oneDraw = false;
    for (const ScalingTable& table : report.tables) {
        text += tableText(table, report, markup);
        for (const ScalingPoint& point : table.points) {
            repeated = repeated || point.runIds.size() > 1;
            oneDraw = oneDraw || (table.simulated && (isOneDraw(point.stepMs) || isOneDraw(point.hidden)));
        }
    }
    text +=
        "speed-up: throughput ÷ that of the smallest number of workers that was timed; efficiency: speed-up ÷ the "
        "ratio of the workers";
    if (repeated) text += "; mean ± half of the 95 % confidence interval over n seeds";
    if (oneDraw) text += std::string("; ") + kOneDrawInWords;
    if (report.target) text += "; time to target: of training until the first evaluation on that set that reaches it";
    text += markup == Markup::Markdown ? "\n\n" : "\n";
    if (const std::string starts = startsText(report); !starts.empty()) text += ownLine(starts, markup);
    if (report.sharesStepTime) {
        text +=
            "the step time given in the file is that of its batch: it was divided as the batch was, so what small "
            "batches lose on a real machine is not in these numbers (step_time = \"measured\" has it)\n";
    }
    return text;
}

nlohmann::json scalingJson(const ScalingReport& report) {
    nlohmann::json tables = nlohmann::json::array();
    for (const ScalingTable& table : report.tables) {
        nlohmann::json points = nlohmann::json::array();
        for (const ScalingPoint& point : table.points) {
            nlohmann::json json = {{"workers", point.workers},
                                   {"batch_size", point.batch},
                                   {"runs", point.runIds},
                                   {"step_ms", toJson(point.stepMs)},
                                   {"samples_per_s", toJson(point.samplesPerS)},
                                   {"speed_up", toJson(point.speedUp)},
                                   {"efficiency", toJson(point.efficiency)},
                                   {"hidden", toJson(point.hidden)}};
            if (report.target) {
                json["s_to_target"] = toJson(point.secondsToTarget);
                json["reached_target"] = point.reached;
            }
            points.push_back(std::move(json));
        }
        nlohmann::json refused = nlohmann::json::array();
        for (const RefusedPoint& point : table.refused) {
            refused.push_back({{"workers", point.workers}, {"why", point.why}});
        }
        nlohmann::json json = {{"configuration", table.label},
                               {"algorithm", table.algorithm},
                               {"backend", table.backend},
                               {"emulated_link", table.link},
                               {"time", table.simulated ? "simulated" : "measured"},
                               {"unfinished", table.unfinished},
                               {"refused", std::move(refused)},
                               {"points", std::move(points)}};
        if (report.target) json["target_on"] = judgedOn(table);
        tables.push_back(std::move(json));
    }
    nlohmann::json target;
    if (report.target) {
        target = {{"metric", report.target->metric == Target::Metric::Accuracy ? "accuracy" : "loss"},
                  {"value", report.target->value}};
    }
    return {{"scaling", report.scaling == Scaling::Strong ? "strong" : "weak"},
            {"target", std::move(target)},
            {"configurations", std::move(tables)}};
}

}  // namespace dasgd::experiments
