// Data that tests of the forecast share: planned runs, recorded ones and calibrations.
#pragma once

#include "gui/experiment/model/forecast/forecast_times.h"
#include "gui/kit/words/words.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui::forecast_test {

inline const QDateTime kNow = QDateTime::fromString(QStringLiteral("2026-11-23T12:00:00Z"), Qt::ISODate);
// 250 kB among two over 100 Mbps: 2 · 1 ms + 2 · 125 kB · 80 ns.
inline constexpr double kAverage = 0.002 + 0.020;
inline const char* const kLink = "[cluster.link]\nbandwidth = \"100Mbps\"\nlatency = \"1ms\"\n";

inline std::string config(int delay, const char* model = "lenet", const char* link = kLink,
                          const char* algorithm = "dasgd") {
    return std::string("[algorithm]\nname = \"") + algorithm + "\"\nperiod = 8\ndelay = " + std::to_string(delay) +
           "\n[model]\nname = \"" + model +
           "\"\n[train]\nbatch_size = 32\n[cluster]\nbackend = \"gloo\"\nworkers = 2\n" + link;
}

// Schema of three algorithms, as `dasgd describe` would print it; their names are the tests'.
inline std::vector<SchemaPlugin> algorithms() {
    const FieldInfo period{.name = "period",
                           .type = "integer",
                           .defaultToml = "4",
                           .optional = false,
                           .spec = {.symbol = "τ"},
                           .children = {}};
    const FieldInfo delay{.name = "delay",
                          .type = "integer",
                          .defaultToml = "1",
                          .optional = false,
                          .spec = {.symbol = "d"},
                          .children = {}};
    CommunicationPattern merged = withCoding({}, averagesEvery(ofField("period"), ofField("delay")));
    merged.limits.push_back(averagedStateLimit());
    return {{.name = "dasgd", .summary = {}, .reference = {}, .fields = {period, delay}, .communication = merged},
            {.name = "local_sgd",
             .summary = {},
             .reference = {},
             .fields = {period},
             .communication = averagesEvery(ofField("period"))},
            {.name = "sync_sgd",
             .summary = {},
             .reference = {},
             .fields = {},
             .communication = {.kind = CommunicationPattern::Kind::Gradients,
                               .firstBucketMb = ofField("first_bucket_mb")}}};
}
inline ExperimentSchema algorithmSchema() {
    return {.sections = {{.name = "algorithm", .fields = {}, .plugins = algorithms()}}};
}

// Took 6 ms a step, of which it stood waiting for 1 ms.
inline RunItemPtr runOf(const std::string& id, const std::string& toml,
                        const std::string& startedAt = "2026-11-21T12:00:00Z") {
    storage::RunRow row = makeRun(id, "dasgd", toml)->row;
    row.startedAt = startedAt;
    row.stepMs = 6;
    row.measuredS = 12;
    row.blockedS = 2;
    row.timedSteps = 2000;
    return makeRunItem(std::move(row));
}

inline PlannedRun plan(const std::string& toml) {
    return {.algorithm = QStringLiteral("dasgd"), .parameters = 62'500, .workers = 2, .config = toml};
}

// T_c 8 ms, of the same step and link as config().
inline KnownCalibration calibration(const QString& name, int daysOld) {
    return {.name = name,
            .run = QStringLiteral("run-") + name,
            .measured = kNow.addDays(-daysOld),
            .config = settingsOf(config(0)),
            .stepSeconds = 0.008,
            .backwardShare = 0.6,
            .contention = 0,
            .steps = 43,
            .link = LinkCost{.alpha = 0.0005, .beta = 1e-7}};
}

}  // namespace dasgd::gui::forecast_test
