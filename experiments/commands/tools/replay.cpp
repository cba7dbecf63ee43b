// `dasgd replay`: a recorded run again, on a virtual cluster that behaves as the one it ran on, or as another one.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/base/schema/toml_reader.h"
#include "experiments/base/number_format.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/config/calibrated_cluster.h"
#include "experiments/run/session/run_session.h"
#include "experiments/tools/calibrate/calibration_file.h"
#include "experiments/tools/calibrate/probe_experiment.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

struct ReplayOptions {
    std::string run, workspace;
    Overrides overrides;
    Markup markup = Markup::Terminal;
    bool json = false, quiet = false, progress = false;
    [[nodiscard]] Progress::Style style() const { return Progress::styleFor(quiet, progress); }
};

bool setsNetwork(const Overrides& overrides) {
    return std::ranges::any_of(overrides.set, [](const std::string& one) { return one.starts_with("network"); });
}

// The experiment of `row` on the cluster that its own spans describe; --calibration replaces its network, and its times
// where it has some.
Result<Value> documentOf(storage::WorkspaceReader& reader, const storage::RunRow& row, const Overrides& overrides) {
    DASGD_ASSIGN(Value document, parseToml(row.config, row.runId));
    Value cluster;
    if (!row.timeSimulated) {
        DASGD_ASSIGN(const Calibration calibration, calibrationOf(reader, row.runId));
        cluster = calibratedCluster(calibration);
    } else {
        for (const char* section : {"network", "compute"}) {
            if (const Value* own = document.find(section)) cluster.set(section, *own);
        }
    }
    if (!overrides.calibration.empty()) {
        DASGD_ASSIGN(const Value given, readTomlFile(overrides.calibration));
        for (const auto& [name, section] : *given.as<Value::Table>()) cluster.set(name, section);
    }
    if (!cluster.find("network")) {
        if (!setsNetwork(overrides)) {
            return fail(
                "run " + row.runId +
                " says nothing about a network; give one with --calibration FILE or --set network.bandwidth=1Gbps");
        }
        cluster.set("network", Value());
    }
    DASGD_TRY(applyCalibration(document, cluster));
    // Its times are simulated: it is no run of the experiment that was recorded.
    if (!document.find("name")) document.set("name", Value(row.experiment));
    addToName(document, " (replay)");
    return document;
}

void report(const storage::RunRow& replayed, const storage::RunRow& recorded, const ReplayOptions& options) {
    const bool both = replayed.stepMs && recorded.stepMs && *recorded.stepMs > 0;
    if (options.json) {
        nlohmann::json line = toJson(replayed);
        line["replay_of"] = recorded.runId;
        line["recorded_step_ms"] = jsonNumber(recorded.stepMs);
        line["recorded_hidden"] = jsonNumber(recorded.hidden);
        std::printf("%s\n", dumpLine(line).c_str());
        return;
    }
    TextTable table({"", "ms/step", "hidden", "run"});
    table.leftAlign(3);
    const std::vector<std::string> steps = alike({recorded.stepMs, replayed.stepMs});
    table.add({recorded.timeSimulated ? "recorded, time simulated" : "recorded", steps[0], percent(recorded.hidden),
               printable(recorded.runId)});
    table.add({"replayed, time simulated", steps[1], percent(replayed.hidden), printable(replayed.runId)});
    std::fputs(table.toString(options.markup).c_str(), stdout);
    if (both)
        std::printf("\nreplayed ÷ recorded: %s a step\n", shortNumber(*replayed.stepMs / *recorded.stepMs).c_str());
}

Result<std::vector<CheckedExperiment>> experimentsOf(const ReplayOptions& options, storage::WorkspaceReader& reader,
                                                     const storage::RunRow& row) {
    DASGD_ASSIGN(const Value document, documentOf(reader, row, options.overrides));
    return checkExperiments(document, options.overrides);
}

int replay(const ReplayOptions& options) {
    StopSignals signals;
    auto reader = storage::WorkspaceReader::open(options.workspace);
    if (!reader) return refuse(reader.error());
    const auto recorded = reader->runs().row(options.run);
    if (!recorded) return refuse(recorded.error());
    const auto experiments = experimentsOf(options, *reader, *recorded);
    if (!experiments) return refuse(experiments.error());
    auto session = RunSession::open(options.workspace, ".", signals, options.style());
    if (!session) return refuse(session.error());
    for (const CheckedExperiment& experiment : *experiments) {
        const auto runId = (*session)->runToTheEnd(experiment, "replaying " + recorded->runId);
        if (!runId) return failed(**session, runId.error());
        const auto replayed = reader->runs().row(*runId);
        if (!replayed) return failed(**session, replayed.error());
        report(*replayed, *recorded, options);
    }
    return kFinished;
}

Action declareReplay(CLI::App& app) {
    auto options = std::make_shared<ReplayOptions>();
    app.add_option("RUN", options->run, "Run id, or the beginning of one")->required();
    addCalibrationOption(app, options->overrides.calibration);
    addSetOption(app, options->overrides);
    app.add_option("--sweep", options->overrides.sweep, "Vary a key: --sweep network.bandwidth=1Gbps,100Mbps")
        ->allow_extra_args(false);
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "One line of JSON a run");
    addMarkdownOption(app, options->markup);
    app.add_flag("-q,--quiet", options->quiet, "No progress");
    addProgressOption(app, options->progress);
    app.footer(
        "What the run's spans say of computing and network becomes a virtual cluster; --set changes it:\n"
        "dasgd replay RUN --set network.bandwidth=10Mbps, or --set cluster.workers=64 --set compute.mode=time-only.\n"
        "The link of a run that dasgd calibrate did not make is as good as its collectives: busy hosts slow them "
        "down.");
    return [options] { return replay(*options); };
}

const CommandRegistry::Add kReplayEntry{{.order = 70,
                                         .name = "replay",
                                         .summary = "A recorded run again on a virtual cluster: its own, or another",
                                         .declare = declareReplay}};

}  // namespace

}  // namespace dasgd::experiments
