#include "core/analysis/runs/scaling.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "core/base/schema/units.h"

namespace dasgd {

namespace {

std::int64_t wholeNumber(const Settings& settings, const char* key) {
    const auto found = settings.find(key);
    std::int64_t number = 0;
    if (found != settings.end()) {
        std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
    }
    return number;
}

// Nine digits, so that times that were divided and printed compare equal again.
std::string rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

// The value of a setting in a form that is the same at any number of workers that share the work.
std::string sharedOut(const std::string& name, const std::string& value, const Settings& settings) {
    const std::int64_t batch = wholeNumber(settings, "train.batch_size");
    if (batch <= 0) return value;
    if (name == "train.batch_size") return std::to_string(batch * wholeNumber(settings, "cluster.workers")) + " in all";
    if (name != "compute.step_time") return value;
    const auto given = parseDuration(value);
    return given ? rounded(*given / static_cast<double>(batch)) + " a sample" : value;
}

void add(std::vector<double>& values, const std::optional<double>& value) {
    if (value) values.push_back(*value);
}

// The newest run for each number of workers and choice of seeds, sorted by them.
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
    if (run.samplesPerS || !run.stepMs || !(*run.stepMs > 0)) return run.samplesPerS;
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
        if (run.reachedTarget) ++point.reached;
    }
    const auto sampleOfTimes = runs.front().timeSimulated ? summariseTimes : summarise;  // all of a line or none
    point.stepMs = sampleOfTimes(stepMs);
    point.samplesPerS = sampleOfTimes(samplesPerS);
    point.hidden = sampleOfTimes(hidden);
    point.secondsToTarget = sampleOfTimes(secondsToTarget);
    return point;
}

const std::vector<MetricAtStep>& judgedBy(const Target& target, const RunTimes& times) {
    return target.metric == Target::Metric::Accuracy ? times.accuracies : times.losses;
}

Sample divided(Sample sample, double by) {
    sample.mean /= by;
    if (sample.std) *sample.std /= by;
    if (sample.confidence) *sample.confidence /= by;
    return sample;
}

// Speed-up with the scatter of both: the base was measured too, and scatters as every point does.
Sample speedUpOf(const ScalingPoint& point, const ScalingPoint& base) {
    const Sample ratio = ratioOf(point.samplesPerS, base.samplesPerS);
    return &point == &base ? withoutSpread(ratio) : ratio;
}

}  // namespace

LinePlace placeOf(const Settings& settings) {
    const std::int64_t accumulated = std::max<std::int64_t>(1, wholeNumber(settings, "train.accumulate"));
    LinePlace place{.seeds = seedsOf(settings), .batch = accumulated * wholeNumber(settings, "train.batch_size")};
    for (const auto& [name, value] : configurationOf(settings)) {
        if (name == "cluster.workers") continue;
        const std::string shared = sharedOut(name, value, settings);
        if (name == "compute.step_time" && shared != value) place.sharesStepTime = true;
        place.weak += name + "=" + value + "\n";
        place.strong += name + "=" + shared + "\n";
    }
    return place;
}

std::string workloadOf(const Settings& settings) {
    std::string work;
    for (const auto& [key, value] : configurationOf(settings)) {
        const std::string section = key.substr(0, key.find('.'));
        if (section == "cluster" || section == "network" || section == "compute" || section == "faults" ||
            section == "record" || key == "train.batch_size" || key == "train.accumulate") {
            continue;
        }
        work += key + "=" + value + "\n";
    }
    return work;
}

bool Target::reachedBy(double evaluated) const {
    return metric == Metric::Accuracy ? evaluated >= value : evaluated <= value;
}

std::string Target::inWords() const {
    char text[64];
    std::snprintf(text, sizeof text, metric == Metric::Accuracy ? "accuracy ≥ %.6g" : "loss ≤ %.6g", value);
    return text;
}

std::optional<Target> targetOf(const Settings& settings) {
    for (const auto& [key, metric] : {std::pair("train.target_accuracy", Target::Metric::Accuracy),
                                      std::pair("train.target_loss", Target::Metric::Loss)}) {
        const auto found = settings.find(key);
        const double value = found == settings.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
        if (value > 0) return Target{.metric = metric, .value = value};
    }
    return std::nullopt;
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

std::optional<double> secondsTo(const Target& target, const RunTimes& times) {
    const MetricAtStep* first = firstReaching(target, judgedBy(target, times));
    return first ? first->seconds : std::nullopt;
}

bool reaches(const Target& target, const RunTimes& times) {
    return firstReaching(target, judgedBy(target, times)) != nullptr;
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
    const auto timed = [](const ScalingPoint& point) { return point.samplesPerS.n > 0 && point.samplesPerS.mean > 0; };
    const auto base = std::find_if(points.begin(), points.end(), timed);
    // With one number of workers there is nothing to compare.
    if (std::count_if(points.begin(), points.end(), timed) < 2) return points;
    const double baseWorkers = base->workers;
    for (ScalingPoint& point : points) {
        if (point.samplesPerS.n == 0) continue;
        point.speedUp = speedUpOf(point, *base);
        point.efficiency = divided(point.speedUp, point.workers / baseWorkers);
    }
    return points;
}

std::optional<UnequalStarts> unequalStarts(const std::vector<const std::vector<ScalingPoint>*>& lines) {
    constexpr double kEqual = 0.98;
    const auto startOf = [&](std::size_t i) -> const ScalingPoint* {
        // A point has an efficiency where its line has another one to be compared with.
        const auto found =
            std::ranges::find_if(*lines[i], [](const ScalingPoint& point) { return point.efficiency.n > 0; });
        return found == lines[i]->end() ? nullptr : &*found;
    };
    std::optional<UnequalStarts> widest;
    for (std::size_t a = 0; a < lines.size(); ++a) {
        for (std::size_t b = 0; b < lines.size(); ++b) {
            const ScalingPoint *slow = startOf(a), *fast = startOf(b);
            if (!slow || !fast || slow->workers != fast->workers) continue;
            const double share = slow->samplesPerS.mean / fast->samplesPerS.mean;
            if (share >= kEqual) continue;
            // With one seed each, or without any scatter, nothing but the share is known. Few seeds that scatter prove
            // no difference, and just as little that there is none.
            const bool scattered = welchP(slow->samplesPerS, fast->samplesPerS).value_or(0) >= kSignificance;
            if (widest && std::pair(widest->withinScatter, widest->share) <= std::pair(scattered, share)) continue;
            widest = UnequalStarts{
                .slowest = a, .fastest = b, .workers = slow->workers, .share = share, .withinScatter = scattered};
        }
    }
    return widest;
}

}  // namespace dasgd
