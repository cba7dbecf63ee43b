#include "experiments/tools/forecast/plan_forecasts.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "core/analysis/statistics.h"
#include "core/base/log.h"
#include "experiments/base/number_format.h"
#include "experiments/base/text.h"
#include "experiments/tools/calibrate/calibration.h"
#include "experiments/tools/calibrate/computed_steps.h"
#include "experiments/tools/forecast/forecast_cases.h"
#include "experiments/tools/forecast/plan_time.h"
#include "storage/base/workspace.h"

namespace dasgd::experiments {

namespace {

// The spans of each are read, which takes a few milliseconds.
constexpr std::size_t kMostCalibrations = 8;
constexpr std::size_t kMostOwnSpans = 65'536, kFewestOwnSteps = 10;
constexpr std::int64_t kFirstOwnSteps = 3;  // the first steps of a run load code and data

KnownCalibration knownOf(const storage::RunRow& row, Settings config, const Calibration& calibration) {
    constexpr std::string_view kProbe = " (probe)";
    std::string name = row.experiment;
    if (name.ends_with(kProbe)) name.resize(name.size() - kProbe.size());
    const ComputeFit& compute = calibration.compute;
    KnownCalibration known{.name = std::move(name),
                           .run = row.runId,
                           .measured = instantOf(row.startedAt).value_or(0),
                           .config = std::move(config),
                           .stepSeconds = compute.stepSeconds,
                           .backwardShare = compute.backwardShare,
                           .contention = compute.contention.value_or(0),
                           .steps = static_cast<std::int64_t>(compute.aloneSteps),
                           .memoryBytesPerSecond = calibration.memoryBytesPerSecond.value_or(0),
                           .link = {},
                           .doubt = doubtOf(calibration)};
    if (calibration.link) known.link = calibration.link->cost;
    return known;
}

struct Measured {
    std::vector<storage::RunRow> rows;
    std::vector<KnownCalibration> calibrations;
    EarlierSteps earlier = EarlierSteps({});
    std::vector<OwnSteps> own;
};

// nullopt without enough clean steps, as in a run without spans.
std::optional<OwnSteps> ownStepsOf(storage::SpanReader& reader, const storage::RunRow& row, const std::string& key) {
    std::vector<storage::SpanRow> spans;
    const Status read = reader.each(row.runId, [&](const storage::SpanRow& span) {
        spans.push_back(span);
        return spans.size() < kMostOwnSpans;
    });
    std::vector<double> seconds, backward;
    for (const ComputedStep& step : computedSteps(std::move(spans))) {
        if (step.step <= kFirstOwnSteps || step.seconds <= 0) continue;
        seconds.push_back(step.seconds);
        backward.push_back(step.backward / step.seconds);
    }
    if (!read || seconds.size() < kFewestOwnSteps) return std::nullopt;
    const auto count = static_cast<std::int64_t>(seconds.size());
    return OwnSteps{.key = key,
                    .stepSeconds = median(std::move(seconds)),
                    .backwardShare = median(std::move(backward)),
                    .steps = count,
                    .run = row.runId,
                    .algorithm = row.algorithm,
                    .measured = instantOf(row.startedAt).value_or(0)};
}

Result<Measured> measuredIn(const std::filesystem::path& workspace, const std::vector<CheckedExperiment>& planned,
                            const std::string& preferred) {
    std::error_code absent;
    if (!std::filesystem::exists(storage::WorkspacePaths{workspace}.database(), absent)) return Measured{};
    DASGD_ASSIGN(auto reader, storage::WorkspaceReader::open(workspace));
    Measured measured;
    DASGD_ASSIGN(measured.rows, reader.runs().list());
    measured.calibrations = knownCalibrations(reader, measured.rows, planned, preferred);
    measured.earlier = EarlierSteps(measured.rows);
    measured.own = ownSteps(reader.spans(), measured.earlier, planned);
    return measured;
}

}  // namespace

std::vector<KnownCalibration> knownCalibrations(storage::WorkspaceReader& reader,
                                                const std::vector<storage::RunRow>& rows,
                                                const std::vector<CheckedExperiment>& planned,
                                                const std::string& preferred) {
    std::set<Settings> wanted;
    for (std::size_t i = 0; i < std::min(planned.size(), kMostForecastRuns); ++i) {
        if (!planned[i].layout.timeSimulated) wanted.insert(stepSettings(settingsOf(planned[i].resolved)));
    }
    std::vector<const storage::RunRow*> probes;
    for (const storage::RunRow& row : rows) {
        if (row.algorithm == "probe" && row.status == "finished" && !wanted.empty()) probes.push_back(&row);
    }
    std::ranges::stable_sort(probes, std::greater<>(), [&](const storage::RunRow* row) {
        return std::pair(row->runId == preferred, row->startedAt);
    });
    std::vector<KnownCalibration> known;
    std::set<std::pair<Settings, Settings>> seen;
    for (const storage::RunRow* row : probes) {
        if (known.size() == kMostCalibrations) break;
        Settings config = settingsOf(row->config);
        const std::pair place{stepSettings(config), linkSettings(config)};
        if (!wanted.contains(place.first) || seen.contains(place)) continue;
        const auto calibration = calibrationOf(reader, row->runId);
        if (!calibration) continue;
        seen.insert(place);
        known.push_back(knownOf(*row, std::move(config), *calibration));
        known.back().preferred = row->runId == preferred;
    }
    return known;
}

std::vector<OwnSteps> ownSteps(storage::SpanReader& reader, const EarlierSteps& earlier,
                               const std::vector<CheckedExperiment>& planned) {
    std::vector<OwnSteps> own;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < std::min(planned.size(), kMostForecastRuns); ++i) {
        if (planned[i].layout.timeSimulated) continue;
        const Settings settings = settingsOf(planned[i].resolved);
        const std::string key = stepKey(settings);
        if (!seen.insert(key).second || own.size() == kMostCalibrations) continue;
        const storage::RunRow* newest = earlier.ofSettings(settings).newest;
        if (!newest) continue;
        if (auto steps = ownStepsOf(reader, *newest, key)) own.push_back(std::move(*steps));
    }
    return own;
}

PlanForecast forecastPlan(const std::vector<CheckedExperiment>& planned, const std::filesystem::path& workspace,
                          const std::string& preferred) {
    auto measured = measuredIn(workspace, planned, preferred);
    if (!measured) {
        logLine(LogLevel::Warning, "the forecast takes no measurements: " + printable(measured.error().message));
        measured = Measured{};
    }
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    const ForecastSources sources{.own = std::move(measured->own),
                                  .runs = timedRuns(measured->rows),
                                  .calibrations = std::move(measured->calibrations),
                                  .algorithms = registeredAlgorithms(),
                                  .now = now.count()};
    PlanForecast forecast{.cases = forecastCases(planned, sources), .first = 0, .takes = {}, .takesFrom = {}};
    forecast.first = static_cast<std::int64_t>(mostExposed(forecast.cases));
    const PlanTime time = planTime(planned, measured->earlier, forecast.cases);
    for (ForecastCase& one : forecast.cases) one.seconds = time.secondsOf(one);
    forecast.takes = time.inWords();
    forecast.takesFrom = time.basis();
    return forecast;
}

std::string forecastText(const PlanForecast& forecast) {
    TextTable table({"", "ms/step", "÷ independent", "hidden", "its runs", ""});
    table.leftAlign(5);
    std::vector<std::optional<double>> milliseconds;
    std::vector<std::string> notes;
    const auto note = [&](const std::string& sentence) {
        if (!sentence.empty() && std::ranges::find(notes, sentence) == notes.end()) notes.push_back(sentence);
    };
    for (const ForecastCase& one : forecast.cases) {
        milliseconds.push_back(one.round ? std::optional(one.round->stepSeconds * 1e3) : std::nullopt);
        if (!one.known()) continue;
        note("T_c from " + one.computeFrom + ".");
        if (!one.exchangeFrom.empty()) note("T_m: " + one.exchangeFrom + ".");
        for (const std::string& sentence : one.assumes) note("Assumed: " + sentence);
        note(one.doubt);
    }
    const std::vector<std::string> steps = alike(milliseconds);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const ForecastCase& one = forecast.cases[i];
        table.add({printable(one.label), steps[i], one.round ? shortNumber(one.round->slowdown) : "–",
                   one.round ? percent(one.round->hidden) : "–", one.seconds ? duration(*one.seconds) : "–",
                   printable(one.known() ? one.warning : one.why)});
    }
    std::string text = "Forecast of one round, by formula; nothing was run.\n\n" + table.toString() + "\n";
    for (const std::string& sentence : notes) text += printable(sentence) + "\n";
    text += "All runs one after the other: " + forecast.takes + " (" + forecast.takesFrom + ")";
    std::string comments;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) comments += (line.empty() ? "#" : "# ") + line + "\n";
    return comments;
}

}  // namespace dasgd::experiments
