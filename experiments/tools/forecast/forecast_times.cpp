#include "experiments/tools/forecast/forecast_times.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <set>

#include "core/base/schema/units.h"
#include "experiments/base/text.h"
#include "experiments/run/queue/earlier_steps.h"

namespace dasgd::experiments {

namespace {

// Reading more configurations would be noticeable, and only the newest matter.
constexpr std::size_t kMostRead = 64;
const std::string kVirtual = "virtual";

bool isOfStep(const std::string& key) {
    return key.starts_with("model.") || key == "train.batch_size" || key == "train.accumulate" ||
           key == "train.precision" || key == "cluster.threads_per_worker" || key == "cluster.backend";
}

std::string ageInWords(double then, double now) {
    struct Unit {
        double seconds;
        const char* words;
    };
    constexpr std::array kUnits{Unit{86'400, " day"}, Unit{3600, " h"}, Unit{60, " min"}};
    for (const Unit& unit : kUnits) {
        const auto count = static_cast<std::int64_t>((now - then) / unit.seconds);
        if (count < 1) continue;
        const bool plural = count > 1 && unit.seconds == kUnits[0].seconds;
        return std::to_string(count) + unit.words + (plural ? "s old" : " old");
    }
    return "just now";
}

std::string meanOf(std::int64_t steps) {
    return steps > 0 ? "mean of " + std::to_string(steps) + " steps" : "n not recorded";
}

// ", measured with P = 2" if the number of workers was another, as workers may share cores and memory.
std::string measuredWith(const std::string& workers, const Settings& planned) {
    return workers.empty() || workers == settingOf(planned, "cluster.workers") ? "" : ", measured with P = " + workers;
}

// The setting that makes the ranks' steps unequal or ends some of them; "" if there is none.
std::string beyondStep(const Settings& planned) {
    const auto hasSection = [&](const std::string& section) {
        return std::ranges::any_of(planned, [&](const auto& one) { return one.first.starts_with(section + "."); });
    };
    if (hasSection("compute.straggler")) return "stragglers (compute.straggler)";
    if (hasSection("faults")) return "failures ([faults])";
    const std::string factors = settingOf(planned, "compute.rank_factors");
    const char* const kBetween = "[], ";
    for (auto begin = factors.find_first_not_of(kBetween); begin != std::string::npos;) {
        const auto end = factors.find_first_of(kBetween, begin);
        if (std::strtod(factors.c_str() + begin, nullptr) != 1) return "ranks of unlike speed (compute.rank_factors)";
        begin = factors.find_first_not_of(kBetween, end);
    }
    return "";
}

// The best calibration of the same step, and of the same link if `sameLink`: preferred ones first, then the newest.
const KnownCalibration* calibrationFor(const Settings& planned, const ForecastSources& sources, bool sameLink) {
    const Settings step = stepSettings(planned), link = linkSettings(planned);
    const KnownCalibration* best = nullptr;
    for (const KnownCalibration& one : sources.calibrations) {
        if (stepSettings(one.config) != step || one.stepSeconds <= 0) continue;
        if (sameLink && (!one.link || linkSettings(one.config) != link)) continue;
        const auto rank = [](const KnownCalibration& each) { return std::pair(each.preferred, each.measured); };
        if (!best || rank(*best) < rank(one)) best = &one;
    }
    return best;
}

Result<StepTime> simulatedStep(const Settings& planned) {
    const std::string given = settingOf(planned, "compute.step_time");
    const auto seconds = parseDuration(given);
    if (!seconds) {
        return fail(
            "compute.step_time is not a time that stands in the text, so T_c is known only once it runs. Set it, or "
            "calibrate.");
    }
    return StepTime{.seconds = *seconds,
                    .forwardShare = numberIn(planned, "compute.forward_share").value_or(0),
                    .contention = numberIn(planned, "compute.contention").value_or(0),
                    .from = "compute.step_time of this text",
                    .run = {},
                    .given = true};
}

// Bytes that leave a worker in one exchange.
double leavingBytes(const CommunicationRound& round, double bytes) {
    if (!round.compressed) return bytes * round.share;
    double messages = 0;
    for (const CompressedExchange::Stage& stage : round.compressed->stages)
        messages += static_cast<double>(stage.bytes);
    return messages;
}

AverageTime averageOf(const CommunicationRound& round, const AllReduceKind& kind, const LinkCost& link, double bytes,
                      int workers, double memoryBytesPerSecond) {
    return {.exchange = exchangeSeconds(round, kind, link, bytes, workers, memoryBytesPerSecond),
            .bytes = leavingBytes(round, bytes),
            .codingKnown = !round.compressed || memoryBytesPerSecond > 0,
            .from = {},
            .doubt = {}};
}

// The settings beyond a single link speed, in words; "" if there are none.
std::string beyondFormula(const Settings& planned) {
    const std::string name = settingOf(planned, "network.name");
    if (name != "star") return "a network of the kind " + name;
    const std::string factors = settingOf(planned, "network.bandwidth_factors");
    if (!factors.empty() && factors != "[1.0]") return "links of unlike bandwidth";
    const auto load = numberIn(planned, "network.background.load");
    return load && *load > 0 ? "traffic of others on the links" : "";
}

// Description of an exchange: "ring"; "all-to-all and all-gather"; "messages to 2 peers at once"; "a push to 1 server
// and a pull".
std::string wayOf(const CommunicationRound& round, const std::string& collective, int workers) {
    if (round.compressed) {
        std::string ways;
        for (const CompressedExchange::Stage& stage : round.compressed->stages) {
            const bool sums = stage.collective == CompressedExchange::Collective::AllReduce;
            ways += (ways.empty() ? "" : " and ") + (sums ? collective : std::string(nameOf(stage.collective)));
        }
        return ways;
    }
    if (round.servers == 1) return "a push to 1 server and a pull";
    if (round.servers > 1) return "a push to " + std::to_string(round.servers) + " servers and a pull";
    const std::int64_t peers = std::min<std::int64_t>(round.peers, workers - 1);
    if (peers < 1) return collective;
    return peers == 1 ? "a message to one peer" : "messages to " + std::to_string(peers) + " peers at once";
}

// Bytes per second; 0: not known.
double simulatedMemory(const Settings& planned) {
    return parseRate(settingOf(planned, "compute.memory_bandwidth")).value_or(0);
}

Result<AverageTime> simulatedAverage(const Settings& planned, double bytes, int workers,
                                     const CommunicationRound& round) {
    const std::string refused = beyondFormula(planned);
    if (!refused.empty()) return fail("There is no formula for " + refused + ": `dasgd advise` simulates it.");
    const auto bandwidth = parseBandwidth(settingOf(planned, "network.bandwidth"));
    const auto latency = parseLatency(settingOf(planned, "network.latency"));
    const auto method = allReduceMethodNamed(settingOf(planned, "network.collective"));
    if (!bandwidth || !latency || !method) {
        return fail("There is no formula for this network: `dasgd advise` simulates it.");
    }
    const double rate = parseRate(settingOf(planned, "network.reduce_rate")).value_or(0);
    const double efficiency = numberIn(planned, "network.efficiency").value_or(1);
    const AllReduceKind kind{.method = *method,
                             .groupSize = static_cast<int>(numberIn(planned, "network.group_size").value_or(1)),
                             .servers = static_cast<int>(numberIn(planned, "network.servers").value_or(1))};
    DASGD_TRY(checkAllReduce(kind, workers));
    const LinkCost link{.alpha = *latency, .beta = 1 / (*bandwidth * efficiency), .rho = rate > 0 ? 1 / rate : 0};
    AverageTime average = averageOf(round, kind, link, bytes, workers, simulatedMemory(planned));
    average.from = wayOf(round, settingOf(planned, "network.collective"), workers) + " over the star of this text, " +
                   settingOf(planned, "network.bandwidth") + ", " + settingOf(planned, "network.latency");
    return average;
}

}  // namespace

bool forecastReads(const std::string& key) {
    static const std::set<std::string> kRead{
        "algorithm.name",         "cluster.workers",    "compute.step_time",
        "compute.forward_share",  "compute.contention", "compute.rank_factors",
        "network.name",           "network.bandwidth",  "network.latency",
        "network.collective",     "network.group_size", "network.servers",
        "network.reduce_rate",    "network.efficiency", "network.bandwidth_factors",
        "network.background.load"};
    const auto inSection = [&](const char* section) { return key.starts_with(section); };
    return kRead.contains(key) || isOfStep(key) || inSection("cluster.link.") || inSection("compute.straggler.") ||
           inSection("faults.") || inSection("compression.");
}

std::string settingOf(const Settings& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string() : found->second;
}

std::optional<double> numberIn(const Settings& settings, const std::string& key) {
    const std::string written = settingOf(settings, key);
    char* end = nullptr;
    const double number = std::strtod(written.c_str(), &end);
    if (written.empty() || *end != '\0') return std::nullopt;
    return number;
}

Settings stepSettings(const Settings& settings) {
    Settings kept;
    std::ranges::copy_if(settings, std::inserter(kept, kept.end()),
                         [](const auto& one) { return isOfStep(one.first); });
    return kept;
}

Settings linkSettings(const Settings& settings) {
    Settings kept;
    std::ranges::copy_if(settings, std::inserter(kept, kept.end()),
                         [](const auto& one) { return one.first.starts_with("cluster.link."); });
    return kept;
}

std::vector<TimedRun> timedRuns(const std::vector<storage::RunRow>& rows) {
    std::vector<const storage::RunRow*> timed;
    for (const storage::RunRow& row : rows) {
        if (row.stepMs && !row.timeSimulated && row.status == "finished" && row.algorithm != "probe")
            timed.push_back(&row);
    }
    std::ranges::sort(timed, std::greater<>(), &storage::RunRow::startedAt);
    if (timed.size() > kMostRead) timed.resize(kMostRead);
    std::vector<TimedRun> all;
    for (const storage::RunRow* row : timed) {
        const Settings settings = settingsOf(row->config);
        // Beside computing its steps took not only waiting: coding goes over memory many times.
        if (const std::string coded = settingOf(settings, "compression.name"); !coded.empty() && coded != "none")
            continue;
        const double seconds = *row->stepMs * (1 - row->blocked().value_or(0)) / 1e3;
        if (seconds <= 0) continue;
        all.push_back({.step = stepSettings(settings),
                       .stepSeconds = seconds,
                       .steps = static_cast<std::int64_t>(row->timedSteps.value_or(0)),
                       .workers = settingOf(settings, "cluster.workers"),
                       .run = row->runId,
                       .algorithm = row->algorithm,
                       .measured = instantOf(row->startedAt).value_or(0)});
    }
    return all;
}

Result<StepTime> stepTimeOf(const Settings& planned, const ForecastSources& sources) {
    if (const std::string refused = beyondStep(planned); !refused.empty()) {
        return fail("There is no formula for " + refused + ": `dasgd advise` simulates it.");
    }
    if (settingOf(planned, "cluster.backend") == kVirtual) return simulatedStep(planned);
    const KnownCalibration* known = calibrationFor(planned, sources, false);
    const auto own = std::ranges::find(sources.own, stepKey(planned), &OwnSteps::key);
    if (own != sources.own.end() && !(known && known->preferred)) {
        return StepTime{.seconds = own->stepSeconds,
                        .forwardShare = 1 - own->backwardShare,
                        .from = own->algorithm + " run " + own->run + ", " + ageInWords(own->measured, sources.now) +
                                ", median of " + std::to_string(own->steps) + " clean steps",
                        .run = own->run};
    }
    if (known) {
        return StepTime{.seconds = known->stepSeconds,
                        .forwardShare = 1 - known->backwardShare,
                        .contention = known->contention,
                        .from = "calibration " + known->name + ", " + ageInWords(known->measured, sources.now) + ", " +
                                meanOf(known->steps) +
                                measuredWith(settingOf(known->config, "cluster.workers"), planned),
                        .run = known->run};
    }
    const auto run = std::ranges::find(sources.runs, stepSettings(planned), &TimedRun::step);
    if (run == sources.runs.end()) {
        return fail(
            "No run has timed this step yet: the same model, batch, precision, threads and backend. Calibrate, or run "
            "it once.");
    }
    return StepTime{.seconds = run->stepSeconds,
                    .from = run->algorithm + " run " + run->run + " less its waiting, " +
                            ageInWords(run->measured, sources.now) + ", " + meanOf(run->steps) +
                            measuredWith(run->workers, planned),
                    .run = run->run};
}

double weightBytesOf(const Settings& planned, std::int64_t parameters) {
    return (settingOf(planned, "train.precision") == "float64" ? 8 : 4) * static_cast<double>(parameters);
}

Result<AverageTime> averageTimeOf(const Settings& planned, std::int64_t parameters, const ForecastSources& sources,
                                  const CommunicationRound& round) {
    const int workers = static_cast<int>(numberIn(planned, "cluster.workers").value_or(0));
    if (workers < 1 || parameters <= 0) return fail("How many weights and workers there are is not known.");
    const double bytes = weightBytesOf(planned, parameters);
    const bool isSimulated = settingOf(planned, "cluster.backend") == kVirtual;
    if (isSimulated && workers > 1) return simulatedAverage(planned, bytes, workers, round);
    const KnownCalibration* timed = calibrationFor(planned, sources, false);
    const double memory = isSimulated ? simulatedMemory(planned) : timed ? timed->memoryBytesPerSecond : 0;
    if (workers == 1) {
        AverageTime alone = averageOf(round, {}, {}, bytes, 1, memory);
        alone.from = "one worker has nobody to average with";
        return alone;
    }
    const std::string way = wayOf(round, "ring", workers);
    if (const KnownCalibration* known = calibrationFor(planned, sources, true)) {
        AverageTime average = averageOf(round, {}, *known->link, bytes, workers, known->memoryBytesPerSecond);
        average.from = way + " with α, β, ρ of calibration " + known->name +
                       measuredWith(settingOf(known->config, "cluster.workers"), planned);
        if (!known->doubt.empty()) average.doubt = "Calibration " + known->name + ": " + known->doubt;
        return average;
    }
    const auto bandwidth = parseBandwidth(settingOf(planned, "cluster.link.bandwidth"));
    const auto latency = parseLatency(settingOf(planned, "cluster.link.latency"));
    if (!bandwidth || !latency) return fail("No link is known: emulate one with cluster.link, or calibrate.");
    AverageTime average = averageOf(round, {}, {.alpha = *latency, .beta = 1 / *bandwidth}, bytes, workers, memory);
    average.from = way + " over the emulated " + settingOf(planned, "cluster.link.bandwidth") + ", " +
                   settingOf(planned, "cluster.link.latency");
    return average;
}

}  // namespace dasgd::experiments
