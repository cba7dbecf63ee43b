#include "experiments/report/run_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

struct Instant {
    std::int64_t step = 0;
    double wallS = 0;
};

Result<std::vector<storage::MetricSample>> samplesOf(storage::RunReader& reader, const std::string& runId,
                                                     const std::string& name) {
    DASGD_ASSIGN(storage::MetricAnswer answer, reader.metrics({.runId = runId, .name = name}));
    return std::move(answer.samples);
}

bool anyWithin(const std::vector<double>& sorted, double after, double until) {
    const auto next = std::upper_bound(sorted.begin(), sorted.end(), after);
    return next != sorted.end() && *next <= until;
}

}  // namespace

std::vector<RankTiming> rankTimings(const std::vector<storage::MetricSample>& losses,
                                    const std::vector<storage::MetricSample>& evaluations) {
    std::map<int, std::vector<Instant>> byRank;
    for (const auto& sample : losses) byRank[sample.rank].push_back({sample.step, sample.wallS});
    std::vector<double> pauses;
    pauses.reserve(evaluations.size());
    for (const auto& sample : evaluations) pauses.push_back(sample.wallS);
    std::sort(pauses.begin(), pauses.end());

    std::vector<RankTiming> timings;
    for (auto& [rank, instants] : byRank) {
        std::sort(instants.begin(), instants.end(), [](Instant a, Instant b) { return a.step < b.step; });
        RankTiming timing{.rank = rank};
        double total = 0;
        for (std::size_t i = 1; i < instants.size(); ++i) {
            const Instant& before = instants[i - 1];
            const Instant& now = instants[i];
            if (before.step < kWarmUpSteps || anyWithin(pauses, before.wallS, now.wallS)) continue;
            total += now.wallS - before.wallS;
            timing.steps += now.step - before.step;
        }
        if (timing.steps == 0) continue;
        timing.stepMs = total * 1e3 / static_cast<double>(timing.steps);
        timings.push_back(timing);
    }
    return timings;
}

Result<std::vector<RankTiming>> rankTimings(storage::RunReader& reader, const std::string& runId) {
    DASGD_ASSIGN(const auto losses, samplesOf(reader, runId, "train/loss"));
    DASGD_ASSIGN(const auto evaluations, samplesOf(reader, runId, "eval/loss"));
    return rankTimings(losses, evaluations);
}

Result<std::optional<double>> stepMsOf(storage::RunReader& reader, const std::string& runId) {
    DASGD_ASSIGN(const auto measured, samplesOf(reader, runId, "run/step_ms"));
    if (!measured.empty()) return measured.back().value;
    DASGD_ASSIGN(const auto timings, rankTimings(reader, runId));
    if (timings.empty()) return std::nullopt;
    double sum = 0;
    for (const RankTiming& timing : timings) sum += timing.stepMs;
    return sum / static_cast<double>(timings.size());
}

Result<FaultCounts> faultCounts(storage::RunReader& reader, const std::string& runId) {
    FaultCounts counts;
    DASGD_ASSIGN(const auto hosts, samplesOf(reader, runId, "fault/host_down"));
    DASGD_ASSIGN(const auto links, samplesOf(reader, runId, "fault/link_down"));
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

Result<std::map<int, double>> blockedByRank(storage::RunReader& reader, const std::string& runId) {
    DASGD_ASSIGN(const auto samples, samplesOf(reader, runId, "overlap/blocked_s"));
    std::map<int, double> blocked;
    for (const auto& sample : samples) blocked[sample.rank] = sample.value;
    return blocked;
}

Result<RunSummary> summariseRun(storage::RunReader& reader, const std::string& runId) {
    DASGD_ASSIGN(storage::RunDetail detail, reader.run(runId));
    DASGD_ASSIGN(const auto stepMs, stepMsOf(reader, detail.row.runId));
    return RunSummary{std::move(detail.row), stepMs};
}

nlohmann::json jsonNumber(std::optional<double> value) {
    return value && std::isfinite(*value) ? nlohmann::json(*value) : nlohmann::json();
}

nlohmann::json toJson(const storage::RunRow& row) {
    return {{"run_id", row.runId},
            {"experiment", row.experiment},
            {"algorithm", row.algorithm},
            {"seed", row.seed},
            {"workers", row.workers},
            {"backend", row.backend},
            {"status", row.status},
            {"started_at", row.startedAt},
            {"wall_s", jsonNumber(row.wallS)},
            {"steps", row.steps},
            {"samples", row.samples},
            {"bytes_sent", row.bytesSent},
            {"final_loss", jsonNumber(row.finalLoss)},
            {"best_accuracy", jsonNumber(row.bestAccuracy)},
            {"hidden", jsonNumber(row.hidden)},
            {"blocked_s", jsonNumber(row.blockedS)},
            {"samples_per_s", jsonNumber(row.samplesPerS)},
            {"git_commit", row.gitCommit},
            {"error", row.error}};
}

nlohmann::json toJson(const RunSummary& summary) {
    nlohmann::json json = toJson(summary.row);
    json["step_ms"] = jsonNumber(summary.stepMs);
    return json;
}

nlohmann::json toJson(const Sample& sample) {
    return {{"n", sample.n},
            {"mean", jsonNumber(sample.n > 0 ? std::optional(sample.mean) : std::nullopt)},
            {"std", jsonNumber(sample.std)},
            {"ci95", jsonNumber(sample.confidence)}};
}

std::string dumpLine(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string summaryLine(const RunSummary& summary) {
    const storage::RunRow& row = summary.row;
    std::string line = row.status + " after " + std::to_string(row.steps) + " steps in " + duration(row.wallS);
    if (row.finalLoss) line += ", loss " + shortNumber(row.finalLoss);
    if (row.bestAccuracy) line += ", best accuracy " + percent(row.bestAccuracy);
    if (summary.stepMs) line += ", " + shortNumber(summary.stepMs) + " ms/step";
    if (row.hidden) line += ", hidden " + percent(row.hidden);
    if (row.blockedS) line += ", blocked " + duration(*row.blockedS);
    if (!row.error.empty()) line += "\n    " + row.error;
    return line;
}

}  // namespace dasgd::experiments
