#include "experiments/tools/tune/tuning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "core/analysis/runs/configuration.h"
#include "core/base/schema/toml_reader.h"
#include "experiments/config/cases.h"
#include "experiments/config/document.h"
#include "experiments/config/plugin_fields.h"
#include "experiments/config/schema.h"

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
        if (seedKeys().contains(axis.key()) || axis.key() == "train") {
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

// Every value that the file sweeps is a configuration of its own. What --set replaces is not swept.
Status checkApartFromSweep(const Value& document, const Overrides& overrides, const std::vector<SweepAxis>& axes) {
    std::vector<std::vector<std::string>> set;
    for (const std::string& argument : overrides.set) {
        DASGD_ASSIGN(set.emplace_back(), parseKeyPath(argument.substr(0, argument.find('=')), {}));
    }
    DASGD_ASSIGN(const std::vector<Case> cases, expandCases(document));
    for (const Case& one : cases) {
        const Value sweep = sectionOf(one.document, "sweep");
        for (const auto& [key, values] : *sweep.as<Value::Table>()) {
            DASGD_ASSIGN(const std::vector<std::string> path, parseKeyPath(key, values.keyPosition()));
            if (std::ranges::find(set, path) != set.end()) continue;
            for (const SweepAxis& axis : axes) {
                if (axis.path.size() > path.size() || !std::equal(axis.path.begin(), axis.path.end(), path.begin())) {
                    continue;
                }
                return fail(axis.place.prefix() + "replaces what " + values.keyPosition().prefix() + "sweeps ('" + key +
                            "'), and each of its values is a configuration of its own: leave one of the two out");
            }
        }
    }
    return {};
}

// The candidate's values in a document; what its plug-ins do not read is left out again.
Result<Value> withValues(Value document, const std::vector<SweepAxis>& axes, const std::vector<Value>& values,
                         const PluginFields& fields) {
    const Value given = document;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        DASGD_TRY(assignAt(document, axes[i].path, axes[i].place, values[i]));
    }
    for (const SweepAxis& axis : axes) {
        if (axis.path.size() < 2) continue;
        const auto unknown = fields.leftOver(document, axis.path[0]);
        if (std::ranges::find(unknown, axis.path[1]) != unknown.end()) document.find(axis.path[0])->erase(axis.path[1]);
    }
    for (const std::string& section : unreadSections(document)) {
        if (!given.find(section)) document.erase(section);
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

Value seedOf(const Value& document) {
    static const Value kDefault = parseArgument(defaultOf("train", "seed"), "default").value();
    const Value* seed = at(document, kSeedPath);
    return seed ? *seed : kDefault;
}

// The runs that choose have other seeds of [train] than the reported ones; every other seed has to follow it.
Status checkSeeds(const std::vector<ExpandedExperiment>& reported, const std::vector<ExpandedExperiment>& tuned) {
    std::set<std::string> seeds;
    for (const ExpandedExperiment& each : reported) {
        seeds.insert(seedOf(each.document).toToml());
        const Settings settings = settingsOf(each.document);
        for (const std::string& key : seedKeys()) {
            const auto found = settings.find(key);
            if (key == "train.seed" || found == settings.end() || found->second == "-1") continue;
            return fail(key + " = " + found->second +
                        " is a seed of the runs that the file reports, and those that choose would have it too: sweep "
                        "train.seed in its place, and leave " +
                        key + " at -1, which follows it");
        }
    }
    for (const ExpandedExperiment& each : tuned) {
        const std::string seed = seedOf(each.document).toToml();
        if (!seeds.contains(seed)) continue;
        return fail("--seeds has " + seed +
                    ", a seed of the runs that the file reports: settings that are chosen on it flatter them. Take "
                    "others, as --seeds 101..103");
    }
    return {};
}

// Seeds of the reported runs of each configuration, each once.
std::map<std::string, Value::Array> seedsByConfiguration(const std::vector<ExpandedExperiment>& reported) {
    std::map<std::string, Value::Array> seeds;
    for (const ExpandedExperiment& each : reported) {
        Value::Array& own = seeds[configurationKey(settingsOf(each.document))];
        Value seed = seedOf(each.document);
        if (std::ranges::find(own, seed.toToml(), &Value::toToml) == own.end()) own.push_back(std::move(seed));
    }
    return seeds;
}

// A model that classifies nothing is judged by its loss alone. What cannot be read is said where it is checked.
Status checkJudged(const TuningPlan& plan, bool byLoss) {
    for (const TuningConfiguration& configuration : plan.configurations) {
        const auto judge = judgedBy(configuration.candidates.front().experiments.front().document);
        if (judge == JudgedBy::Nothing)
            return fail(configuration.label + " computes nothing that could be chosen by: leave out compute.mode");
        if (judge == JudgedBy::LossAlone && !byLoss)
            return fail(configuration.label + " has no accuracy: choose with --by-loss");
    }
    return {};
}

Value withSeed(Value document, const Value& seed) {
    put(document, "train", "seed", seed);
    return document;
}

// What the reported runs of a configuration have in common: with their seed where it is a single one.
Value chosenOf(const TuningConfiguration& configuration) {
    Value chosen = configuration.candidates[configuration.alive.front()].experiments.front().document;
    if (configuration.seeds.size() == 1) return withSeed(std::move(chosen), configuration.seeds.front());
    chosen.find("train")->erase("seed");
    return chosen;
}

Value sweepOf(const Value::Array& seeds) {
    Value sweep;
    sweep.set("train.seed", Value(seeds));
    return sweep;
}

Value inOrder(const Value& value) {
    const auto* table = value.as<Value::Table>();
    if (!table) return value;
    Value::Table ordered;
    for (const auto& [key, inner] : *table) ordered.emplace_back(key, inOrder(inner));
    std::ranges::sort(ordered, {}, [](const auto& entry) { return entry.first; });
    return Value(std::move(ordered));
}

// Equal for equal experiments, whatever their names.
std::string textOf(Value document) {
    document.erase("name");
    return inOrder(document).toToml();
}

Status checkWritten(const std::string& text, const TuningPlan& plan) {
    DASGD_ASSIGN(const Value written, parseToml(text, "the file with what was chosen"));
    DASGD_ASSIGN(const auto experiments, expandExperiments(written, {}));
    std::multiset<std::string> chosen, found;
    for (const TuningConfiguration& configuration : plan.configurations) {
        const TuningCandidate& best = configuration.candidates[configuration.alive.front()];
        for (const Value& seed : configuration.seeds) {
            chosen.insert(textOf(withSeed(best.experiments.front().document, seed)));
        }
    }
    for (const ExpandedExperiment& each : experiments) found.insert(textOf(each.document));
    if (found == chosen) return {};
    return fail(
        "the file with what was chosen would run something else, which is an error of dasgd: it is not written");
}

// What all configurations have alike stands in the file once; each other section is whole in every case, because a case
// only adds to a table that the file has.
Result<std::string> written(const TuningPlan& plan, const std::vector<std::string>& origin) {
    std::vector<Value> chosen;
    for (const TuningConfiguration& configuration : plan.configurations) chosen.push_back(chosenOf(configuration));
    Value file = chosen.front();
    for (const Value& each : chosen) {
        std::erase_if(*file.as<Value::Table>(), [&](const auto& entry) {
            const Value* same = each.find(entry.first);
            return !same || same->toToml() != entry.second.toToml();
        });
    }
    const Value::Array& seeds = plan.configurations.front().seeds;
    const bool sameSeeds = std::ranges::all_of(plan.configurations, [&](const TuningConfiguration& one) {
        return sweepOf(one.seeds).toToml() == sweepOf(seeds).toToml();
    });
    Value::Array cases;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        const TuningConfiguration& configuration = plan.configurations[i];
        Value one;
        for (const auto& [key, value] : *chosen[i].as<Value::Table>()) {
            if (!file.find(key)) one.set(key, value);
        }
        const Value* name = chosen[i].find("name");
        if (const auto* text = name ? name->as<std::string>() : nullptr) {
            one.set("name", Value(*text + ": " + configuration.label));
        }
        if (!sameSeeds && configuration.seeds.size() > 1) one.set("sweep", sweepOf(configuration.seeds));
        cases.push_back(std::move(one));
    }
    if (cases.size() > 1) file.set("case", Value(std::move(cases)));
    if (sameSeeds && seeds.size() > 1) file.set("sweep", sweepOf(seeds));
    std::string text;
    for (const std::string& line : origin) text += "# " + line + "\n";
    text += "\n" + toTomlDocument(file);
    DASGD_TRY(checkWritten(text, plan));
    return text;
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
    DASGD_TRY(checkApartFromSweep(document, overrides, plan.axes));
    auto seeds = seedsByConfiguration(reported);
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
        const std::string key = configurationKey(own);
        const auto [place, isNew] = places.emplace(key, plan.configurations.size());
        if (isNew) {
            plan.configurations.push_back({.label = "", .candidates = {}, .alive = {}, .seeds = seeds[key]});
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
    DASGD_TRY(checkJudged(plan, settings.byLoss));
    DASGD_TRY(written(plan, {}));
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

Result<std::string> tunedFile(const TuningPlan& plan, const std::vector<std::string>& origin) {
    for (const TuningConfiguration& configuration : plan.configurations) {
        if (configuration.candidates[configuration.alive.front()].scores.back()) continue;
        return fail("every candidate of " + configuration.label +
                    " failed or was stopped: nothing can be chosen. Its runs say why; other values may train");
    }
    return written(plan, origin);
}

}  // namespace dasgd::experiments
