#include "experiments/tools/report/run_summary.h"

#include <time.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/runs/configuration.h"
#include "core/base/metric_names.h"
#include "experiments/base/text.h"
#include "storage/write/imported_run.h"

namespace dasgd::experiments {

namespace {

constexpr double kAgeOfNews = 60;  // seconds

Result<std::vector<storage::MetricSample>> samplesOf(storage::MetricReader& reader, const std::string& runId,
                                                     const std::string& name) {
    DASGD_ASSIGN(storage::MetricAnswer answer, reader.samples({.runId = runId, .name = name}));
    return std::move(answer.samples);
}

}  // namespace

Result<FaultCounts> faultCounts(storage::MetricReader& reader, const std::string& runId) {
    FaultCounts counts;
    DASGD_ASSIGN(const auto hosts, samplesOf(reader, runId, metrics::kHostDown));
    DASGD_ASSIGN(const auto links, samplesOf(reader, runId, metrics::kLinkDown));
    const auto count = [](const std::vector<storage::MetricSample>& samples, int& failed, int& out) {
        for (const auto& sample : samples) {
            const bool down = sample.value == 1;
            failed += down ? 1 : 0;
            out += down ? 1 : -1;
        }
    };
    count(hosts, counts.hosts, counts.hostsOut);
    count(links, counts.links, counts.linksOut);
    return counts;
}

std::string faultText(const FaultCounts& counts) {
    const auto part = [](int failed, int out, const std::string& what) {
        if (failed == 0) return std::string();
        return std::to_string(failed) + " " + what + (failed == 1 ? " failure" : " failures") +
               (out > 0 ? " (" + std::to_string(out) + " not back)" : "");
    };
    const std::string hosts = part(counts.hosts, counts.hostsOut, "host");
    const std::string links = part(counts.links, counts.linksOut, "link");
    return hosts + (hosts.empty() || links.empty() ? "" : ", ") + links;
}

nlohmann::json jsonNumber(std::optional<double> value) {
    return value && std::isfinite(*value) ? nlohmann::json(*value) : nlohmann::json();
}

std::string bestChosenOn(const storage::RunRow& row) {
    return choosesOnValidation(dasgd::settingsOf(row.config)) ? "validation" : "test";
}

nlohmann::json toJson(const storage::RunRow& row) {
    return {{"run_id", row.runId},
            {"experiment", row.experiment},
            {"algorithm", row.algorithm},
            {"seed", row.seed},
            {"workers", row.workers},
            {"backend", row.backend},
            {"time_simulated", row.timeSimulated},
            {"status", row.status},
            {"partly_read", storage::isPartlyRead(row)},
            {"started_at", row.startedAt},
            {"ended_at", row.endedAt.empty() ? nlohmann::json() : nlohmann::json(row.endedAt)},
            {"wall_s", jsonNumber(row.wallS)},
            {"steps", row.steps},
            {"samples", row.samples},
            {"bytes_sent", row.bytesSent},
            {"final_loss", jsonNumber(row.finalLoss)},
            {"best_accuracy", jsonNumber(row.bestAccuracy)},
            {"best_chosen_on", row.bestAccuracy ? nlohmann::json(bestChosenOn(row)) : nlohmann::json()},
            {"hidden", jsonNumber(row.hidden)},
            {"blocked_s", jsonNumber(row.blockedS)},
            {"measured_s", jsonNumber(row.measuredS)},
            {"samples_per_s", jsonNumber(row.samplesPerS)},
            {"step_ms", jsonNumber(row.stepMs)},
            {"skew_s", jsonNumber(row.skewS)},
            {"compute_inflation", jsonNumber(row.inflation)},
            {"inflation_ranks", row.inflationRanks},
            {"timed_steps", jsonNumber(row.timedSteps)},
            {"queue_turn", jsonNumber(row.queueTurn)},
            {"held", row.held},
            {"resumed_from", row.resumedFrom.empty() ? nlohmann::json() : nlohmann::json(row.resumedFrom)},
            {"resumed_step", row.resumedFrom.empty() ? nlohmann::json() : nlohmann::json(row.resumedStep)},
            {"restarted", row.restarted},
            {"restart_reason", row.restarted > 0 ? nlohmann::json(row.restartReason) : nlohmann::json()},
            {"origin", row.origin.empty() ? nlohmann::json() : nlohmann::json(row.origin)},
            {"heard_at", row.origin.empty() ? nlohmann::json() : nlohmann::json(row.heardAt)},
            {"git_commit", row.gitCommit},
            {"error", row.error}};
}

std::string statusWords(const storage::RunRow& row) {
    if (row.takenOut()) return "taken out";
    if (storage::isPartlyRead(row)) return row.status + ", partly read";
    if (row.origin.empty() || (row.status != "running" && row.status != "queued")) return row.status;
    tm heard{};
    const bool known = ::strptime(row.heardAt.c_str(), "%Y-%m-%dT%H:%M:%S", &heard) != nullptr;
    const double age = known ? ::difftime(::time(nullptr), ::timegm(&heard)) : 0;
    if (known && age < kAgeOfNews) return row.status;
    return row.status + (known ? " " + duration(age) + " ago" : ", as far as known");
}

std::string restartedWords(const storage::RunRow& row) {
    if (row.restarted == 0) return {};
    return std::to_string(row.restarted) + "x, " + row.restartReason.substr(0, row.restartReason.find(':'));
}

nlohmann::json toJson(const Sample& sample) {
    return {{"n", sample.n},
            {"mean", jsonNumber(sample.n > 0 ? std::optional(sample.mean) : std::nullopt)},
            {"std", jsonNumber(sample.std)},
            {"ci95", jsonNumber(sample.confidence)}};
}

std::string summaryLine(const storage::RunRow& row) {
    std::string line = row.status + " after " + std::to_string(row.steps) + " steps in " + duration(row.wallS);
    if (row.finalLoss) line += ", loss " + shortNumber(row.finalLoss);
    if (row.bestAccuracy) {
        line += ", best accuracy " + percent(row.bestAccuracy) + " (chosen on the " + bestChosenOn(row) + " set)";
    }
    line += row.stepMs ? ", " + shortNumber(row.stepMs) + " ms/step" : ", not timed";
    if (row.hidden) line += ", hidden " + percent(row.hidden);
    if (row.blockedS && row.measuredS)
        line += ", blocked " + duration(*row.blockedS) + " of " + duration(*row.measuredS);
    if (!row.error.empty()) line += "\n    " + row.error;
    return line;
}

}  // namespace dasgd::experiments
