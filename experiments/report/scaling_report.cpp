#include "experiments/report/scaling_report.h"

#include <nlohmann/json.hpp>

#include "experiments/base/text.h"
#include "experiments/report/run_summary.h"

namespace dasgd::experiments {

namespace {

std::string timeOf(const ScalingTable& table) {
    if (table.simulated) return "time simulated";
    return "measured, " + table.backend + (table.link.empty() ? "" : ", emulated link " + printable(table.link));
}

std::string timeToTarget(const ScalingPoint& point) {
    const Sample& seconds = point.secondsToTarget;
    if (seconds.n == 0) return "not reached";
    if (point.allReached()) return spread(seconds);
    return spread(seconds) + " (" + std::to_string(seconds.n) + " of " + std::to_string(point.runIds.size()) + ")";
}

std::string tableText(const ScalingTable& table, const ScalingReport& report) {
    std::vector<std::string> header{"workers",  "batch",        "n",       "ms/step", "samples/s",
                                    "speed-up", "efficiency %", "hidden %"};
    if (report.target) header.push_back("s to " + report.target->inWords());
    TextTable text(header);
    for (const ScalingPoint& point : table.points) {
        std::vector<std::string> row{std::to_string(point.workers),  std::to_string(point.batch),
                                     std::to_string(point.stepMs.n), spread(point.stepMs),
                                     spread(point.samplesPerS),      spread(point.speedUp),
                                     spread(point.efficiency, 100),  spread(point.hidden, 100)};
        if (report.target) row.push_back(timeToTarget(point));
        text.add(std::move(row));
    }
    std::string out = printable(table.label) + " (" + timeOf(table) + ")\n" + text.toString();
    if (table.unfinished > 0) {
        out +=
            std::to_string(table.unfinished) +
            (table.unfinished == 1 ? " run that failed or was stopped is" : " runs that failed or were stopped are") +
            " left out\n";
    }
    return out + "\n";
}

}  // namespace

std::string scalingText(const ScalingReport& report) {
    const bool strong = report.scaling == Scaling::Strong;
    std::string text = strong ? "Strong scaling: the batch of all workers together stays the same.\n\n"
                              : "Weak scaling: the batch of each worker stays the same.\n\n";
    bool repeated = false;
    for (const ScalingTable& table : report.tables) {
        text += tableText(table, report);
        for (const ScalingPoint& point : table.points) repeated = repeated || point.runIds.size() > 1;
    }
    text +=
        "speed-up: throughput ÷ that of the smallest number of workers that was timed; efficiency: speed-up ÷ the "
        "ratio of the workers\n";
    if (repeated) text += "mean ± standard deviation over n seeds\n";
    if (report.sharesStepTime) {
        text +=
            "the step time given in the file is that of its batch: it was divided as the batch was, so what small "
            "batches lose on a real machine is not in these numbers (step_time = \"measured\" has it)\n";
    }
    if (report.target) text += "time to target: steps to the first evaluation that reaches it × time per step\n";
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
            if (report.target) json["s_to_target"] = toJson(point.secondsToTarget);
            points.push_back(std::move(json));
        }
        tables.push_back({{"configuration", table.label},
                          {"algorithm", table.algorithm},
                          {"backend", table.backend},
                          {"emulated_link", table.link},
                          {"time", table.simulated ? "simulated" : "measured"},
                          {"unfinished", table.unfinished},
                          {"points", std::move(points)}});
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
