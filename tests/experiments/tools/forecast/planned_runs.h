// Data that tests of the forecast share: planned runs, recorded ones and calibrations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/schema/toml_reader.h"
#include "experiments/config/checked_experiment.h"
#include "experiments/run/queue/earlier_steps.h"
#include "experiments/tools/forecast/forecast_times.h"

namespace dasgd::experiments::forecast_test {

inline const double kNow = *instantOf("2026-11-23T12:00:00Z");
inline constexpr double kOneDay = 86'400;
// 250 kB among two over 100 Mbps: 2 · 1 ms + 2 · 125 kB · 80 ns.
inline constexpr double kAverage = 0.002 + 0.020;
inline const char* const kLink = "[cluster.link]\nbandwidth = \"100Mbps\"\nlatency = \"1ms\"\n";

inline std::string config(int delay, const char* model = "lenet", const char* link = kLink,
                          const char* algorithm = "dasgd") {
    return std::string("[algorithm]\nname = \"") + algorithm + "\"\nperiod = 8\ndelay = " + std::to_string(delay) +
           "\n[model]\nname = \"" + model +
           "\"\n[train]\nbatch_size = 32\n[cluster]\nbackend = \"gloo\"\nworkers = 2\n" + link;
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
}

inline FieldInfo whole(const char* name, const char* fallback, const char* symbol = "", const char* type = "integer") {
    return {.name = name,
            .type = type,
            .defaultToml = fallback,
            .optional = false,
            .spec = {.symbol = symbol},
            .children = {}};
}

// Three algorithms; their names are the tests'.
inline std::vector<AlgorithmInfo> algorithms() {
    const FieldInfo period = whole("period", "4", "τ"), delay = whole("delay", "1", "d");
    CommunicationPattern merged = withCoding({}, averagesEvery(ofField("period"), ofField("delay")));
    merged.limits.push_back(averagedStateLimit());
    return {{{.name = "dasgd", .fields = {period, delay}}, merged},
            {{.name = "local_sgd", .fields = {period}}, averagesEvery(ofField("period"))},
            {{.name = "sync_sgd", .fields = {whole("first_bucket_mb", "1.0")}},
             {.kind = CommunicationPattern::Kind::Gradients, .firstBucketMb = ofField("first_bucket_mb")}}};
}

// Took 6 ms a step, of which it stood waiting for 1 ms.
inline storage::RunRow runOf(const std::string& id, const std::string& toml,
                             const std::string& startedAt = "2026-11-21T12:00:00Z") {
    storage::RunRow row;
    row.runId = id;
    row.algorithm = "dasgd";
    row.status = "finished";
    row.config = toml;
    row.startedAt = startedAt;
    row.stepMs = 6;
    row.measuredS = 12;
    row.blockedS = 2;
    row.timedSteps = 2000;
    return row;
}

inline CheckedExperiment plan(const std::string& toml) {
    CheckedExperiment planned;
    planned.resolved = *parseToml(toml, "plan");
    planned.algorithm = "dasgd";
    planned.parameters = 62'500;
    planned.workers = 2;
    planned.layout.timeSimulated = toml.find("\"virtual\"") != std::string::npos;
    return planned;
}

// T_c 8 ms, of the same step and link as config().
inline KnownCalibration calibration(const std::string& name, int daysOld) {
    return {.name = name,
            .run = "run-" + name,
            .measured = kNow - daysOld * kOneDay,
            .config = settingsOf(config(0)),
            .stepSeconds = 0.008,
            .backwardShare = 0.6,
            .contention = 0,
            .steps = 43,
            .link = LinkCost{.alpha = 0.0005, .beta = 1e-7},
            .doubt = {}};
}

}  // namespace dasgd::experiments::forecast_test
