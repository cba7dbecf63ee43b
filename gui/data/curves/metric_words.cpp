#include "gui/data/curves/metric_words.h"

#include <QCollator>
#include <QLocale>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "core/base/metric_names.h"
#include "gui/data/curves/span_windows.h"

namespace dasgd::gui {

namespace {

// Flags of a metric.
enum : unsigned { kFromZero = 1, kLog = 2, kSmooth = 4, kShare = 8, kAsPercent = 16, kAsMega = 32 };

struct KnownMetric {
    const char *metric, *title, *axis;
    unsigned flags = 0;
};

const KnownMetric kKnownMetrics[] = {
    {metrics::kEvalAccuracy, "Test accuracy", "test accuracy [%]", kShare | kAsPercent},
    {metrics::kEvalLoss, "Test loss", "test loss", kLog},
    {metrics::kEvalPerplexity, "Perplexity", "test perplexity", kLog},
    {metrics::kSkippedFiles, "Damaged files left out", "damaged files or lines left out", kFromZero},
    {metrics::kEvalValidationAccuracy, "Validation accuracy", "validation accuracy [%]", kShare | kAsPercent},
    {metrics::kEvalValidationLoss, "Validation loss", "validation loss", kLog},
    {metrics::kEvalValidationPerplexity, "Validation perplexity", "validation perplexity", kLog},
    {metrics::kEvalChosenAccuracy, "Test accuracy, chosen on validation", "test accuracy of the best on validation [%]",
     kShare | kAsPercent},
    {metrics::kEvalChosenLoss, "Test loss, chosen on validation", "test loss of the best on validation", kLog},
    {metrics::kTrainedSeconds, "Training time", "training time, evaluations left out [s]", kFromZero},
    {metrics::kTargetReached, "Target reached", "value that reached the target"},
    {metrics::kEvalReplicaAccuracy, "Replica accuracy", "test accuracy of the replicas [%]", kShare | kAsPercent},
    {metrics::kTrainLoss, "Training loss", "training loss", kLog | kSmooth},
    {metrics::kTrainStepMs, "Time per step", "time per step [ms]", kFromZero},
    {metrics::kConsensusDistance, "Consensus distance", "consensus distance ⟨‖wᵢ − ⟨w⟩‖²⟩", kLog},
    {metrics::kSamplesPerS, "Throughput", "samples/s", kFromZero | kSmooth},
    {metrics::kRankSamplesPerS, "Throughput of a rank", "samples/s of a rank", kFromZero | kSmooth},
    {metrics::kTimedSteps, "Timed steps", "steps in clean windows", kFromZero},
    {metrics::kTimedSeconds, "Timed seconds", "time in clean windows [s]", kFromZero},
    {metrics::kServedSteps, "Served steps", "steps served", kFromZero},
    {metrics::kStalenessSteps, "Staleness", "staleness [steps]", kFromZero},
    {metrics::kStalenessUpdates, "Staleness of gradients", "staleness [updates]", kFromZero},
    {metrics::kEvaluationSeconds, "Time of an evaluation beside training", "evaluation beside training [s]", kFromZero},
    {metrics::kStalenessLead, "Lead over the slowest worker", "lead at a start [steps]", kFromZero},
    {metrics::kGraphDegree, "Neighbours in the graph", "most neighbours", kFromZero},
    {metrics::kGraphGap, "Spectral gap of the graph", "spectral gap", kFromZero},
    {metrics::kCompressionRatio, "Size of compressed messages", "message ÷ vector", kFromZero},
    {metrics::kCompressionError, "Error of compression", "not sent ÷ to be sent, ‖e‖ ÷ ‖x‖", kFromZero},
    {metrics::kComputedStepMs, "Undisturbed step", "undisturbed step [ms]"},
    {metrics::kHostDown, "Hosts down", "host down (0 or 1)"},
    {metrics::kLinkDown, "Links down", "link down (0 or 1)"},
    {metrics::kClockErrorS, "Clock error", "bound on the clock's error [s]"},
    {metrics::kDeviceClockErrorS, "Clock error of a GPU", "bound on a GPU's clock error [s]"},
    {metrics::kProcessCpu, "CPU of a rank", "busy cores of a rank", kFromZero},
    {metrics::kProcessMemory, "Memory of a rank", "memory of a rank [MB]", kFromZero | kAsMega},
    {metrics::kHostCpu, "CPU of the host", "busy cores, all programs", kFromZero},
    {metrics::kHostMemory, "Memory of the host", "memory in use, all programs [MB]", kFromZero | kAsMega},
    {metrics::kHostSent, "Network out", "sent on the ranks' interface, all programs [MB/s]", kFromZero | kAsMega},
    {metrics::kHostReceived, "Network in", "received on the ranks' interface, all programs [MB/s]",
     kFromZero | kAsMega},
    {kSpansThroughput, "Throughput, from spans", "samples/s", kFromZero},
    {kSpansHidden, "Hidden, from spans", "hidden part of transfers [%]", kFromZero | kShare | kAsPercent},
    {kSpansBlocked, "Blocked, from spans", "blocked part of the time [%]", kFromZero | kShare | kAsPercent},
    {kSpansSkewMs, "Skew, from spans", "skew of an average [ms]", kFromZero},
};

std::optional<MetricWords> knownWordsOf(const std::string& metric) {
    for (const KnownMetric& one : kKnownMetrics) {
        if (metric != one.metric) continue;
        const auto is = [&one](unsigned flag) { return (one.flags & flag) != 0; };
        return MetricWords{.title = QString::fromUtf8(one.title),
                           .axis = QString::fromUtf8(one.axis),
                           .scale = is(kAsPercent) ? 100
                                    : is(kAsMega)  ? 1e-6
                                                   : 1,
                           .logY = is(kLog),
                           .fromZero = is(kFromZero),
                           .share = is(kShare),
                           .smooth = is(kSmooth)};
    }
    return std::nullopt;
}

// "_ms" → " [ms]".
QString withUnit(const QString& name) {
    constexpr std::array<std::pair<const char*, const char*>, 6> kUnits{{{"_ms", " [ms]"},
                                                                         {"_s", " [s]"},
                                                                         {"_bytes", " [bytes]"},
                                                                         {"_percent", " [%]"},
                                                                         {"_steps", " [steps]"},
                                                                         {"_celsius", " [°C]"}}};
    for (const auto& [suffix, unit] : kUnits) {
        const QLatin1String end(suffix);
        if (name.endsWith(end))
            return name.chopped(end.size()).replace(QLatin1Char('_'), QLatin1Char(' ')) + QString::fromUtf8(unit);
    }
    return QString(name).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString capital(QString text) {
    if (!text.isEmpty()) text[0] = text[0].toUpper();
    return text;
}

MetricWords madeOf(const std::string& metric) {
    const auto after = [&](const char* prefix) {
        return metric.starts_with(prefix)
                   ? std::optional(QString::fromStdString(metric.substr(std::string(prefix).size())))
                   : std::nullopt;
    };
    QString axis;
    if (const auto bytes = after(metrics::kProbeAllReduceMs)) {
        axis = QStringLiteral("all-reduce of %1 bytes [ms]").arg(*bytes);
    } else if (const auto ofOne = after(metrics::kProbeAllGatherMs)) {
        axis = QStringLiteral("all-gather of %1 bytes [ms]").arg(*ofOne);
    } else if (const auto parameter = after(metrics::kProbeGradientBeforeEndMs)) {
        axis = QStringLiteral("gradient of %1 before the end [ms]").arg(*parameter);
    } else if (const auto number = after(metrics::kWeight)) {
        axis = QStringLiteral("weight %1").arg(*number);
    } else if (const auto own = after(metrics::kAlgorithm)) {
        axis = withUnit(*own);
    } else {
        axis = withUnit(QString::fromStdString(metric).replace(QLatin1Char('/'), QLatin1Char(' ')));
    }
    return {.title = capital(axis.section(QStringLiteral(" ["), 0, 0)), .axis = axis};
}

std::size_t placeOf(const std::string& metric) {
    static const std::vector<std::string> kFirst{
        metrics::kEvalAccuracy,      metrics::kEvalLoss,       metrics::kEvalPerplexity,
        metrics::kTrainLoss,         metrics::kSamplesPerS,    metrics::kTrainStepMs,
        metrics::kConsensusDistance, metrics::kStalenessSteps, metrics::kEvalReplicaAccuracy};
    const auto first = std::find(kFirst.begin(), kFirst.end(), metric);
    if (first != kFirst.end()) return static_cast<std::size_t>(first - kFirst.begin());
    const bool weight = metric.starts_with(metrics::kWeight);
    const bool own = metric.starts_with(metrics::kAlgorithm);
    return kFirst.size() + (weight ? 2 : own ? 1 : 0);
}

}  // namespace

MetricWords wordsOf(const std::string& metric) {
    const auto known = knownWordsOf(metric);
    MetricWords words = known ? *known : madeOf(metric);
    words.byRank = !metrics::isOfWholeRun(metric);
    return words;
}

QString whose(const std::string& metric, int rank) {
    const bool host = metrics::isOfHost(metric);
    if (rank < 0) return host ? QStringLiteral("host") : QStringLiteral("all ranks");
    return (host ? QStringLiteral("host of rank %1") : QStringLiteral("rank %1")).arg(rank);
}

std::vector<std::string> offered(std::vector<std::string> metrics) {
    QCollator order{QLocale(QLocale::English)};
    order.setNumericMode(true);
    std::sort(metrics.begin(), metrics.end(), [&order](const std::string& a, const std::string& b) {
        if (placeOf(a) != placeOf(b)) return placeOf(a) < placeOf(b);
        return order.compare(QString::fromStdString(a), QString::fromStdString(b)) < 0;
    });
    return metrics;
}

}  // namespace dasgd::gui
