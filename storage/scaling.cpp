#include "storage/scaling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <tuple>

#include "core/base/units.h"

namespace dasgd::storage {

namespace {

std::int64_t wholeNumber(const Settings& settings, const char* key) {
    const auto found = settings.find(key);
    std::int64_t number = 0;
    if (found != settings.end()) {
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
    }
    return number;
}

// Nine digits: times that were divided and printed compare equal again.
std::string rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

// The value of a setting, said so that it is the same at any number of workers that share the work out.
std::string sharedOut(const std::string& name, const std::string& value, std::int64_t batch, const Settings& settings) {
    if (batch <= 0) return value;
    if (name == "train.batch_size") return std::to_string(batch * wholeNumber(settings, "cluster.workers")) + " in all";
    if (name != "compute.step_time") return value;
    const auto given = parseDuration(value);
    return given ? rounded(*given / static_cast<double>(batch)) + " a sample" : value;
}

Result<std::vector<Evaluation>> evaluations(RunReader& reader, const std::string& runId, const char* metric) {
    DASGD_ASSIGN(const MetricAnswer answer, reader.metrics({.runId = runId, .name = metric}));
    std::vector<Evaluation> values;
    values.reserve(answer.samples.size());
    for (const MetricSample& sample : answer.samples) values.push_back({sample.step, sample.value});
    return values;
}

void add(std::vector<double>& values, const std::optional<double>& value) {
    if (value) values.push_back(*value);
}

// By workers and seeds; of each the newest run.
std::vector<ScalingRun> newestOfEach(std::vector<ScalingRun> runs) {
    std::sort(runs.begin(), runs.end(), [](const ScalingRun& a, const ScalingRun& b) {
        return std::tie(a.workers, a.seeds, b.startedAt, b.runId) < std::tie(b.workers, b.seeds, a.startedAt, a.runId);
    });
    const auto same = [](const ScalingRun& a, const ScalingRun& b) {
        return a.workers == b.workers && a.seeds == b.seeds;
    };
    runs.erase(std::unique(runs.begin(), runs.end(), same), runs.end());
    return runs;
}

std::optional<double> throughput(const ScalingRun& run) {
    if (!run.stepMs || !(*run.stepMs > 0)) return std::nullopt;
    return static_cast<double>(run.batch * run.workers) * 1e3 / *run.stepMs;
}

ScalingPoint pointOf(const std::vector<ScalingRun>& runs) {
    ScalingPoint point{.workers = runs.front().workers, .batch = runs.front().batch};
    std::vector<double> stepMs, samplesPerS, hidden, secondsToTarget;
    for (const ScalingRun& run : runs) {
        point.runIds.push_back(run.runId);
        add(stepMs, run.stepMs);
        add(samplesPerS, throughput(run));
        add(hidden, run.hidden);
        add(secondsToTarget, run.secondsToTarget);
    }
    point.stepMs = summarise(stepMs);
    point.samplesPerS = summarise(samplesPerS);
    point.hidden = summarise(hidden);
    point.secondsToTarget = summarise(secondsToTarget);
    return point;
}

Sample divided(Sample sample, double by) {
    sample.mean /= by;
    if (sample.std) *sample.std /= by;
    if (sample.confidence) *sample.confidence /= by;
    return sample;
}

}  // namespace

const std::set<std::string>& repetitionKeys() {
    static const std::set<std::string> kKeys{"train.seed", "compute.seed", "faults.seed", "network.background.seed"};
    return kKeys;
}

LinePlace placeOf(const Settings& settings) {
    LinePlace place{.batch = wholeNumber(settings, "train.batch_size")};
    for (const auto& [name, value] : settings) {
        if (name.ends_with(".seed")) place.seeds += value + " ";
        if (name == "name" || name == "cluster.workers" || repetitionKeys().contains(name)) continue;
        place.weak += name + "=" + value + "\n";
        place.strong += name + "=" + sharedOut(name, value, place.batch, settings) + "\n";
    }
    return place;
}

std::string Target::inWords() const {
    char text[64];
    std::snprintf(text, sizeof text, metric == Metric::Accuracy ? "accuracy ≥ %.6g" : "loss ≤ %.6g", value);
    return text;
}

Result<Target> parseTarget(const std::string& text) {
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals == std::string::npos || (name != "accuracy" && name != "loss")) {
        return fail("the target is \"" + text + "\"; write accuracy=0.97 or loss=0.1");
    }
    Target target{.metric = name == "loss" ? Target::Metric::Loss : Target::Metric::Accuracy};
    const char* end = text.data() + text.size();
    const auto [stopped, code] = std::from_chars(text.data() + equals + 1, end, target.value);
    if (code != std::errc() || stopped != end || !std::isfinite(target.value)) {
        return fail("the target " + name + " is \"" + text.substr(equals + 1) + "\"; write a number, as " + name +
                    (name == "loss" ? "=0.1" : "=0.97"));
    }
    if (target.metric == Target::Metric::Accuracy && (target.value <= 0 || target.value > 1)) {
        return fail("the target accuracy is " + text.substr(equals + 1) +
                    "; it is a share above 0 and up to 1, as 0.97 for 97 %");
    }
    return target;
}

Result<RunTimes> readRunTimes(RunReader& reader, const std::string& runId) {
    RunTimes times;
    DASGD_ASSIGN(const RunRow row, reader.row(runId));
    times.stepMs = row.stepMs;
    DASGD_ASSIGN(times.accuracies, evaluations(reader, runId, "eval/accuracy"));
    DASGD_ASSIGN(times.losses, evaluations(reader, runId, "eval/loss"));
    return times;
}

std::optional<double> secondsTo(const Target& target, const RunTimes& times) {
    const bool rising = target.metric == Target::Metric::Accuracy;
    std::optional<std::int64_t> first;
    for (const Evaluation& evaluation : rising ? times.accuracies : times.losses) {
        const bool reached = rising ? evaluation.value >= target.value : evaluation.value <= target.value;
        if (reached && (!first || evaluation.step < *first)) first = evaluation.step;
    }
    if (!first || !times.stepMs) return std::nullopt;
    return static_cast<double>(*first) * *times.stepMs * 1e-3;
}

ScalingRun scalingRun(const RunRow& row, const LinePlace& place, const RunTimes& times,
                      const std::optional<Target>& target) {
    return {.runId = row.runId,
            .startedAt = row.startedAt,
            .seeds = place.seeds,
            .workers = row.workers,
            .batch = place.batch,
            .stepMs = times.stepMs,
            .hidden = row.hidden,
            .secondsToTarget = target ? secondsTo(*target, times) : std::nullopt};
}

std::vector<ScalingPoint> scalingPoints(std::vector<ScalingRun> runs) {
    runs = newestOfEach(std::move(runs));
    std::vector<ScalingPoint> points;
    for (auto first = runs.begin(); first != runs.end();) {
        const auto last =
            std::find_if(first, runs.end(), [&](const ScalingRun& run) { return run.workers != first->workers; });
        points.push_back(pointOf({first, last}));
        first = last;
    }
    const auto base = std::find_if(points.begin(), points.end(), [](const ScalingPoint& point) {
        return point.samplesPerS.n > 0 && point.samplesPerS.mean > 0;
    });
    if (base == points.end()) return points;
    const double baseWorkers = base->workers;
    const double baseThroughput = base->samplesPerS.mean;
    for (ScalingPoint& point : points) {
        if (point.samplesPerS.n == 0) continue;
        point.speedUp = divided(point.samplesPerS, baseThroughput);
        point.efficiency = divided(point.speedUp, point.workers / baseWorkers);
    }
    return points;
}

}  // namespace dasgd::storage
