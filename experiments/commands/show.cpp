// `dasgd show`: everything that is known of a run.
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/report/run_summary.h"

namespace dasgd::experiments {

namespace {

struct ShowOptions {
    std::string run, workspace;
    bool json = false;
};

struct Shown {
    storage::RunDetail detail;
    std::optional<double> stepMs;
    std::vector<RankTiming> timings;
    std::map<int, double> blocked;
    FaultCounts faults;
};

// More ranks than this are for --json.
constexpr std::size_t kRanksToShow = 64;

Result<Shown> load(const ShowOptions& options) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(options.workspace));
    DASGD_ASSIGN(storage::RunDetail detail, reader.run(options.run));
    DASGD_ASSIGN(const auto stepMs, stepMsOf(reader, detail.row.runId));
    DASGD_ASSIGN(auto timings, rankTimings(reader, detail.row.runId));
    DASGD_ASSIGN(auto blocked, blockedByRank(reader, detail.row.runId));
    DASGD_ASSIGN(const FaultCounts faults, faultCounts(reader, detail.row.runId));
    return Shown{std::move(detail), stepMs, std::move(timings), std::move(blocked), faults};
}

nlohmann::json jsonOf(const Shown& shown) {
    const storage::RunDetail& detail = shown.detail;
    nlohmann::json json = toJson(RunSummary{detail.row, shown.stepMs});
    json["planned_steps"] = detail.plannedSteps;
    json["steps_per_epoch"] = jsonNumber(detail.stepsPerEpoch);
    json["link_emulated"] = detail.linkEmulated;
    json["link"] = detail.link;
    json["host"] = detail.host;
    json["cpu"] = detail.cpu;
    json["git_dirty"] = detail.gitDirty;
    json["git_diff"] = detail.gitDirtyDiff;
    json["versions"] = nlohmann::json::parse(detail.versions, nullptr, false);
    if (json["versions"].is_discarded()) json["versions"] = nullptr;
    json["clock_error_s"] = jsonNumber(detail.clockErrorS);
    json["skew_s"] = jsonNumber(detail.skewS);
    json["compute_inflation"] = jsonNumber(detail.inflation);
    json["config"] = detail.row.config;
    json["faults"] = {{"hosts", shown.faults.hosts},
                      {"hosts_out", shown.faults.hostsOut},
                      {"links", shown.faults.links},
                      {"links_out", shown.faults.linksOut}};
    std::map<int, nlohmann::json> ranks;
    for (const auto& [rank, seconds] : shown.blocked) ranks[rank]["blocked_s"] = jsonNumber(seconds);
    for (const RankTiming& timing : shown.timings) {
        ranks[timing.rank]["step_ms"] = jsonNumber(timing.stepMs);
        ranks[timing.rank]["steps"] = timing.steps;
    }
    json["ranks"] = nlohmann::json::array();
    for (auto& [rank, told] : ranks) {
        told["rank"] = rank;
        json["ranks"].push_back(std::move(told));
    }
    return json;
}

std::string linesOf(const std::string& text, const std::string& indent) {
    std::string out;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        out += indent + printable(std::string_view(text).substr(start, end - start)) + "\n";
        start = end + 1;
    }
    return out;
}

void field(std::string& out, const std::string& name, const std::string& value) {
    if (value.empty()) return;
    out += "  " + name + std::string(name.size() < 14 ? 14 - name.size() : 1, ' ') + printable(value) + "\n";
}

std::string ranksText(const Shown& shown) {
    std::map<int, std::string> lines;
    for (const RankTiming& timing : shown.timings) lines[timing.rank] = shortNumber(timing.stepMs) + " ms a step";
    for (const auto& [rank, seconds] : shown.blocked) {
        std::string& line = lines[rank];
        line += (line.empty() ? "" : ", ") + std::string("blocked ") + duration(seconds);
    }
    std::string out;
    std::size_t told = 0;
    for (const auto& [rank, line] : lines) {
        if (++told <= kRanksToShow) field(out, "  rank " + std::to_string(rank), line);
    }
    if (told > kRanksToShow) field(out, "  more ranks", std::to_string(told - kRanksToShow) + ", see --json");
    return out;
}

std::string textOf(const Shown& shown) {
    const storage::RunDetail& detail = shown.detail;
    const storage::RunRow& row = detail.row;
    std::string out = printable(row.runId) + "\n";
    field(out, "experiment", row.experiment);
    field(out, "status", row.status + (row.error.empty() ? "" : ": " + row.error));
    field(out, "started", row.startedAt + ", ran " + duration(row.wallS));
    field(out, "algorithm", row.algorithm + ", seed " + std::to_string(row.seed));
    field(out, "cluster",
          std::to_string(row.workers) + " workers over " + row.backend +
              (row.timeIsSimulated() ? ", time simulated" : "") +
              (detail.linkEmulated ? ", emulated link " + detail.link : ""));
    field(out, "steps",
          std::to_string(row.steps) + " of " + std::to_string(detail.plannedSteps) + ", " +
              std::to_string(row.samples) + " samples, " + byteCount(static_cast<double>(row.bytesSent)) + " sent");
    field(out, "final loss", shortNumber(row.finalLoss));
    field(out, "best accuracy", percent(row.bestAccuracy));
    field(out, "hidden", percent(row.hidden));
    field(out, "blocked", row.blockedS ? duration(*row.blockedS) + " a rank" : "–");
    field(out, "samples/s", shortNumber(row.samplesPerS));
    if (shown.stepMs) field(out, "step", shortNumber(shown.stepMs) + " ms");
    out += ranksText(shown);
    field(out, "faults", faultText(shown.faults));
    if (detail.stragglerRank && detail.stragglerExcess && *detail.stragglerExcess > 0.05) {
        field(out, "straggler",
              "rank " + std::to_string(*detail.stragglerRank) + ", " + percent(detail.stragglerExcess) +
                  " slower than the median");
    }
    if (detail.skewS) field(out, "arrival skew", shortNumber(*detail.skewS * 1e3) + " ms");
    field(out, "inflation", detail.inflation ? shortNumber(detail.inflation) + " × while a collective runs" : "");
    field(out, "host", detail.host + ", " + detail.cpu);
    field(out, "commit", row.gitCommit + (detail.gitDirty ? " with uncommitted changes" : ""));
    field(out, "versions", detail.versions);
    return out + "\n" + linesOf(row.config, "  ");
}

Action declareShow(CLI::App& app) {
    auto options = std::make_shared<ShowOptions>();
    app.add_option("RUN", options->run, "Run id, or the beginning of one")->required();
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "As one JSON object, with the uncommitted changes");
    return [options] {
        const auto shown = load(*options);
        if (!shown) return refuse(shown.error());
        std::fputs(options->json ? (dumpLine(jsonOf(*shown)) + "\n").c_str() : textOf(*shown).c_str(), stdout);
        return static_cast<int>(kFinished);
    };
}

const CommandRegistry::Add kShowEntry{
    {.order = 90, .name = "show", .summary = "Everything that is known of a run", .declare = declareShow}};

}  // namespace

}  // namespace dasgd::experiments
