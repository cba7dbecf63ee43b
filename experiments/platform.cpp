#include "experiments/platform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

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

// Of a link whose transfers were too short to tell a bandwidth from.
constexpr const char* kAtOnce = "1000000Gbps";

Value networkOf(const LinkCost& link) {
    Value network;
    network.set("name", Value(std::string("star")));
    network.set("bandwidth", Value(link.beta > 0 ? quantity(8e-6 / link.beta, "Mbps") : kAtOnce));
    network.set("latency", Value(quantity(link.alpha * 1e6, "us")));
    network.set("collective", Value(std::string("ring")));
    network.set("reduce_rate", Value(quantity(link.rho > 0 ? 1e-9 / link.rho : 0, "GB/s")));
    return network;
}

Value computeOf(const Calibration& calibration) {
    const ComputeFit& fit = calibration.compute;
    Value compute;
    compute.set("step_time", Value(quantity(fit.stepSeconds * 1e3, "ms")));
    compute.set("forward_share", Value(rounded(1 - fit.backwardShare)));
    if (!calibration.gradientShares.empty()) compute.set("gradient_shares", numbers(calibration.gradientShares));
    if (calibration.memoryBytesPerSecond) {
        compute.set("memory_bandwidth", Value(quantity(*calibration.memoryBytesPerSecond * 1e-9, "GB/s")));
    }
    compute.set("contention", Value(rounded(fit.contention)));
    if (!fit.jitter.empty()) {
        compute.set("jitter", Value(std::string("samples")));
        compute.set("jitter_samples", numbers(fit.jitter));
    }
    compute.set("rank_factors", numbers(fit.rankFactors));
    return compute;
}

// Cases are laid over the document afterwards, and would be laid over the platform.
Status checkCases(const Value& document) {
    const Value* found = document.find("case");
    const auto* cases = found ? found->as<Value::Array>() : nullptr;
    if (!cases) return {};
    for (const Value& one : *cases) {
        if (!one.isTable()) continue;
        for (const auto& [name, section] : *one.as<Value::Table>()) {
            const bool ofPlatform =
                name == "network" || name == "compute" ||
                (name == "cluster" && section.isTable() && (section.find("backend") || section.find("link")));
            if (!ofPlatform) continue;
            return fail(section.keyPosition().prefix() + "this case has a " + name +
                        " of its own, and --platform puts every case onto one cluster: take it out of the case, or "
                        "leave --platform out");
        }
        DASGD_TRY(checkCases(one));
    }
    return {};
}

}  // namespace

Value platformOf(const Calibration& calibration) {
    Value cluster;
    cluster.set("backend", Value(std::string("virtual")));
    cluster.set("workers", Value(static_cast<std::int64_t>(calibration.workers)));
    Value platform;
    platform.set("cluster", std::move(cluster));
    if (calibration.link) platform.set("network", networkOf(calibration.link->cost));
    platform.set("compute", computeOf(calibration));
    return platform;
}

std::string platformDocument(const Calibration& calibration) {
    return "# A cluster as run " + calibration.runId + " found it, with " + calibration.model + " and a batch of " +
           std::to_string(calibration.batchSize) +
           " samples a worker.\n# Use it: dasgd run FILE.toml --platform THIS\n" +
           (calibration.gitCommit.empty() ? "" : "# commit " + calibration.gitCommit + "\n") +
           toTomlDocument(platformOf(calibration));
}

Status applyPlatform(Value& document, const Value& platform) {
    constexpr std::array<std::string_view, 3> kSections{"cluster", "network", "compute"};
    for (const auto& [name, section] : *platform.as<Value::Table>()) {
        if (std::ranges::find(kSections, name) != kSections.end() && section.isTable()) continue;
        return fail(section.keyPosition().prefix() + "'" + name +
                    "' has no place in a platform, which has the tables cluster, network and compute");
    }
    DASGD_TRY(checkCases(document));
    Value cluster = document.find("cluster") ? *document.find("cluster") : Value();
    if (!cluster.isTable()) return cluster.error("cluster must be a table");
    cluster.erase("link");
    if (const Value* given = platform.find("cluster")) {
        const Value* backend = given->find("backend");
        const auto* name = backend ? backend->as<std::string>() : nullptr;
        if (name && *name != "virtual") {
            return backend->error("a platform is a virtual cluster; its backend is \"" + *name + "\"");
        }
        const Value* workers = given->find("workers");
        if (workers && !cluster.find("workers")) cluster.set("workers", *workers);
    }
    if (!platform.find("network")) {
        return platform.error(
            "a platform needs a [network]; write one, or take the platform of a run that communicates: dasgd calibrate "
            "FILE -o platform.toml");
    }
    cluster.set("backend", Value(std::string("virtual")));
    document.set("cluster", std::move(cluster));
    for (const char* section : {"network", "compute"}) {
        document.erase(section);
        if (const Value* given = platform.find(section)) document.set(section, *given);
    }
    return {};
}

}  // namespace dasgd::experiments
