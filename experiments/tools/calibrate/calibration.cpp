#include "experiments/tools/calibrate/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/analysis/statistics.h"
#include "core/base/metric_names.h"
#include "core/base/schema/toml_reader.h"
#include "core/cost/cost.h"
#include "core/cost/memory/memory_passes.h"
#include "core/cost/step_time.h"
#include "experiments/base/text.h"
#include "experiments/config/document.h"
#include "experiments/tools/report/run_summary.h"

namespace dasgd::experiments {

namespace {

constexpr std::size_t kMostSpans = 400'000;
constexpr std::size_t kFewestSteps = 3;
constexpr std::size_t kQuantiles = 33;
// A step counts as alone below the first share of overlapped computing, as overlapped from the second on.
constexpr double kAlone = 0.05;
constexpr double kOverlapped = 0.2;

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double overlapOf(const ComputedStep& step) { return step.seconds > 0 ? step.overlapped / step.seconds : 0; }

// Evenly spaced quantiles of a distribution of which `values` were drawn, scaled so that drawing from them has mean 1.
std::vector<double> quantilesOf(std::vector<double> values) {
    std::ranges::sort(values);
    std::vector<double> quantiles;
    for (std::size_t i = 0; i < kQuantiles; ++i) {
        const double place = static_cast<double>(i * (values.size() - 1)) / (kQuantiles - 1);
        const auto below = std::min(static_cast<std::size_t>(place), values.size() - 2);
        quantiles.push_back(
            std::max(0.0, std::lerp(values[below], values[below + 1], place - static_cast<double>(below))));
    }
    double area = 0;
    for (std::size_t i = 1; i < kQuantiles; ++i) area += (quantiles[i - 1] + quantiles[i]) / 2;
    for (double& quantile : quantiles) quantile *= (kQuantiles - 1) / area;
    return quantiles;
}

using ByRank = std::map<int, std::vector<ComputedStep>>;

std::vector<double> secondsOf(const std::vector<ComputedStep>& steps) {
    std::vector<double> seconds;
    for (const ComputedStep& step : steps) seconds.push_back(step.seconds);
    return seconds;
}

// Residual of each step's time after the rank's mean and the mean over the ranks of that step are subtracted. The mean
// over P ranks contains part of each rank's own scatter, so residuals are scaled by √(P/(P−1)).
std::vector<double> ownScatter(const ByRank& ranks) {
    std::map<std::int64_t, std::vector<double>> ofStep;
    for (const auto& [rank, steps] : ranks) {
        const double own = mean(secondsOf(steps));
        for (const ComputedStep& step : steps) ofStep[step.step].push_back(step.seconds / own);
    }
    std::vector<double> scatter;
    for (const auto& [step, factors] : ofStep) {
        if (factors.size() < ranks.size()) continue;
        const double common = ranks.size() > 1 ? mean(factors) : 1;
        const auto count = static_cast<double>(factors.size());
        const double correction = count > 1 ? std::sqrt(count / (count - 1)) : 1;
        for (const double factor : factors) scatter.push_back(1 + (factor - common) * correction);
    }
    return scatter;
}

double deviationOf(const std::vector<double>& values) {
    const double middle = mean(values);
    double sum = 0;
    for (const double value : values) sum += (value - middle) * (value - middle);
    return std::sqrt(sum / static_cast<double>(values.size()));
}

// T − (x − o) = o/(1+κ), summed over the overlapped steps of each rank: `x` their time, `o` the overlapped part of it.
std::optional<double> contentionOf(const ByRank& alone, const ByRank& overlapped) {
    double slowed = 0, undisturbed = 0;
    for (const auto& [rank, steps] : overlapped) {
        const auto own = alone.find(rank);
        if (own == alone.end()) continue;
        const double stepSeconds = mean(secondsOf(own->second));
        for (const ComputedStep& step : steps) {
            slowed += step.overlapped;
            undisturbed += stepSeconds - (step.seconds - step.overlapped);
        }
    }
    if (slowed <= 0) return std::nullopt;
    // Nothing left, or less than nothing by its scatter, is the most of it and not none.
    if (slowed >= undisturbed * (1 + kMostContention)) return kMostContention;
    return std::max(0.0, slowed / undisturbed - 1);
}

// Stretch `i` of kStretches of each rank's steps, which are in order.
constexpr std::size_t kStretches = 8;
ByRank stretchOf(const ByRank& ranks, std::size_t i) {
    ByRank stretch;
    for (const auto& [rank, steps] : ranks) {
        const auto at = [&](std::size_t k) {
            return steps.begin() + static_cast<std::ptrdiff_t>(steps.size() * k / kStretches);
        };
        stretch[rank].assign(at(i), at(i + 1));
    }
    return stretch;
}

bool canBeStretched(const ByRank& ranks) {
    return !ranks.empty() &&
           std::ranges::all_of(ranks, [](const auto& one) { return one.second.size() >= kFewestSteps * kStretches; });
}

// Steps close to each other are slow together, so that their scatter alone would make the interval too narrow.
void takeIntervals(ComputeFit& fit, const ByRank& used, const ByRank& overlapped) {
    if (!canBeStretched(used)) return;
    std::vector<double> steps, contentions;
    for (std::size_t i = 0; i < kStretches; ++i) {
        const ByRank alone = stretchOf(used, i);
        std::vector<double> ofRank;
        for (const auto& [rank, own] : alone) ofRank.push_back(mean(secondsOf(own)));
        steps.push_back(mean(ofRank));
        if (!fit.contention || !canBeStretched(overlapped)) continue;
        if (const auto contention = contentionOf(alone, stretchOf(overlapped, i))) contentions.push_back(*contention);
    }
    fit.stepSpread = summarise(steps).confidence.value_or(0) / fit.stepSeconds;
    if (contentions.size() < kStretches) return;
    const double half = summarise(contentions).confidence.value_or(0);
    fit.contentionInterval = {std::clamp(*fit.contention - half, 0.0, kMostContention),
                              std::clamp(*fit.contention + half, 0.0, kMostContention)};
}

std::size_t countOf(const ByRank& ranks) {
    std::size_t count = 0;
    for (const auto& [rank, steps] : ranks) count += steps.size();
    return count;
}

void dropShort(ByRank& ranks) {
    std::erase_if(ranks, [](const auto& one) { return one.second.size() < kFewestSteps; });
}

}  // namespace

Result<ComputeFit> fitCompute(const std::vector<ComputedStep>& steps) {
    ByRank alone, overlapped, all;
    for (const ComputedStep& step : steps) {
        if (step.step <= kWarmUpSteps) continue;
        all[step.rank].push_back(step);
        if (overlapOf(step) < kAlone) alone[step.rank].push_back(step);
        if (overlapOf(step) >= kOverlapped) overlapped[step.rank].push_back(step);
    }
    for (ByRank* ranks : {&alone, &overlapped, &all}) dropShort(*ranks);
    if (all.empty()) {
        return fail("no rank made " + std::to_string(kFewestSteps) + " whole steps after the first " +
                    std::to_string(kWarmUpSteps) +
                    "; record.trace = \"full\" and more steps are needed; steps with an evaluation, a checkpoint or "
                    "record.profile do not count");
    }
    const bool separate = alone.size() == all.size();
    ComputeFit fit{.aloneSteps = separate ? countOf(alone) : 0, .overlapped = countOf(overlapped)};
    if (separate) fit.contention = contentionOf(alone, overlapped);
    const ByRank& used = separate ? alone : all;
    std::vector<double> ofRank, backward;
    for (const auto& [rank, own] : used) {
        ofRank.push_back(mean(secondsOf(own)));
        for (const ComputedStep& step : own) backward.push_back(step.backward / step.seconds);
    }
    fit.stepSeconds = mean(ofRank);
    takeIntervals(fit, used, overlapped);
    fit.backwardShare = mean(backward);
    for (const double seconds : ofRank) fit.rankFactors.push_back(seconds / fit.stepSeconds);
    if (const auto scatter = ownScatter(used); scatter.size() >= kFewestSteps) {
        fit.jitterDeviation = deviationOf(scatter);
        fit.jitter = quantilesOf(scatter);
    }
    return fit;
}

namespace {

// "probe/all_reduce_ms/1048576": its kind and its bytes, or nothing.
struct ProbeName {
    TimedCollective::Kind kind{};
    double bytes = 0;
};
std::optional<ProbeName> probeName(std::string_view name) {
    constexpr std::string_view kReduce = metrics::kProbeAllReduceMs, kGather = metrics::kProbeAllGatherMs;
    const bool reduce = name.starts_with(kReduce);
    if (!reduce && !name.starts_with(kGather)) return std::nullopt;
    return ProbeName{reduce ? TimedCollective::Kind::AllReduce : TimedCollective::Kind::AllGather,
                     std::stod(std::string(name.substr(reduce ? kReduce.size() : kGather.size())))};
}

// Median over the repetitions of the time of the rank that arrived last, which did not wait.
double secondsOfTransfer(const std::vector<storage::MetricSample>& samples) {
    std::map<int, std::vector<double>> ofRank;
    for (const auto& sample : samples) ofRank[sample.rank].push_back(sample.value);
    std::vector<double> last;
    for (const auto& [rank, values] : ofRank) {
        last.resize(std::max(last.size(), values.size()), std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < values.size(); ++i) last[i] = std::min(last[i], values[i]);
    }
    return median(last) * 1e-3;
}

Result<std::vector<TimedCollective>> probedTransfers(storage::MetricReader& reader, Calibration& calibration) {
    DASGD_ASSIGN(const auto names, reader.names(calibration.runId));
    std::vector<TimedCollective> timed;
    for (const std::string& name : names) {
        const auto probe = probeName(name);
        if (!probe) continue;
        DASGD_ASSIGN(const auto answer, reader.samples({.runId = calibration.runId, .name = name}));
        timed.push_back({probe->kind, probe->bytes, secondsOfTransfer(answer.samples)});
    }
    return timed;
}

// Transfers of an ordinary run, each from the last rank's arrival to the last rank's end.
std::vector<TimedCollective> recordedTransfers(const std::vector<storage::SpanRow>& spans, int workers) {
    struct Seen {
        Ns arrived = 0, ended = 0;
        double bytes = 0;
        int ranks = 0;
    };
    std::map<std::uint64_t, Seen> collectives;
    for (const auto& [rank, span] : spans) {
        // A transfer begins at the last arrival; of undivided reduces the latest start is that.
        const bool moves = span.kind == SpanKind::Transfer || span.kind == SpanKind::Reduce;
        if (!moves || span.collective == 0) continue;
        Seen& seen = collectives[span.collective];
        seen.arrived = std::max(seen.arrived, span.start);
        seen.ended = std::max(seen.ended, span.end);
        seen.bytes = static_cast<double>(span.bytes);
        ++seen.ranks;
    }
    std::map<double, std::vector<double>> ofSize;
    for (const auto& [number, seen] : collectives) {
        if (seen.ranks == workers && seen.ended > seen.arrived) {
            ofSize[seen.bytes].push_back(static_cast<double>(seen.ended - seen.arrived) * 1e-9);
        }
    }
    std::vector<TimedCollective> timed;
    for (const auto& [bytes, seconds] : ofSize) {
        timed.push_back({TimedCollective::Kind::AllReduce, bytes, median(seconds)});
    }
    return timed;
}

// One size says nothing of latency: all of its time is bandwidth then.
Result<LinkFit> linkOf(const std::vector<TimedCollective>& timed, int workers) {
    if (timed.size() > 1) return fitLink(timed, workers);
    const double perRank = 2 * timed.front().bytes * (workers - 1) / workers;
    return LinkFit{.cost = {.beta = timed.front().seconds / perRank}};
}

Result<std::vector<double>> gradientSharesOf(storage::MetricReader& reader, const std::string& runId,
                                             double backwardSeconds) {
    constexpr std::string_view kPrefix = metrics::kProbeGradientBeforeEndMs;
    DASGD_ASSIGN(const auto names, reader.names(runId));
    std::map<std::size_t, double> beforeEnd;
    for (const std::string& name : names) {
        if (!name.starts_with(kPrefix)) continue;
        DASGD_ASSIGN(const auto answer, reader.samples({.runId = runId, .name = name}));
        std::vector<double> values;
        for (const auto& sample : answer.samples) values.push_back(sample.value * 1e-3);
        if (!values.empty()) beforeEnd[std::stoul(name.substr(kPrefix.size()))] = mean(values);
    }
    std::vector<std::size_t> order;
    for (const auto& [slot, seconds] : beforeEnd) order.push_back(slot);
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return beforeEnd[a] > beforeEnd[b]; });
    std::vector<double> shares(beforeEnd.size());
    double left = backwardSeconds;
    for (const std::size_t slot : order) {
        if (slot >= shares.size()) return fail("run " + runId + " lacks a gradient's time; is its record whole?");
        shares[slot] = std::max(0.0, left - beforeEnd[slot]) / backwardSeconds;
        left = std::min(left, beforeEnd[slot]);
    }
    return shares;
}

std::optional<double> memoryOf(const std::vector<storage::SpanRow>& spans) {
    std::vector<double> rates;
    for (const auto& [rank, span] : spans) {
        if (span.kind != SpanKind::Snapshot || span.bytes == 0 || span.end <= span.start) continue;
        const double seconds = static_cast<double>(span.end - span.start) * 1e-9;
        rates.push_back(kPassesOfCopy * static_cast<double>(span.bytes) / seconds);
    }
    if (rates.empty()) return std::nullopt;
    return median(rates);
}

}  // namespace

Result<Calibration> calibrationOf(storage::WorkspaceReader& reader, const std::string& runId) {
    DASGD_ASSIGN(const storage::RunDetail detail, reader.runs().detail(runId));
    Calibration calibration{
        .runId = detail.row.runId, .gitCommit = detail.row.gitCommit, .workers = detail.row.workers};
    calibration.origin = detail.row.timeSimulated ? "time simulated"
                         : detail.linkEmulated    ? "measured, emulated link " + detail.link
                                                  : "measured";
    DASGD_ASSIGN(const Value config, parseToml(detail.row.config, detail.row.runId));
    if (const auto* model = valueAt<std::string>(config, "model", "name")) calibration.model = *model;
    if (const auto* batch = valueAt<std::int64_t>(config, "train", "batch_size")) calibration.batchSize = *batch;
    std::vector<storage::SpanRow> spans;
    DASGD_TRY(reader.spans().each(calibration.runId, [&](const storage::SpanRow& row) {
        spans.push_back(row);
        return spans.size() < kMostSpans;
    }));
    auto compute = fitCompute(computedSteps(spans));
    if (!compute) return fail("run " + calibration.runId + ": " + compute.error().message);
    calibration.compute = std::move(*compute);
    DASGD_ASSIGN(calibration.gradientShares,
                 gradientSharesOf(reader.metrics(), calibration.runId,
                                  calibration.compute.backwardShare * calibration.compute.stepSeconds));
    calibration.memoryBytesPerSecond = memoryOf(spans);
    DASGD_ASSIGN(calibration.timed, probedTransfers(reader.metrics(), calibration));
    if (calibration.timed.empty() && detail.row.algorithm == "probe") {
        return fail("run " + calibration.runId +
                    " ended before it timed an all-reduce; a probe has to make all of its steps");
    }
    if (calibration.timed.empty()) calibration.timed = recordedTransfers(spans, calibration.workers);
    if (calibration.timed.empty() || calibration.workers < 2) return calibration;
    auto link = linkOf(calibration.timed, calibration.workers);
    if (!link) return fail("run " + calibration.runId + ": " + link.error().message);
    calibration.link = *link;
    for (const TimedCollective& timed : calibration.timed) {
        if (timed.kind == TimedCollective::Kind::AllReduce) {
            calibration.bytes = std::max(calibration.bytes, timed.bytes);
        }
    }
    return calibration;
}

std::string doubtOf(const Calibration& calibration) {
    if (!calibration.link) return "";
    // Beyond these deviations of the fit forecasts are wrong. Training uses the longest transfers.
    constexpr double kMostLongestOff = 0.2, kMostWorstOff = 0.5;
    const std::string remedy = "Calibrate again with nothing else running on these machines.";
    const LinkFit& fit = *calibration.link;
    std::string doubt;
    if (fit.longest > kMostLongestOff || fit.worst > kMostWorstOff) {
        doubt = "No link fits these transfers: the fitted one is " + percent(fit.longest) + " off the longest and " +
                percent(fit.worst) + " off the worst. Forecasts take T_m from it and may be off by as much";
        const auto longest = std::ranges::max_element(calibration.timed, {}, &TimedCollective::seconds);
        if (longest != calibration.timed.end() && fit.longest > kMostLongestOff) {
            const bool gathers = longest->kind == TimedCollective::Kind::AllGather;
            const double fitted = gathers ? allGatherSeconds(fit.cost, longest->bytes, calibration.workers)
                                          : ringAllReduceSeconds(fit.cost, longest->bytes, calibration.workers);
            doubt += fitted < longest->seconds
                         ? ": long transfers take longer than forecast, and less of them is hidden"
                         : ": long transfers take less time than forecast";
        }
        doubt += ". " + remedy;
    }
    const std::optional<double>& contention = calibration.compute.contention;
    if (contention && *contention < kMostContention) return doubt;
    return doubt + (doubt.empty() ? "" : " ") +
           (contention ? "Beside a collective hardly anything was computed, or something else had the cores: κ is this "
                         "or more. " +
                             remedy
                       : "How much a collective slows computing down was not seen: forecasts count it as none.");
}

}  // namespace dasgd::experiments
