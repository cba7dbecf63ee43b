// `dasgd show`: everything that is known of a run.
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/analysis/inflation.h"
#include "core/analysis/spans/critical_path.h"
#include "experiments/base/number_format.h"
#include "experiments/base/text.h"
#include "experiments/commands/command.h"
#include "experiments/tools/report/last_seen.h"
#include "experiments/tools/report/run_summary.h"
#include "storage/compare/comparison.h"
#include "storage/compare/external_load.h"
#include "storage/compare/scaling.h"
#include "storage/read/effective_status.h"
#include "storage/read/lateness_spans.h"

namespace dasgd::experiments {

namespace {

struct ShowOptions {
    std::string run, workspace, steps;
    bool json = false;
};

struct Shown {
    storage::RunDetail detail;
    std::vector<storage::RankRow> ranks;
    std::vector<storage::RankLastSeen> seen;
    FaultCounts faults;
    std::optional<Lateness> lateness;
    bool judged = false;                             // there are evaluations of the metric of the run's own target
    std::optional<storage::MetricSample> reached;    // the run's own target
    std::optional<double> reachedAfter;              // seconds of training
    std::optional<double> bestLoss, bestPerplexity;  // of a finished run that is judged by its loss
    std::vector<storage::ExternalLoad> others;
    std::optional<CriticalPath> path;  // none without spans, or with too many
};

// More ranks than this are for --json.
constexpr int kRanksToShow = 64;
constexpr int kStragglersToShow = 4;
// Spans for one critical path, about 40 MB of them.
constexpr std::size_t kMostSpansOfPath = 400'000;

Result<std::optional<double>> trainedUntil(storage::MetricReader& reader, const storage::RunRow& row,
                                           const std::optional<storage::MetricSample>& evaluation) {
    if (!evaluation) return std::optional<double>();
    DASGD_ASSIGN(const auto trained, storage::readTrainedSeconds(reader, row));
    return trained.at(*evaluation);
}

struct StepRange {
    std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();
};

// "100-200" or "100".
Result<StepRange> stepRangeOf(const std::string& text) {
    StepRange range;
    if (text.empty()) return range;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, range.first);
    range.last = range.first;
    auto read = first;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') {
        read = std::from_chars(read.ptr + 1, end, range.last);
    }
    if (first.ec == std::errc() && read.ec == std::errc() && read.ptr == end && range.first >= 0 &&
        range.first <= range.last) {
        return range;
    }
    return fail("--steps is \"" + printable(text) + "\"; write the first and the last step, as 100-200");
}

Result<std::optional<CriticalPath>> readCriticalPath(storage::SpanReader& reader, const std::string& runId,
                                                     const ShowOptions& options) {
    DASGD_ASSIGN(const StepRange steps, stepRangeOf(options.steps));
    const bool isWhole = options.steps.empty();
    DASGD_ASSIGN(const std::int64_t count, reader.count(runId));
    if (isWhole && count > static_cast<std::int64_t>(kMostSpansOfPath)) return std::optional<CriticalPath>();
    std::vector<RankSpan> spans;
    DASGD_TRY(reader.each(runId, [&](const storage::SpanRow& row) {
        // A collective may have left some steps before; spansOfSteps() drops what is not in flight.
        const bool mayCount =
            isWhole || isReduce(row.span.kind) || (row.span.step >= steps.first && row.span.step <= steps.last);
        if (mayCount) spans.push_back(row);
        return spans.size() < kMostSpansOfPath;
    }));
    if (!isWhole && spans.size() >= kMostSpansOfPath) {
        return fail("--steps " + options.steps + ": these steps have more than " + std::to_string(kMostSpansOfPath) +
                    " spans; name fewer");
    }
    if (!isWhole) spans = spansOfSteps(spans, steps.first, steps.last);
    auto path = criticalPathOf(spans);
    if (!isWhole && !path) return fail("--steps " + options.steps + ": the run has no span in these steps");
    return path;
}

Result<Shown> load(const ShowOptions& options) {
    DASGD_ASSIGN(auto reader, storage::WorkspaceReader::open(options.workspace));
    DASGD_ASSIGN(storage::RunDetail detail, reader.runs().detail(options.run));
    DASGD_TRY(storage::settle(reader.runs(), detail.row));
    DASGD_ASSIGN(auto ranks, reader.runs().ranks(detail.row.runId));
    DASGD_ASSIGN(auto seen, reader.spans().lastSeen(detail.row.runId));
    DASGD_ASSIGN(const FaultCounts faults, faultCounts(reader.metrics(), detail.row.runId));
    DASGD_ASSIGN(const auto lateness, storage::readLateness(reader, detail.row));
    bool judged = false;
    if (const auto target = targetOf(storage::settingsOf(detail.row))) {
        DASGD_ASSIGN(const auto judgements, storage::readJudged(reader.metrics(), detail.row.runId, target->metric));
        judged = !judgements.samples.empty();
    }
    DASGD_ASSIGN(const auto reached, storage::readTargetReached(reader.metrics(), detail.row.runId));
    DASGD_ASSIGN(const auto seconds, trainedUntil(reader.metrics(), detail.row, reached));
    DASGD_ASSIGN(const ComparedRun run, storage::readComparedRun(reader, detail.row));
    DASGD_ASSIGN(auto others, storage::readExternalLoad(reader, detail.row));
    DASGD_ASSIGN(const auto path, readCriticalPath(reader.spans(), detail.row.runId, options));
    return Shown{std::move(detail), std::move(ranks),     std::move(seen),   faults, lateness, judged, reached, seconds,
                 run.bestLoss(),    run.bestPerplexity(), std::move(others), path};
}

nlohmann::json targetJson(const Shown& shown) {
    const Settings settings = storage::settingsOf(shown.detail.row);
    const auto target = targetOf(settings);
    if (!target) return {};
    nlohmann::json json = {{"target", target->inWords()},
                           {"on", choosesOnValidation(settings) ? "validation" : "test"},
                           {"evaluated", shown.judged},
                           {"reached", shown.reached.has_value()}};
    if (!shown.reached) return json;
    json["value"] = jsonNumber(shown.reached->value);
    json["step"] = shown.reached->step;
    json["seconds"] = jsonNumber(shown.reachedAfter);
    json["wall_s"] = jsonNumber(shown.reached->wallS);
    json["samples"] = shown.reached->samples;
    json["bytes_sent_by_rank"] = shown.reached->bytesSent;
    return json;
}

// "" where the run has no target.
std::string targetText(const Shown& shown) {
    const Settings settings = storage::settingsOf(shown.detail.row);
    const auto target = targetOf(settings);
    if (!target) return "";
    const std::string text =
        target->inWords() + " on the " + (choosesOnValidation(settings) ? "validation" : "test") + " set: ";
    if (!shown.judged && !shown.reached) return text + "not known, as no evaluation of it was recorded";
    if (!shown.reached) return text + "not reached";
    return text + "reached at step " + std::to_string(shown.reached->step) +
           (shown.reachedAfter ? ", " + duration(*shown.reachedAfter) + " of training" : ", not timed") + ", " +
           std::to_string(shown.reached->samples) + " samples, " +
           byteCount(static_cast<double>(shown.reached->bytesSent)) + " sent by a rank";
}

nlohmann::json hardwareJson(const std::vector<storage::HardwarePart>& parts) {
    nlohmann::json json = nlohmann::json::array();
    for (const storage::HardwarePart& part : parts) {
        json.push_back({{"kind", part.kind},
                        {"name", part.name},
                        {"bits_per_s", jsonNumber(part.bitsPerS)},
                        {"memory_bytes", jsonNumber(part.memoryBytes)}});
    }
    return json;
}

nlohmann::json externalLoadJson(const std::vector<storage::ExternalLoad>& loads) {
    nlohmann::json json = nlohmann::json::array();
    for (const storage::ExternalLoad& load : loads) {
        json.push_back({{"host", load.host},
                        {"ranks_cores", load.ranks},
                        {"other_cores", load.others},
                        {"cores", load.cores ? nlohmann::json(*load.cores) : nlohmann::json()},
                        {"seconds", load.seconds},
                        {"disturbs", load.disturbs()}});
    }
    return json;
}

// No span says whose message a rank waited for, so that nothing is known of how long it would wait if transfers were
// free.
bool waitsForMessages(const CriticalPath& path) { return path.messages > 0; }

nlohmann::json pathJson(const std::optional<CriticalPath>& path) {
    if (!path) return {};
    const auto seconds = [](Ns time) { return jsonNumber(static_cast<double>(time) * 1e-9); };
    return {{"rank", path->rank},
            {"length_s", seconds(path->length())},
            {"compute_s", seconds(path->compute)},
            {"transfer_s", seconds(path->transfer)},
            {"messages_s", seconds(path->messages)},
            {"data_and_evaluation_s", seconds(path->other)},
            {"idle_s", seconds(path->idle)},
            {"without_transfers_s", waitsForMessages(*path) ? nlohmann::json() : seconds(path->withoutTransfers)},
            {"saved_by_free_transfers", waitsForMessages(*path) ? nlohmann::json() : jsonNumber(path->saved())}};
}

nlohmann::json jsonOf(const Shown& shown) {
    const storage::RunDetail& detail = shown.detail;
    nlohmann::json json = toJson(detail.row);
    json["best_loss"] = jsonNumber(shown.bestLoss);
    json["best_perplexity"] = jsonNumber(shown.bestPerplexity);
    if (shown.bestLoss) json["best_chosen_on"] = bestChosenOn(detail.row);
    json["planned_steps"] = detail.plannedSteps;
    json["steps_per_epoch"] = jsonNumber(detail.stepsPerEpoch);
    json["link_emulated"] = detail.linkEmulated;
    json["link"] = detail.link;
    json["host"] = detail.host;
    json["cpu"] = detail.cpu;
    json["hardware"] = hardwareJson(detail.hardware);
    json["git_dirty"] = detail.gitDirty;
    json["git_diff"] = detail.gitDirtyDiff;
    json["versions"] = nlohmann::json::parse(detail.versions, nullptr, false);
    if (json["versions"].is_discarded()) json["versions"] = nullptr;
    json["other_load"] = externalLoadJson(shown.others);
    json["clock_error_s"] = jsonNumber(detail.clockErrorS);
    json["config"] = detail.row.config;
    json["target"] = targetJson(shown);
    json["faults"] = {{"hosts", shown.faults.hosts},
                      {"hosts_out", shown.faults.hostsOut},
                      {"links", shown.faults.links},
                      {"links_out", shown.faults.linksOut}};
    json["critical_path"] = pathJson(shown.path);
    json["ranks"] = nlohmann::json::array();
    for (const storage::RankRow& rank : shown.ranks) {
        json["ranks"].push_back({{"rank", rank.rank},
                                 {"step_ms", jsonNumber(rank.stepMs)},
                                 {"steps", rank.timedSteps},
                                 {"hidden", jsonNumber(rank.hidden)},
                                 {"blocked_s", jsonNumber(rank.blockedS)},
                                 {"measured_s", jsonNumber(rank.measuredS)},
                                 {"skew_s", jsonNumber(rank.skewS)},
                                 {"compute_inflation", jsonNumber(rank.inflation)}});
    }
    json["last_seen"] = nlohmann::json::array();
    for (const storage::RankLastSeen& rank : shown.seen) {
        json["last_seen"].push_back(toJson(rank));
        json["last_seen"].back()["rank"] = rank.rank;
    }
    return json;
}

// "61.2 % computing, 37.9 % transfers, 0.9 % idle of 4.21 s; if transfers were free: 38.1 % less"
std::string pathText(const std::optional<CriticalPath>& path) {
    if (!path || path->length() <= 0) return "";
    const auto all = static_cast<double>(path->length());
    std::string text = percent(static_cast<double>(path->compute) / all) + " computing";
    const auto add = [&](Ns time, const char* name) {
        if (time > 0) text += ", " + percent(static_cast<double>(time) / all) + " " + name;
    };
    add(path->transfer, "transfers");
    add(path->messages, "waiting for messages");
    add(path->other, "data and evaluations");
    add(path->idle, "idle");
    const std::string length = all < 1e9 ? shortNumber(all * 1e-6) + " ms" : duration(all * 1e-9);
    text += ", of " + length + "; if transfers were free: ";
    if (waitsForMessages(*path)) return text + "not known, as no record says whose message a rank waited for";
    return text + percent(path->saved()) + " less";
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

// Runs of older versions do not say how long was measured.
std::string blockedText(double blockedS, std::optional<double> measuredS) {
    if (!measuredS || *measuredS <= 0) return duration(blockedS);
    return percent(blockedS / *measuredS) + " (" + duration(blockedS) + " of " + duration(*measuredS) + ")";
}

std::string ranksText(const Shown& shown) {
    std::string out;
    std::vector<double> times;
    for (const storage::RankRow& rank : shown.ranks) times.push_back(rank.stepMs.value_or(0));
    const NumberFormat step = formatFor(times), inflation{.decimals = 3};
    for (const storage::RankRow& rank : shown.ranks) {
        if (rank.rank >= kRanksToShow) break;
        std::string line = rank.stepMs ? step.text(rank.stepMs) + " ms a step" : "not timed";
        if (rank.blockedS) line += ", blocked " + blockedText(*rank.blockedS, rank.measuredS);
        if (measurable(rank.inflation)) {
            line += ", inflation " + inflation.text(rank.inflation) + " ×";
        } else if (rank.inflation) {
            line += std::string(", inflation ") + kNotMeasurable;
        }
        field(out, "  rank " + std::to_string(rank.rank), line);
    }
    const int more = static_cast<int>(shown.ranks.size()) - kRanksToShow;
    if (more > 0) field(out, "  more ranks", std::to_string(more) + ", see --json");
    return out;
}

// The last position of each rank, for a run that did not end well.
std::string lastSeenLines(const Shown& shown) {
    const std::string& status = shown.detail.row.status;
    if (status != "failed" && status != "interrupted") return "";
    std::string out;
    for (const storage::RankLastSeen& rank : shown.seen) {
        if (rank.rank < kRanksToShow) field(out, "  last of " + std::to_string(rank.rank), lastSeenText(rank));
    }
    return out;
}

// The best result: accuracy, or perplexity for text, or loss for regression.
std::string bestText(const Shown& shown) {
    const storage::RunRow& row = shown.detail.row;
    const std::string chosen = " on the test set, chosen on the " + bestChosenOn(row) + " set";
    std::string out;
    if (shown.bestPerplexity) {
        field(out, "best perplexity", shortNumber(*shown.bestPerplexity) + chosen);
    } else if (shown.bestLoss) {
        field(out, "best loss", shortNumber(*shown.bestLoss) + chosen);
    } else {
        field(out, "best accuracy", percent(row.bestAccuracy) + (row.bestAccuracy ? chosen : ""));
    }
    return out;
}

// Names the straggler by the criterion of the Timeline page: a rank that comes to the averages later than noise
// explains.
std::string stragglerText(const std::optional<Lateness>& lateness) {
    if (!lateness) return "";
    const auto inMs = [](double ns) { return shortNumber(ns / 1e6) + " ms"; };
    std::string text;
    int named = 0, more = 0;
    for (const RankLateness& rank : lateness->ranks) {
        if (!rank.isBeyondNoise()) continue;
        if (named == kStragglersToShow) {
            ++more;
            continue;
        }
        text += (named++ > 0 ? "; rank " : "rank ") + std::to_string(rank.rank) + ", " + inMs(rank.lateNs) +
                " late (noise ± " + inMs(rank.noiseNs) + ")";
    }
    if (more > 0) text += "; and " + std::to_string(more) + " more";
    const std::string of = ", of " + std::to_string(lateness->averages) + " averages";
    return (text.empty() ? "no rank is beyond noise (± " + inMs(lateness->noiseNs) + ")" : text) + of;
}

// "dasgd 0.1.0, LibTorch 2.11.0": as `dasgd doctor` writes them; text of another kind as it is.
std::string versionsText(const std::string& versions) {
    const auto json = nlohmann::json::parse(versions, nullptr, false);
    if (!json.is_object()) return versions;
    std::string text;
    for (const auto& [name, version] : json.items()) {
        if (version.is_string()) text += (text.empty() ? "" : ", ") + name + " " + version.get<std::string>();
    }
    return text;
}

std::string textOf(const Shown& shown) {
    const storage::RunDetail& detail = shown.detail;
    const storage::RunRow& row = detail.row;
    std::string out = printable(row.runId) + "\n";
    const bool isQueued = row.status == "queued";
    field(out, "experiment", row.experiment);
    field(out, "status", statusWords(row) + (row.error.empty() ? "" : ": " + row.error));
    field(out, "waits for", detail.waitsFor);
    field(out, isQueued ? "queued" : "started", row.startedAt + (isQueued ? "" : ", ran " + duration(row.wallS)));
    if (!row.origin.empty()) field(out, "from", row.origin + ", heard from last at " + row.heardAt);
    field(out, "algorithm", row.algorithm + ", seed " + std::to_string(row.seed));
    field(out, "cluster",
          std::to_string(row.workers) + " workers over " + row.backend + (row.timeSimulated ? ", time simulated" : "") +
              (detail.linkEmulated ? ", emulated link " + detail.link : ""));
    const bool early = row.status == "finished" && row.steps < detail.plannedSteps;
    field(out, "steps",
          std::to_string(row.steps) + " of " + std::to_string(detail.plannedSteps) +
              (early ? ", ended early by its evaluations, " : ", ") + std::to_string(row.samples) + " samples, " +
              byteCount(static_cast<double>(row.bytesSent)) + " sent");
    if (!row.resumedFrom.empty()) {
        field(out, "resumed from", row.resumedFrom + ", step " + std::to_string(row.resumedStep));
    }
    if (row.restarted > 0) {
        field(out, "restarted", std::to_string(row.restarted) + "x by the queue, last reason: " + row.restartReason);
    }
    field(out, "final loss", shortNumber(row.finalLoss));
    out += bestText(shown);
    field(out, "target", targetText(shown));
    field(out, "hidden", percent(row.hidden));
    field(out, "blocked", row.blockedS ? blockedText(*row.blockedS, row.measuredS) + ", mean of the ranks" : "–");
    field(out, "critical path", pathText(shown.path));
    field(out, "samples/s", shortNumber(row.samplesPerS));
    field(out, "step", row.stepMs ? shortNumber(row.stepMs) + " ms, all ranks" : "not timed");
    out += ranksText(shown);
    out += lastSeenLines(shown);
    field(out, "faults", faultText(shown.faults));
    if (detail.straggler) {
        field(out, "slowest rank",
              "rank " + std::to_string(detail.straggler->rank) + ", " + percent(detail.straggler->excess) +
                  " above the median");
    }
    field(out, "stragglers", stragglerText(shown.lateness));
    if (row.skewS) field(out, "arrival skew", shortNumber(*row.skewS * 1e3) + " ms");
    const std::string known = std::to_string(row.inflationRanks) + " of " + std::to_string(row.workers) + " ranks";
    field(out, "inflation",
          row.inflation ? inflationInWords(detail.inflation, " × while bytes move") + ", " + known : "not known");
    field(out, "host", detail.host + ", " + detail.cpu);
    for (const storage::ExternalLoad& load : shown.others) {
        field(out, "other load", externalLoadText(load) + (load.disturbs() ? ": its times are disturbed" : ""));
    }
    field(out, "host GPUs", storage::hardwareText(detail.hardware, storage::kGpu));
    field(out, "host NICs", storage::hardwareText(detail.hardware, storage::kNic));
    field(out, "commit", row.gitCommit + (detail.gitDirty ? " with uncommitted changes" : ""));
    field(out, "versions", versionsText(detail.versions));
    return out + "\n" + linesOf(row.config, "  ");
}

Action declareShow(CLI::App& app) {
    auto options = std::make_shared<ShowOptions>();
    app.add_option("RUN", options->run, "Run id, or the beginning of one")->required();
    app.add_option("--steps", options->steps, "Steps of the critical path, as 100-200; default: all");
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
