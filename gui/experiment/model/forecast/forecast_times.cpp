#include "gui/experiment/model/forecast/forecast_times.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <set>

#include "core/base/schema/units.h"
#include "gui/kit/words/age.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// Reading more configurations would be noticeable, and only the newest matter.
constexpr std::size_t kMostRead = 64;
const std::string kVirtual = "virtual";

QString text(const std::string& one) { return QString::fromStdString(one); }

bool isOfStep(const std::string& key) {
    return key.starts_with("model.") || key == "train.batch_size" || key == "train.accumulate" ||
           key == "train.precision" || key == "cluster.threads_per_worker" || key == "cluster.backend";
}

// The settings that the time of a local step depends on.
Settings stepOf(const Settings& settings) {
    Settings kept;
    std::ranges::copy_if(settings, std::inserter(kept, kept.end()),
                         [](const auto& one) { return isOfStep(one.first); });
    return kept;
}

Settings linkOf(const Settings& settings) {
    Settings kept;
    std::ranges::copy_if(settings, std::inserter(kept, kept.end()),
                         [](const auto& one) { return one.first.starts_with("cluster.link."); });
    return kept;
}

QString meanOf(qint64 steps) {
    return steps > 0 ? QStringLiteral("mean of %1 steps").arg(grouped(steps)) : QStringLiteral("n not recorded");
}

// ", measured with P = 2" if the number of workers was another, as workers may share cores and memory.
QString measuredWith(const std::string& workers, const Settings& planned) {
    return workers.empty() || workers == settingOf(planned, "cluster.workers")
               ? QString()
               : QStringLiteral(", measured with P = ") + text(workers);
}

// The setting that makes the ranks' steps unequal or ends some of them; "" if there is none.
std::string beyondStep(const Settings& planned) {
    const auto hasSection = [&](const std::string& section) {
        return std::ranges::any_of(planned, [&](const auto& one) { return one.first.starts_with(section + "."); });
    };
    if (hasSection("compute.straggler")) return "stragglers (compute.straggler)";
    if (hasSection("faults")) return "failures ([faults])";
    for (const QString& one :
         text(settingOf(planned, "compute.rank_factors")).remove(u'[').remove(u']').split(u',', Qt::SkipEmptyParts)) {
        if (one.trimmed().toDouble() != 1) return "ranks of unlike speed (compute.rank_factors)";
    }
    return "";
}

// The best calibration of the same step, and of the same link if `sameLink`: preferred ones first, then the newest.
const KnownCalibration* calibrationFor(const Settings& planned, const ForecastSources& sources, bool sameLink) {
    const Settings step = stepOf(planned), link = linkOf(planned);
    const KnownCalibration* best = nullptr;
    for (const KnownCalibration& one : sources.calibrations) {
        if (stepOf(one.config) != step || one.stepSeconds <= 0) continue;
        if (sameLink && (!one.link || linkOf(one.config) != link)) continue;
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
                    .from = QStringLiteral("compute.step_time of this text"),
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
QString wayOf(const CommunicationRound& round, const QString& collective, int workers) {
    if (round.compressed) {
        QStringList ways;
        for (const CompressedExchange::Stage& stage : round.compressed->stages) {
            const bool sums = stage.collective == CompressedExchange::Collective::AllReduce;
            ways << (sums ? collective : QString::fromLatin1(nameOf(stage.collective).data()));
        }
        return ways.join(QStringLiteral(" and "));
    }
    if (round.servers == 1) return QStringLiteral("a push to 1 server and a pull");
    if (round.servers > 1) return QStringLiteral("a push to %1 servers and a pull").arg(round.servers);
    const qint64 peers = std::min<qint64>(round.peers, workers - 1);
    if (peers < 1) return collective;
    return peers == 1 ? QStringLiteral("a message to one peer")
                      : QStringLiteral("messages to %1 peers at once").arg(peers);
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
    average.from = QStringLiteral("%1 over the star of this text, %2, %3")
                       .arg(wayOf(round, text(settingOf(planned, "network.collective")), workers),
                            text(settingOf(planned, "network.bandwidth")), text(settingOf(planned, "network.latency")));
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

std::vector<TimedRun> timedRuns(std::span<const RunItemPtr> runs) {
    std::vector<RunItemPtr> timed;
    std::ranges::copy_if(runs, std::back_inserter(timed), [](const RunItemPtr& run) {
        return run->row.stepMs && !run->row.timeSimulated && run->row.status == "finished" && !isProbe(run->row);
    });
    std::ranges::sort(timed, std::greater<>(), [](const RunItemPtr& run) { return run->row.startedAt; });
    if (timed.size() > kMostRead) timed.resize(kMostRead);
    std::vector<TimedRun> all;
    for (const RunItemPtr& run : timed) {
        const Settings settings = settingsOf(run->row.config);
        // What its steps took beside computing is not only waiting: coding goes over memory many times.
        if (const std::string coded = settingOf(settings, "compression.name"); !coded.empty() && coded != "none")
            continue;
        const double seconds = (*run->row.stepMs - blockedMsPerStep(run->row).value_or(0)) / 1e3;
        if (seconds <= 0) continue;
        all.push_back({.step = stepOf(settings),
                       .stepSeconds = seconds,
                       .steps = static_cast<qint64>(run->row.timedSteps.value_or(0)),
                       .workers = settingOf(settings, "cluster.workers"),
                       .run = run->id,
                       .algorithm = text(run->row.algorithm),
                       .measured = QDateTime::fromString(text(run->row.startedAt), Qt::ISODateWithMs)});
    }
    return all;
}

Result<StepTime> stepTimeOf(const Settings& planned, const ForecastSources& sources) {
    if (const std::string refused = beyondStep(planned); !refused.empty()) {
        return fail("There is no formula for " + refused + ": `dasgd advise` simulates it.");
    }
    if (settingOf(planned, "cluster.backend") == kVirtual) return simulatedStep(planned);
    if (const KnownCalibration* known = calibrationFor(planned, sources, false)) {
        return StepTime{.seconds = known->stepSeconds,
                        .forwardShare = 1 - known->backwardShare,
                        .contention = known->contention,
                        .from = QStringLiteral("calibration %1, %2, %3")
                                    .arg(known->name, ageInWords(known->measured, sources.now), meanOf(known->steps)) +
                                measuredWith(settingOf(known->config, "cluster.workers"), planned),
                        .run = known->run};
    }
    const auto run = std::ranges::find(sources.runs, stepOf(planned), &TimedRun::step);
    if (run == sources.runs.end()) {
        return fail(
            "No run has timed this step yet: the same model, batch, precision, threads and backend. Calibrate, or run "
            "it once.");
    }
    return StepTime{
        .seconds = run->stepSeconds,
        .from = QStringLiteral("%1 run %2 less its waiting, %3, %4")
                    .arg(run->algorithm, run->run, ageInWords(run->measured, sources.now), meanOf(run->steps)) +
                measuredWith(run->workers, planned),
        .run = run->run};
}

double weightBytesOf(const Settings& planned, qint64 parameters) {
    return (settingOf(planned, "train.precision") == "float64" ? 8 : 4) * static_cast<double>(parameters);
}

Result<AverageTime> averageTimeOf(const Settings& planned, qint64 parameters, const ForecastSources& sources,
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
        alone.from = QStringLiteral("one worker has nobody to average with");
        return alone;
    }
    const QString way = wayOf(round, QStringLiteral("ring"), workers);
    if (const KnownCalibration* known = calibrationFor(planned, sources, true)) {
        AverageTime average = averageOf(round, {}, *known->link, bytes, workers, known->memoryBytesPerSecond);
        average.from = QStringLiteral("%1 with α, β, ρ of calibration %2").arg(way, known->name) +
                       measuredWith(settingOf(known->config, "cluster.workers"), planned);
        if (!known->warning.isEmpty()) {
            average.doubt = QStringLiteral("Calibration %1: %2").arg(known->name, known->warning);
        }
        return average;
    }
    const auto bandwidth = parseBandwidth(settingOf(planned, "cluster.link.bandwidth"));
    const auto latency = parseLatency(settingOf(planned, "cluster.link.latency"));
    if (!bandwidth || !latency) return fail("No link is known: emulate one with cluster.link, or calibrate.");
    AverageTime average = averageOf(round, {}, {.alpha = *latency, .beta = 1 / *bandwidth}, bytes, workers, memory);
    average.from = QStringLiteral("%1 over the emulated %2, %3")
                       .arg(way, text(settingOf(planned, "cluster.link.bandwidth")),
                            text(settingOf(planned, "cluster.link.latency")));
    return average;
}

}  // namespace dasgd::gui
