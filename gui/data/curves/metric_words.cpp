#include "gui/data/curves/metric_words.h"

#include <QCollator>
#include <QLocale>
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "core/base/metric_names.h"
#include "gui/data/curves/span_windows.h"

namespace dasgd::gui {

namespace {

const std::map<std::string, MetricWords>& knownMetrics() {
    static const QString ms = QStringLiteral(" [ms]");
    static const std::map<std::string, MetricWords> kWords{
        {metrics::kEvalAccuracy,
         {.title = QStringLiteral("Test accuracy"),
          .axis = QStringLiteral("test accuracy [%]"),
          .scale = 100,
          .share = true}},
        {metrics::kEvalLoss, {.title = QStringLiteral("Test loss"), .axis = QStringLiteral("test loss"), .logY = true}},
        {metrics::kEvalPerplexity,
         {.title = QStringLiteral("Perplexity"), .axis = QStringLiteral("test perplexity"), .logY = true}},
        {metrics::kSkippedFiles,
         {.title = QStringLiteral("Damaged files left out"),
          .axis = QStringLiteral("damaged files or lines left out"),
          .fromZero = true}},
        {metrics::kEvalValidationAccuracy,
         {.title = QStringLiteral("Validation accuracy"),
          .axis = QStringLiteral("validation accuracy [%]"),
          .scale = 100,
          .share = true}},
        {metrics::kEvalValidationLoss,
         {.title = QStringLiteral("Validation loss"), .axis = QStringLiteral("validation loss"), .logY = true}},
        {metrics::kEvalValidationPerplexity,
         {.title = QStringLiteral("Validation perplexity"),
          .axis = QStringLiteral("validation perplexity"),
          .logY = true}},
        {metrics::kEvalChosenAccuracy,
         {.title = QStringLiteral("Test accuracy, chosen on validation"),
          .axis = QStringLiteral("test accuracy of the best on validation [%]"),
          .scale = 100,
          .share = true}},
        {metrics::kEvalChosenLoss,
         {.title = QStringLiteral("Test loss, chosen on validation"),
          .axis = QStringLiteral("test loss of the best on validation"),
          .logY = true}},
        {metrics::kTrainedSeconds,
         {.title = QStringLiteral("Training time"),
          .axis = QStringLiteral("training time, evaluations left out [s]"),
          .fromZero = true}},
        {metrics::kTargetReached,
         {.title = QStringLiteral("Target reached"), .axis = QStringLiteral("value that reached the target")}},
        {metrics::kEvalReplicaAccuracy,
         {.title = QStringLiteral("Replica accuracy"),
          .axis = QStringLiteral("test accuracy of the replicas [%]"),
          .scale = 100,
          .share = true}},
        {metrics::kTrainLoss,
         {.title = QStringLiteral("Training loss"),
          .axis = QStringLiteral("training loss"),
          .logY = true,
          .smooth = true}},
        {metrics::kTrainStepMs,
         {.title = QStringLiteral("Time per step"), .axis = QStringLiteral("time per step") + ms, .fromZero = true}},
        {metrics::kConsensusDistance,
         {.title = QStringLiteral("Consensus distance"),
          .axis = QStringLiteral("consensus distance ⟨‖wᵢ − ⟨w⟩‖²⟩"),
          .logY = true}},
        {metrics::kSamplesPerS,
         {.title = QStringLiteral("Throughput"),
          .axis = QStringLiteral("samples/s"),
          .fromZero = true,
          .smooth = true}},
        {metrics::kRankSamplesPerS,
         {.title = QStringLiteral("Throughput of a rank"),
          .axis = QStringLiteral("samples/s of a rank"),
          .fromZero = true,
          .smooth = true}},
        {metrics::kTimedSteps,
         {.title = QStringLiteral("Timed steps"), .axis = QStringLiteral("steps in clean windows"), .fromZero = true}},
        {metrics::kTimedSeconds,
         {.title = QStringLiteral("Timed seconds"),
          .axis = QStringLiteral("time in clean windows [s]"),
          .fromZero = true}},
        {metrics::kServedSteps,
         {.title = QStringLiteral("Served steps"), .axis = QStringLiteral("steps served"), .fromZero = true}},
        {metrics::kStalenessSteps,
         {.title = QStringLiteral("Staleness"), .axis = QStringLiteral("staleness [steps]"), .fromZero = true}},
        {metrics::kStalenessUpdates,
         {.title = QStringLiteral("Staleness of gradients"),
          .axis = QStringLiteral("staleness [updates]"),
          .fromZero = true}},
        {metrics::kEvaluationSeconds,
         {.title = QStringLiteral("Time of an evaluation beside training"),
          .axis = QStringLiteral("evaluation beside training [s]"),
          .fromZero = true}},
        {metrics::kStalenessLead,
         {.title = QStringLiteral("Lead over the slowest worker"),
          .axis = QStringLiteral("lead at a start [steps]"),
          .fromZero = true}},
        {metrics::kGraphDegree,
         {.title = QStringLiteral("Neighbours in the graph"),
          .axis = QStringLiteral("most neighbours"),
          .fromZero = true}},
        {metrics::kGraphGap,
         {.title = QStringLiteral("Spectral gap of the graph"),
          .axis = QStringLiteral("spectral gap"),
          .fromZero = true}},
        {metrics::kCompressionRatio,
         {.title = QStringLiteral("Size of compressed messages"),
          .axis = QStringLiteral("message ÷ vector"),
          .fromZero = true}},
        {metrics::kCompressionError,
         {.title = QStringLiteral("Error of compression"),
          .axis = QStringLiteral("not sent ÷ to be sent, ‖e‖ ÷ ‖x‖"),
          .fromZero = true}},
        {metrics::kComputedStepMs,
         {.title = QStringLiteral("Undisturbed step"), .axis = QStringLiteral("undisturbed step") + ms}},
        {metrics::kHostDown, {.title = QStringLiteral("Hosts down"), .axis = QStringLiteral("host down (0 or 1)")}},
        {metrics::kLinkDown, {.title = QStringLiteral("Links down"), .axis = QStringLiteral("link down (0 or 1)")}},
        {metrics::kClockErrorS,
         {.title = QStringLiteral("Clock error"), .axis = QStringLiteral("bound on the clock's error [s]")}},
        {metrics::kDeviceClockErrorS,
         {.title = QStringLiteral("Clock error of a GPU"), .axis = QStringLiteral("bound on a GPU's clock error [s]")}},
        {metrics::kProcessCpu,
         {.title = QStringLiteral("CPU of a rank"), .axis = QStringLiteral("busy cores of a rank"), .fromZero = true}},
        {metrics::kProcessMemory,
         {.title = QStringLiteral("Memory of a rank"),
          .axis = QStringLiteral("memory of a rank [MB]"),
          .scale = 1e-6,
          .fromZero = true}},
        {metrics::kHostCpu,
         {.title = QStringLiteral("CPU of the host"),
          .axis = QStringLiteral("busy cores, all programs"),
          .fromZero = true}},
        {metrics::kHostMemory,
         {.title = QStringLiteral("Memory of the host"),
          .axis = QStringLiteral("memory in use, all programs [MB]"),
          .scale = 1e-6,
          .fromZero = true}},
        {metrics::kHostSent,
         {.title = QStringLiteral("Network out"),
          .axis = QStringLiteral("sent on the ranks' interface, all programs [MB/s]"),
          .scale = 1e-6,
          .fromZero = true}},
        {metrics::kHostReceived,
         {.title = QStringLiteral("Network in"),
          .axis = QStringLiteral("received on the ranks' interface, all programs [MB/s]"),
          .scale = 1e-6,
          .fromZero = true}},
        {kSpansThroughput,
         {.title = QStringLiteral("Throughput, from spans"), .axis = QStringLiteral("samples/s"), .fromZero = true}},
        {kSpansHidden,
         {.title = QStringLiteral("Hidden, from spans"),
          .axis = QStringLiteral("hidden part of transfers [%]"),
          .scale = 100,
          .fromZero = true,
          .share = true}},
        {kSpansBlocked,
         {.title = QStringLiteral("Blocked, from spans"),
          .axis = QStringLiteral("blocked part of the time [%]"),
          .scale = 100,
          .fromZero = true,
          .share = true}},
        {kSpansSkewMs,
         {.title = QStringLiteral("Skew, from spans"),
          .axis = QStringLiteral("skew of an average") + ms,
          .fromZero = true}}};
    return kWords;
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
    const auto known = knownMetrics().find(metric);
    MetricWords words = known == knownMetrics().end() ? madeOf(metric) : known->second;
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
