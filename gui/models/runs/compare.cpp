#include "gui/models/runs/compare.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/fnv1a.h"
#include "gui/models/runs/run_config.h"
#include "storage/scaling.h"

namespace dasgd::gui {

namespace {

// The preferred colour follows from the algorithm's name, so that it is the same in every experiment.
int colorWantedBy(const std::string& algorithm) { return static_cast<int>(fnv1a(algorithm) % kCurveColors); }

bool startedEarlier(const RunItemPtr& a, const RunItemPtr& b) {
    return std::pair(a->row.startedAt, a->id) < std::pair(b->row.startedAt, b->id);
}

// " seed 2"; with the seeds of jitter, failures and traffic where they differ too, as " compute.seed 3".
QString seedsInWords(const Settings& settings, const std::vector<Settings>& repetitions) {
    QString words;
    for (const std::string& key : seedKeys()) {
        const auto own = settings.find(key);
        if (own == settings.end()) continue;
        const bool differs = std::any_of(repetitions.begin(), repetitions.end(), [&](const Settings& other) {
            const auto found = other.find(key);
            return found == other.end() || found->second != own->second;
        });
        if (key == "train.seed") {
            words.prepend(QStringLiteral(" seed ") + QString::fromStdString(own->second));
        } else if (differs) {
            words +=
                QLatin1Char(' ') + QString::fromStdString(key) + QLatin1Char(' ') + QString::fromStdString(own->second);
        }
    }
    return words;
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
        const int wanted = colorWantedBy(run->row.algorithm);
        const int color = !taken[static_cast<std::size_t>(wanted)]
                              ? wanted
                              : static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin());
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
    std::vector<Settings> settings;
    std::map<std::string, std::vector<Settings>> repetitions;
    std::set<std::string> experiments;
    for (const RunItemPtr& run : runs) {
        settings.push_back(storage::settingsOf(run->row));
        repetitions[run->group].push_back(settings.back());
        experiments.insert(run->row.experiment);
    }
    const std::vector<Settings> differences = differencesOf(settings, apart);
    std::map<std::string, std::set<std::string>> values;
    for (const Settings& own : differences) {
        for (const auto& [key, value] : own) values[key].insert(value);
    }
    std::map<std::string, std::map<std::string, QString>> shown;
    for (const auto& [key, all] : values) shown[key] = settingValues(all);
    QStringList names;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const storage::RunRow& row = runs[i]->row;
        QString name =
            experiments.size() > 1 ? QString::fromStdString(row.experiment) + QStringLiteral(" / ") : QString();
        name += QString::fromStdString(row.algorithm);
        for (const auto& [key, value] : differences[i])
            name += QLatin1Char(' ') + settingName(key, runs[i]->schema) + QChar(0x00a0) + shown[key][value];
        const auto& same = repetitions[runs[i]->group];
        names << (same.size() > 1 ? name + seedsInWords(settings[i], same) : name);
    }
    return names;
}

}  // namespace dasgd::gui
