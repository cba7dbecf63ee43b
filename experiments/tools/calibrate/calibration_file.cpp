#include "experiments/tools/calibrate/calibration_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/cost/step_time.h"
#include "experiments/config/document.h"

namespace dasgd::experiments {

namespace {

// Six significant digits: more than any measurement has.
double rounded(double value) {
    if (value == 0 || !std::isfinite(value)) return value;
    const double scale = std::pow(10, 5 - std::floor(std::log10(std::abs(value))));
    return std::round(value * scale) / scale;
}

std::string quantity(double value, const char* unit) {
    char text[48];
    std::snprintf(text, sizeof text, "%.6g%s", value, unit);
    return text;
}

Value numbers(const std::vector<double>& values) {
    Value::Array array;
    for (const double value : values) array.emplace_back(rounded(value));
    return Value(std::move(array));
}

// The bandwidth of a link whose transfers were too short to measure one.
constexpr const char* kAtOnce = "1000000Gbps";

Value computeOf(const Calibration& calibration) {
    const ComputeFit& fit = calibration.compute;
    Value compute;
    compute.set("step_time", Value(quantity(fit.stepSeconds * 1e3, "ms")));
    compute.set("forward_share", Value(rounded(1 - fit.backwardShare)));
    if (!calibration.gradientShares.empty()) compute.set("gradient_shares", numbers(calibration.gradientShares));
    if (calibration.memoryBytesPerSecond) {
        compute.set("memory_bandwidth", Value(quantity(*calibration.memoryBytesPerSecond * 1e-9, "GB/s")));
    }
    compute.set("contention", Value(rounded(fit.contention.value_or(0))));
    if (!fit.jitter.empty()) {
        compute.set("jitter", Value(std::string("samples")));
        compute.set("jitter_samples", numbers(fit.jitter));
    }
    Value uncertainty;
    if (fit.stepSpread) uncertainty.set("step_time", Value(std::min(1.0, rounded(*fit.stepSpread))));
    if (calibration.link) uncertainty.set("exchange", Value(std::min(1.0, rounded(calibration.link->longest))));
    if (const auto& ends = fit.contentionInterval) uncertainty.set("contention", numbers({ends->first, ends->second}));
    if (!uncertainty.as<Value::Table>()->empty()) compute.set("uncertainty", std::move(uncertainty));
    compute.set("rank_factors", numbers(fit.rankFactors));
    return compute;
}

std::string contentionRemark(const std::optional<double>& contention) {
    if (!contention) return "# How much a collective slows computing down was not seen: it counts as nothing.\n";
    if (*contention < kMostContention) return {};
    return "# Contention is the most there is: calibrate again with nothing else running on these machines.\n";
}

}  // namespace

Value networkOf(const LinkCost& link) {
    Value network;
    network.set("name", Value(std::string("star")));
    network.set("bandwidth", Value(link.beta > 0 ? quantity(8e-6 / link.beta, "Mbps") : kAtOnce));
    network.set("latency", Value(quantity(link.alpha * 1e6, "us")));
    network.set("collective", Value(std::string("ring")));
    network.set("reduce_rate", Value(quantity(link.rho > 0 ? 1e-9 / link.rho : 0, "GB/s")));
    return network;
}

Value virtualCluster(std::int64_t workers) {
    Value sections;
    put(sections, "cluster", "backend", Value(std::string("virtual")));
    put(sections, "cluster", "workers", Value(workers));
    return sections;
}

Value calibratedCluster(const Calibration& calibration) {
    Value sections = virtualCluster(calibration.workers);
    if (calibration.link) sections.set("network", networkOf(calibration.link->cost));
    sections.set("compute", computeOf(calibration));
    return sections;
}

std::string calibrationDocument(const Calibration& calibration) {
    return "# A cluster as run " + calibration.runId + " found it, with " + calibration.model + " and a batch of " +
           std::to_string(calibration.batchSize) +
           " samples a worker.\n# Use it: dasgd run FILE.toml --calibration THIS\n" +
           contentionRemark(calibration.compute.contention) +
           (calibration.gitCommit.empty() ? "" : "# commit " + calibration.gitCommit + "\n") +
           toTomlDocument(calibratedCluster(calibration));
}

}  // namespace dasgd::experiments
