#include "gui/models/runs/compare.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "gui/models/runs/run_config.h"

namespace dasgd::gui {

namespace {

// The colours that the known algorithms have wherever they appear.
constexpr std::array<std::pair<std::string_view, int>, 7> kOwnColors{{{"dasgd", 0},
                                                                      {"sync_sgd", 1},
                                                                      {"local_sgd", 2},
                                                                      {"overlap_local_sgd", 3},
                                                                      {"cocod_sgd", 4},
                                                                      {"easgd", 5},
                                                                      {"independent", 6}}};

int wishOf(const std::string& algorithm) {
    for (const auto& [name, color] : kOwnColors) {
        if (name == algorithm) return color;
    }
    return -1;
}

bool startedEarlier(const RunItemPtr& a, const RunItemPtr& b) {
    return std::pair(a->row.startedAt, a->id) < std::pair(b->row.startedAt, b->id);
}

// Settings that are not the same in all of `runs`, the seed and the experiment's name apart.
std::set<std::string> differingKeys(const std::vector<FlatConfig>& configs) {
    std::set<std::string> keys, differing;
    for (const FlatConfig& config : configs) {
        for (const auto& [key, value] : config) keys.insert(key);
    }
    for (const std::string& key : keys) {
        if (key == "train.seed" || key == "name" || key == "algorithm.name") continue;
        std::set<std::string> values;
        for (const FlatConfig& config : configs) {
            const auto found = config.find(key);
            values.insert(found == config.end() ? std::string() : found->second);
        }
        if (values.size() > 1) differing.insert(key);
    }
    return differing;
}

}  // namespace

void StyleBook::assign(std::span<const RunItemPtr> runs) {
    std::vector<RunItemPtr> ordered(runs.begin(), runs.end());
    std::sort(ordered.begin(), ordered.end(), startedEarlier);
    for (const RunItemPtr& run : ordered) {
        Experiment& experiment = experiments_[run->row.experiment];
        if (experiment.styles.contains(run->group)) continue;
        auto& taken = experiment.taken;
        if (std::find(taken.begin(), taken.end(), false) == taken.end()) {
            taken.assign(kCurveColors, false);
            ++experiment.round;
        }
        const int wish = wishOf(run->row.algorithm);
        const bool granted = wish >= 0 && !taken[static_cast<std::size_t>(wish)];
        const int color =
            granted ? wish : static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin());
        taken[static_cast<std::size_t>(color)] = true;
        const int turned = (color + experiment.round) % kCurveColors;
        experiment.styles[run->group] = {color, turned, turned};
    }
}

CurveStyle StyleBook::styleOf(const RunItem& run) const {
    const auto experiment = experiments_.find(run.row.experiment);
    if (experiment == experiments_.end()) return {};
    const auto style = experiment->second.styles.find(run.group);
    return style == experiment->second.styles.end() ? CurveStyle{} : style->second;
}

std::vector<RunItemPtr> overlaidWith(const RunItem& current, std::span<const RunItemPtr> runs, std::size_t limit) {
    std::map<std::string, RunItemPtr> newest;
    RunItemPtr self;
    for (const RunItemPtr& run : runs) {
        if (run->id == current.id) self = run;
        if (run->row.experiment != current.row.experiment || run->group == current.group) continue;
        if (run->row.status == "queued") continue;
        RunItemPtr& best = newest[run->group];
        if (!best || startedEarlier(best, run)) best = run;
    }
    std::vector<RunItemPtr> others;
    others.reserve(newest.size());
    for (const auto& [group, run] : newest) others.push_back(run);
    std::sort(others.begin(), others.end(),
              [](const RunItemPtr& a, const RunItemPtr& b) { return startedEarlier(b, a); });
    if (others.size() + 1 > limit) others.resize(limit - 1);
    std::sort(others.begin(), others.end(), startedEarlier);
    std::vector<RunItemPtr> out;
    if (self) out.push_back(self);
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

QStringList distinguishingNames(std::span<const RunItemPtr> runs, const std::set<std::string>& apart) {
    std::map<std::string, std::vector<std::size_t>> byAlgorithm;
    std::map<std::string, int> perGroup;
    std::set<std::string> experiments;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        byAlgorithm[runs[i]->row.algorithm].push_back(i);
        ++perGroup[runs[i]->group];
        experiments.insert(runs[i]->row.experiment);
    }
    std::vector<QString> names(runs.size());
    for (const auto& [algorithm, members] : byAlgorithm) {
        std::vector<FlatConfig> configs;
        for (const std::size_t i : members) {
            configs.push_back(flattenToml(runs[i]->row.config));
            for (const std::string& key : apart) configs.back().erase(key);
        }
        const std::set<std::string> differing = differingKeys(configs);
        for (std::size_t m = 0; m < members.size(); ++m) {
            const RunItem& run = *runs[members[m]];
            QString& name = names[members[m]];
            if (experiments.size() > 1) name = QString::fromStdString(run.row.experiment) + QStringLiteral(" / ");
            name += QString::fromStdString(algorithm);
            for (const std::string& key : differing) {
                const auto found = configs[m].find(key);
                if (found != configs[m].end()) name += QLatin1Char(' ') + settingText(key, found->second);
            }
            if (perGroup[run.group] > 1) name += QStringLiteral(" seed ") + QString::number(run.row.seed);
        }
    }
    return {names.begin(), names.end()};
}

}  // namespace dasgd::gui
