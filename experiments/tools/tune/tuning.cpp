#include "experiments/tools/tune/tuning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "core/analysis/runs/configuration.h"
#include "experiments/config/document.h"
#include "experiments/config/plugin_fields.h"

namespace dasgd::experiments {

namespace {

// Most candidates of a grid: beyond that it is a mistake, or more than anybody waits for.
constexpr std::size_t kMostCandidates = 10'000;
const std::vector<std::string> kSeedPath{"train", "seed"};

std::vector<std::vector<Value>> gridOf(const std::vector<SweepAxis>& axes) {
    std::vector<std::vector<Value>> grid{{}};
    for (const SweepAxis& axis : axes) {
        std::vector<std::vector<Value>> next;
        for (const auto& point : grid) {
            for (const Value& value : axis.values) {
                next.push_back(point);
                next.back().push_back(value);
            }
        }
        grid = std::move(next);
    }
    return grid;
}

// So many points, in the order of the grid; equal for equal seeds on every machine.
std::vector<std::vector<Value>> drawn(std::vector<std::vector<Value>> grid, std::size_t draws, std::int64_t seed) {
    if (draws == 0 || draws >= grid.size()) return grid;
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    std::set<std::size_t> places;
    while (places.size() < draws) places.insert(random() % grid.size());
    std::vector<std::vector<Value>> chosen;
    for (const std::size_t place : places) chosen.push_back(std::move(grid[place]));
    return chosen;
}

Result<std::vector<SweepAxis>> axesOf(const TuningSettings& settings) {
    if (settings.over.empty()) {
        return fail("--over names what is tuned, as --over optimizer.learning_rate=0.01,0.02,0.05");
    }
    std::vector<SweepAxis> axes;
    std::size_t candidates = 1;
    for (const std::string& argument : settings.over) {
        DASGD_ASSIGN(SweepAxis axis, parseAxis("--over", argument));
        if (axis.path.front() == "train" && axis.path.back() == "seed") {
            return fail(axis.place.prefix() + "a seed is nothing to choose: --seeds names those of the tuning");
        }
        candidates *= axis.values.size();
        if (candidates > kMostCandidates) {
            return fail(axis.place.prefix() + "the grid has more than " + std::to_string(kMostCandidates) +
                        " candidates: leave values out, or split it");
        }
        axes.push_back(std::move(axis));
    }
    return axes;
}

// The candidate's values in a document; what its plug-ins do not read is left out again.
Result<Value> withValues(Value document, const std::vector<SweepAxis>& axes, const std::vector<Value>& values,
                         const PluginFields& fields) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
        DASGD_TRY(assignAt(document, axes[i].path, axes[i].place, values[i]));
    }
    for (const SweepAxis& axis : axes) {
        if (axis.path.size() < 2) continue;
        const auto unknown = fields.leftOver(document, axis.path[0]);
        if (std::ranges::find(unknown, axis.path[1]) != unknown.end()) document.find(axis.path[0])->erase(axis.path[1]);
    }
    return document;
}

const Value* at(const Value& document, const std::vector<std::string>& path) {
    const Value* found = &document;
    for (const std::string& key : path) {
        found = found && found->isTable() ? found->find(key) : nullptr;
    }
    return found;
}

// Values by their axes as one label; those that the document does not have are left out.
std::string labelOf(const Value& document, const std::vector<SweepAxis>& axes) {
    std::string label;
    for (const SweepAxis& axis : axes) {
        if (const Value* value = at(document, axis.path)) {
            label += (label.empty() ? "" : ", ") + axis.key() + "=" + value->toToml();
        }
    }
    return label;
}

Status checkSeeds(const std::vector<ExpandedExperiment>& reported, const std::vector<ExpandedExperiment>& tuned) {
    std::set<std::string> seeds;
    for (const ExpandedExperiment& each : reported) {
        const Value* seed = at(each.document, kSeedPath);
        seeds.insert(seed ? seed->toToml() : "1");
    }
    for (const ExpandedExperiment& each : tuned) {
        const Value* seed = at(each.document, kSeedPath);
        if (!seed || !seeds.contains(seed->toToml())) continue;
        return fail("--seeds has " + seed->toToml() +
                    ", a seed of the runs that the file reports: settings that are chosen on it flatter them. Take "
                    "others, as --seeds 101..103");
    }
    return {};
}

// Adds to `into` what a table has that differs from `base`.
void addDifferences(const Value& table, const Value& base, Value& into) {
    for (const auto& [key, value] : *table.as<Value::Table>()) {
        const Value* same = base.find(key);
        if (same && same->toToml() == value.toToml()) continue;
        if (!same || !same->isTable() || !value.isTable()) {
            into.set(key, value);
            continue;
        }
        Value inner;
        addDifferences(value, *same, inner);
        into.set(key, std::move(inner));
    }
}

std::optional<double> numberOf(const Value& value) {
    if (const auto* whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
    const auto* number = value.as<double>();
    return number ? std::optional(*number) : std::nullopt;
}

}  // namespace

Result<TuningPlan> planTuning(const Value& document, const Overrides& overrides, const TuningSettings& settings) {
    TuningPlan plan;
    DASGD_ASSIGN(plan.axes, axesOf(settings));
    DASGD_ASSIGN(const auto reported, expandExperiments(document, overrides));
    Overrides seeded = overrides;
    seeded.sweep.push_back("train.seed=" + settings.seeds);
    DASGD_ASSIGN(const auto tuned, expandExperiments(document, seeded));
    DASGD_TRY(checkSeeds(reported, tuned));
    std::map<std::string, std::size_t> places;
    std::vector<Settings> configurations;
    const PluginFields fields;
    const auto grid = drawn(gridOf(plan.axes), settings.draws, settings.drawSeed);
    std::set<std::string> read;  // axes that some configuration reads
    for (const ExpandedExperiment& each : tuned) {
        Settings own = settingsOf(each.document);
        if (!choosesOnValidation(own)) {
            return fail(
                "data.validation is not set: settings that are chosen on the test set flatter it. Set samples apart, "
                "as --set data.validation=0.1");
        }
        const auto [place, isNew] = places.emplace(configurationKey(own), plan.configurations.size());
        if (isNew) {
            plan.configurations.emplace_back();
            configurations.push_back(std::move(own));
        }
        std::vector<TuningCandidate>& candidates = plan.configurations[place->second].candidates;
        for (const std::vector<Value>& values : grid) {
            DASGD_ASSIGN(Value chosen, withValues(each.document, plan.axes, values, fields));
            for (const SweepAxis& axis : plan.axes) {
                if (at(chosen, axis.path)) read.insert(axis.key());
            }
            const std::string label = labelOf(chosen, plan.axes);
            auto same = std::ranges::find(candidates, label, &TuningCandidate::label);
            if (same == candidates.end()) {
                candidates.push_back({.label = label, .values = values, .experiments = {}, .scores = {}, .runIds = {}});
                same = candidates.end() - 1;
            }
            // Where values are not read, several points of the grid are one candidate.
            const bool again = std::ranges::any_of(same->experiments, [&](const ExpandedExperiment& one) {
                return one.document.toToml() == chosen.toToml();
            });
            if (!again) same->experiments.push_back({std::move(chosen), label, {}});
        }
    }
    for (const SweepAxis& axis : plan.axes) {
        if (!read.contains(axis.key())) {
            return fail(axis.place.prefix() + "no algorithm or plug-in of the file reads " + axis.key());
        }
    }
    const std::vector<std::string> labels = labelConfigurations(configurations);
    for (std::size_t i = 0; i < labels.size(); ++i) {
        TuningConfiguration& configuration = plan.configurations[i];
        configuration.label = labels[i];
        for (std::size_t c = 0; c < configuration.candidates.size(); ++c) configuration.alive.push_back(c);
    }
    const Value* sweep = document.find("sweep");
    const Value* seeds = sweep && sweep->isTable() ? sweep->find("train.seed") : nullptr;
    if (seeds) plan.reportedSeeds = *seeds;
    return plan;
}

std::int64_t stepsInRound(std::int64_t total, int round, const TuningSettings& settings) {
    std::int64_t parts = 1;
    for (int later = round + 1; later < settings.rounds; ++later) parts *= settings.keep;
    return std::max<std::int64_t>(1, (total + parts - 1) / parts);
}

Value shortened(Value document, std::int64_t steps, std::int64_t total) {
    if (steps >= total) return document;
    Value train = sectionOf(document, "train");
    train.erase("epochs");
    train.set("steps", Value(steps));
    document.set("train", std::move(train));
    return document;
}

void endRound(TuningConfiguration& configuration, int round, const TuningSettings& settings) {
    const auto scoreOf = [&](std::size_t candidate) {
        const std::optional<double> score = configuration.candidates[candidate].scores.back();
        if (!score || !std::isfinite(*score)) return std::numeric_limits<double>::infinity();
        return settings.byLoss ? *score : -*score;
    };
    std::ranges::stable_sort(configuration.alive, {}, scoreOf);
    const auto keep = static_cast<std::size_t>(settings.keep);
    const std::size_t left =
        round + 1 == settings.rounds ? 1 : std::max<std::size_t>(1, (configuration.alive.size() + keep - 1) / keep);
    configuration.alive.resize(std::min(left, configuration.alive.size()));
}

std::vector<std::string> edgesInWords(const TuningPlan& plan) {
    std::vector<std::string> words;
    for (const TuningConfiguration& configuration : plan.configurations) {
        const TuningCandidate& best = configuration.candidates[configuration.alive.front()];
        for (std::size_t i = 0; i < plan.axes.size(); ++i) {
            std::set<double> tried;
            for (const TuningCandidate& candidate : configuration.candidates) {
                if (const auto number = numberOf(candidate.values[i])) tried.insert(*number);
            }
            const auto chosen = numberOf(best.values[i]);
            if (!chosen || tried.size() < 3 || !at(best.experiments.front().document, plan.axes[i].path)) continue;
            const bool largest = *chosen == *tried.rbegin();
            if (!largest && *chosen != *tried.begin()) continue;
            words.push_back("the best " + plan.axes[i].key() + " of " + configuration.label + ", " +
                            best.values[i].toToml() + ", is the " + (largest ? "largest" : "smallest") +
                            " that was tried: add " + (largest ? "larger" : "smaller") + " ones");
        }
    }
    return words;
}

Result<std::string> tunedFile(const Value& document, const TuningPlan& plan, const std::vector<std::string>& origin) {
    Value file = document;
    file.erase("case");
    file.erase("sweep");
    Value::Array cases;
    for (const TuningConfiguration& configuration : plan.configurations) {
        const TuningCandidate& best = configuration.candidates[configuration.alive.front()];
        if (!best.scores.back()) {
            return fail("every candidate of " + configuration.label +
                        " failed or was stopped: nothing can be chosen. Its runs say why; other values may train");
        }
        Value chosen = best.experiments.front().document;
        if (Value* train = chosen.find("train")) train->erase("seed");
        Value one;
        addDifferences(chosen, file, one);
        one.set("name", Value(configuration.label));
        cases.push_back(std::move(one));
    }
    // An experiment keeps its own name in a file of one configuration.
    if (cases.size() == 1) cases.front().erase("name");
    file.set("case", Value(std::move(cases)));
    if (!plan.reportedSeeds.isTable()) {
        Value sweep;
        sweep.set("train.seed", plan.reportedSeeds);
        file.set("sweep", std::move(sweep));
    }
    std::string text;
    for (const std::string& line : origin) text += "# " + line + "\n";
    return text + "\n" + toTomlDocument(file);
}

}  // namespace dasgd::experiments
