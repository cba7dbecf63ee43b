#include "experiments/tools/report/scaling_plan.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>

#include "core/base/schema/units.h"
#include "experiments/base/text.h"
#include "experiments/config/schema.h"

namespace dasgd::experiments {

namespace {

constexpr int kMostCounts = 4096;

Error wrongCounts(const std::string& list, const std::string& why) {
    return {"--workers " + list + ": " + why + "; write them as 1,2,4,8 or 1,2,...,1024"};
}

std::optional<int> wholeNumber(std::string_view text) {
    int number = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::vector<std::string> partsOf(const std::string& list) {
    std::vector<std::string> parts(1);
    for (const char c : list) {
        if (c == ',') {
            parts.emplace_back();
        } else if (c != ' ') {
            parts.back() += c;
        }
    }
    return parts;
}

// The numbers from counts.back() to `last`, by the ratio of the two newest; false where the row misses `last`.
bool extendByRatio(std::vector<int>& counts, int last) {
    if (counts.size() < 2) return false;
    const int before = counts[counts.size() - 2];
    const int ratio = counts.back() / before;
    if (ratio < 2 || counts.back() % before != 0) return false;
    while (counts.back() < last && counts.back() <= last / ratio) counts.push_back(counts.back() * ratio);
    return counts.back() == last;
}

const Value* childOf(const Value& document, const char* section, const char* key) {
    const Value* table = document.find(section);
    return table && table->isTable() ? table->find(key) : nullptr;
}

// Leaves what is no table for readExperiment() to refuse.
void assign(Value& document, const char* section, const char* key, Value::Data data) {
    if (!document.find(section)) document.set(section, Value());
    Value* table = document.find(section);
    if (!table->isTable()) return;
    const Value* old = table->find(key);
    Value value(std::move(data), old ? old->position() : SourcePosition{});
    if (old) value.setKeyPosition(old->keyPosition());
    table->set(key, std::move(value));
}

// The smallest batch from `batch` on that all counts divide, as that of each of `smallest` workers.
std::int64_t nextBatch(std::int64_t batch, const std::vector<int>& counts) {
    std::int64_t step = 1;
    for (const int count : counts) step = std::lcm(step, std::int64_t{count / std::gcd(count, counts.front())});
    return (batch + step - 1) / step * step;
}

Result<std::int64_t> sharedBatch(const Value& document, int workers, const std::vector<int>& counts,
                                 std::int64_t batch) {
    const std::int64_t all = batch * counts.front();
    if (all % workers == 0) return all / workers;
    const Value* given = childOf(document, "train", "batch_size");
    return fail((given ? given->position().prefix() : std::string()) + "strong scaling shares the " +
                std::to_string(all) + " samples of a step (batch_size " + std::to_string(batch) + " at " +
                std::to_string(counts.front()) + (counts.front() == 1 ? " worker" : " workers") + ") out evenly, and " +
                std::to_string(workers) + " workers do not divide them; leave " + std::to_string(workers) +
                " out, or take batch_size " + std::to_string(nextBatch(batch, counts)) + ", which all of --workers do");
}

// "5ms" for batch 32 → "2.5ms" for 16.
std::string scaledTime(const std::string& time, std::int64_t batch, std::int64_t ofBatch) {
    double number = 0;
    const auto [unit, code] = std::from_chars(time.data(), time.data() + time.size(), number);
    return csvNumber(number * static_cast<double>(batch) / static_cast<double>(ofBatch)) +
           std::string(unit, time.data() + time.size());
}

std::string labelAt(const ExpandedExperiment& experiment, int workers) {
    return (experiment.label.empty() ? "" : experiment.label + ", ") + "cluster.workers=" + std::to_string(workers);
}

// Seeds of a configuration are refused together: the first says why.
void addRefusal(ScalingPlan& plan, ScalingRefusal refusal) {
    const bool known = std::ranges::any_of(plan.refused, [&](const ScalingRefusal& other) {
        return other.workers == refusal.workers && other.configuration == refusal.configuration;
    });
    if (!known) plan.refused.push_back(std::move(refusal));
}

}  // namespace

Result<std::vector<int>> parseWorkerCounts(const std::string& list) {
    std::vector<int> counts;
    bool open = false;  // an ellipsis waits for its end
    for (const std::string& part : partsOf(list)) {
        if (part == "..." || part == "…") {
            if (open) return tl::unexpected(wrongCounts(list, "two ellipses in a row"));
            open = true;
            continue;
        }
        const auto dots = part.find("..");
        const auto first = wholeNumber(part.substr(0, dots));
        const auto last = dots == std::string::npos ? first : wholeNumber(part.substr(dots + 2));
        if (!first || !last) return tl::unexpected(wrongCounts(list, "\"" + part + "\" is no whole number"));
        if (*first < 1) return tl::unexpected(wrongCounts(list, "there must be at least 1 worker"));
        if (*last < *first || *last > kMostCounts) {
            return tl::unexpected(wrongCounts(list, part + " must rise, up to at most " + std::to_string(kMostCounts)));
        }
        if (open && !extendByRatio(counts, *first)) {
            return tl::unexpected(wrongCounts(list, "the row before the ellipsis does not lead to " + part));
        }
        open = false;
        for (int count = *first; count <= *last; ++count) counts.push_back(count);
    }
    if (open) return tl::unexpected(wrongCounts(list, "the ellipsis has no end"));
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

Result<Value> atWorkers(const Value& document, int workers, const std::vector<int>& counts, Scaling scaling) {
    Value scaled = document;
    assign(scaled, "cluster", "workers", std::int64_t{workers});
    if (scaling == Scaling::Weak) return scaled;
    const Value* given = childOf(document, "train", "batch_size");
    if (given && !given->as<std::int64_t>()) return scaled;
    const std::int64_t batch =
        given ? *given->as<std::int64_t>() : wholeNumber(defaultOf("train", "batch_size")).value_or(0);
    if (batch < 1) return scaled;
    DASGD_ASSIGN(const std::int64_t share, sharedBatch(document, workers, counts, batch));
    assign(scaled, "train", "batch_size", share);
    const Value* time = childOf(document, "compute", "step_time");
    const std::string* text = time ? time->as<std::string>() : nullptr;
    if (text && parseDuration(*text)) assign(scaled, "compute", "step_time", scaledTime(*text, share, batch));
    return scaled;
}

Result<ScalingPlan> planScaling(const std::string& file, const Overrides& overrides, const std::vector<int>& counts,
                                Scaling scaling) {
    DASGD_ASSIGN(const Value document, readExperimentFile(file, overrides));
    DASGD_ASSIGN(const std::vector<ExpandedExperiment> base, expandExperiments(document, overrides));
    reportDropped(base);
    std::vector<ExpandedExperiment> scaled;
    for (const int workers : counts) {
        for (const ExpandedExperiment& experiment : base) {
            DASGD_ASSIGN(Value at, atWorkers(experiment.document, workers, counts, scaling));
            scaled.push_back({std::move(at), labelAt(experiment, workers)});
        }
    }
    std::vector<Result<CheckedExperiment>> checked = checkEach(scaled);
    ScalingPlan plan;
    std::vector<std::string> lines;
    std::vector<std::optional<std::size_t>> lineOf(base.size());
    // A sweep of the file over workers or batches may lead to one and the same run several times.
    std::set<std::string> taken;
    for (std::size_t i = 0; i < checked.size(); ++i) {
        if (!checked[i]) continue;
        CheckedExperiment& experiment = *checked[i];
        LinePlace place = placeOf(settingsOf(experiment.resolved));
        const auto known = std::find(lines.begin(), lines.end(), place.key(scaling));
        const auto line = static_cast<std::size_t>(known - lines.begin());
        if (known == lines.end()) {
            lines.push_back(place.key(scaling));
            plan.configurations.push_back(experiment);
        }
        lineOf[i % base.size()] = line;
        if (!taken.insert(toTomlDocument(experiment.resolved)).second) continue;
        plan.jobs.push_back({std::move(experiment), std::move(place), line});
    }
    for (std::size_t i = 0; i < checked.size(); ++i) {
        if (checked[i]) continue;
        const auto line = lineOf[i % base.size()];
        if (!line) return tl::unexpected(checked[i].error());
        addRefusal(plan, {counts[i / base.size()], *line, checked[i].error().message});
    }
    return plan;
}

}  // namespace dasgd::experiments
