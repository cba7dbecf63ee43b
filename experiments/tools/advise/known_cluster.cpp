#include "experiments/tools/advise/known_cluster.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/schema/units.h"
#include "core/sim/compute/jitter.h"
#include "experiments/config/document.h"

namespace dasgd::experiments {

namespace {

std::vector<double> numbersAt(const Value& resolved, std::string_view section, std::string_view key) {
    std::vector<double> numbers;
    const auto* array = valueAt<Value::Array>(resolved, section, key);
    if (!array) return numbers;
    for (const Value& each : *array) {
        if (const auto* number = each.as<double>()) numbers.push_back(*number);
    }
    return numbers;
}

double meanFactor(const std::vector<double>& factors, int workers) {
    if (factors.empty()) return 1;
    double sum = 0;
    for (int rank = 0; rank < workers; ++rank) sum += factors[static_cast<std::size_t>(rank) % factors.size()];
    return sum / workers;
}

// The quantity that a field of the network names with its unit; fields are checked before.
double quantityAt(const Value& resolved, std::string_view key, Result<double> (*parse)(const std::string&)) {
    const auto* text = valueAt<std::string>(resolved, "network", key);
    const auto parsed = text ? parse(*text) : Result<double>(0);
    return parsed ? *parsed : 0;
}

void takeStep(const Value& resolved, double computedStepSeconds, ClusterFacts& facts) {
    if (valueAt<Value::Table>(resolved, "compute", "straggler")) return;
    facts.stepSeconds = computedStepSeconds * meanFactor(numbersAt(resolved, "compute", "rank_factors"), facts.workers);
    const auto* jitter = valueAt<std::string>(resolved, "compute", "jitter");
    auto spec = jitter ? JitterSpec::parse(*jitter) : Result<JitterSpec>(JitterSpec{});
    if (!spec) return;
    spec->quantiles = numbersAt(resolved, "compute", "jitter_samples");
    facts.jitter = spec->deviation();
}

// The slowest of the hosts' links bounds a collective.
LinkCost linkOfStar(const Value& resolved) {
    const auto factors = numbersAt(resolved, "network", "bandwidth_factors");
    const double least = factors.empty() ? 1 : *std::ranges::min_element(factors);
    const auto* efficiency = valueAt<double>(resolved, "network", "efficiency");
    const double bandwidth = quantityAt(resolved, "bandwidth", parseBandwidth) * least * (efficiency ? *efficiency : 1);
    const double reduces = quantityAt(resolved, "reduce_rate", parseRate);
    return {.alpha = quantityAt(resolved, "latency", parseLatency),
            .beta = bandwidth > 0 ? 1 / bandwidth : 0,
            .rho = reduces > 0 ? 1 / reduces : 0};
}

std::optional<AllReduceKind> allReduceOf(const Value& resolved) {
    const auto* name = valueAt<std::string>(resolved, "network", "collective");
    const auto method = allReduceMethodNamed(name ? *name : "ring");
    if (!method) return std::nullopt;
    const auto* group = valueAt<std::int64_t>(resolved, "network", "group_size");
    const auto* servers = valueAt<std::int64_t>(resolved, "network", "servers");
    return AllReduceKind{.method = *method,
                         .groupSize = group ? static_cast<int>(*group) : 1,
                         .servers = servers ? static_cast<int>(*servers) : 1};
}

}  // namespace

void takeKnown(const Value& resolved, std::optional<double> computedStepSeconds, ClusterFacts& facts) {
    if (const auto* contention = valueAt<double>(resolved, "compute", "contention")) facts.contention = *contention;
    const auto* memory = valueAt<std::string>(resolved, "compute", "memory_bandwidth");
    if (const auto rate = memory ? parseRate(*memory) : Result<double>(0); rate && *rate > 0) {
        facts.memoryBytesPerSecond = *rate;
    }
    if (computedStepSeconds) takeStep(resolved, *computedStepSeconds, facts);
    facts.allReduce = allReduceOf(resolved);
    const auto* topology = valueAt<std::string>(resolved, "network", "name");
    if (!topology || *topology != "star") return;
    facts.link = linkOfStar(resolved);
    // Traffic of others slows collectives by what only a simulation tells.
    if (valueAt<Value::Table>(resolved, "network", "background") || !facts.allReduce) return;
    facts.reduceSeconds = allReduceByFormula(facts, facts.bytes, facts.workers);
}

}  // namespace dasgd::experiments
