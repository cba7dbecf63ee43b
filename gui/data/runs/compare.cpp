#include "gui/data/runs/compare.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "gui/data/runs/run_config.h"
#include "storage/compare/scaling.h"

namespace dasgd::gui {

namespace {

bool startedEarlier(const RunItemPtr& a, const RunItemPtr& b) {
    return std::pair(a->row.startedAt, a->id) < std::pair(b->row.startedAt, b->id);
}

// " seed 2", with the seeds of jitter, failures and traffic if they differ too, as " compute.seed 3".
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

// The experiments of a configuration's runs: "delay-sweep", or "probe, failing" if there are several.
std::string experimentsOf(std::span<const RunItemPtr> runs) {
    std::set<std::string> seen;
    std::string words;
    for (const RunItemPtr& run : runs) {
        if (!seen.insert(run->row.experiment).second) continue;
        words += (words.empty() ? "" : ", ") + run->row.experiment;
    }
    return words;
}

QString experimentInWords(const std::string& experiment) {
    return QStringLiteral(" (%1)").arg(QString::fromStdString(experiment).replace(QLatin1Char(' '), QChar(0x00a0)));
}

constexpr std::string_view kOfAlgorithm = "algorithm.";
constexpr std::string_view kWorkers = "cluster.workers";  // named always, as times and losses depend on it
constexpr std::size_t kAlwaysNamed = 2;  // number of differing settings named even if they follow from others

// True if runs with equal values of `known` have equal values of `other`.
bool determines(const std::vector<std::string>& known, const std::vector<std::string>& other) {
    std::map<std::string, std::string> values;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (values.try_emplace(known[i], other[i]).first->second != other[i]) return false;
    }
    return true;
}

// A training's length is given in steps or in epochs; the other is recorded as 0.
bool isLengthNotGiven(const std::string& key, const std::string& value) {
    return (key == "train.steps" || key == "train.epochs") && (value == "0" || value == "0.0");
}

// The differing settings that name the configurations.
class NamingSettings {
public:
    // `experiments`: one per configuration if there are several different ones, else empty.
    NamingSettings(const std::vector<Settings>& differences, const std::vector<std::string>& experiments) {
        std::map<std::string, std::set<std::string>> values;
        for (const Settings& own : differences) {
            for (const auto& [key, value] : own) values[key].insert(value);
        }
        for (const auto& [key, all] : values) shown_[key] = settingValues(all);
        std::vector<std::vector<std::string>> named;
        const auto name = [&](const std::string& key) {
            named.push_back(valuesOf(key, differences));
            keys_.push_back(key);
        };
        std::vector<std::string> others;
        for (const auto& [key, all] : values) {
            if (key.starts_with(kOfAlgorithm)) {
                name(key);
            } else {
                others.push_back(key);
            }
        }
        // Settings with more values come first, then those with shorter names.
        std::ranges::stable_sort(others, {}, [&](const std::string& key) {
            return std::pair(-static_cast<std::ptrdiff_t>(values[key].size()), settingName(key, {}).size());
        });
        for (const std::string& key : others) {
            if (key == kWorkers) {
                name(key);
                continue;
            }
            const std::vector<std::string> own = valuesOf(key, differences);
            const auto says = [&own](const std::vector<std::string>& known) { return determines(known, own); };
            if (!experiments.empty() && says(experiments)) continue;
            if (keys_.size() < kAlwaysNamed || std::ranges::none_of(named, says)) name(key);
        }
    }

    // " τ 4 d 2 batch 32": the algorithm's settings in the order of its schema, as in titles and tables.
    [[nodiscard]] QString inWords(const Settings& own, const RunSchema& schema) const {
        std::vector<std::string> keys = keys_;
        std::ranges::stable_sort(keys, {}, [&](const std::string& key) {
            return key.starts_with(kOfAlgorithm) ? std::ranges::find(schema, key, &Setting::key) - schema.begin()
                                                 : std::numeric_limits<std::ptrdiff_t>::max();
        });
        QString words;
        for (const std::string& key : keys) {
            const auto found = own.find(key);
            if (found == own.end() || isLengthNotGiven(key, found->second)) continue;
            words += QLatin1Char(' ') + nameOf(key, schema) + QChar(0x00a0) + shown_.at(key).at(found->second);
        }
        return words;
    }

private:
    static std::vector<std::string> valuesOf(const std::string& key, const std::vector<Settings>& differences) {
        std::vector<std::string> values;
        for (const Settings& own : differences) {
            const auto found = own.find(key);
            values.push_back(found == own.end() ? std::string() : '=' + found->second);
        }
        return values;
    }
    // Settings with the same name are written with their section.
    [[nodiscard]] QString nameOf(const std::string& key, const RunSchema& schema) const {
        const QString name = settingName(key, schema);
        const auto alike =
            std::ranges::count_if(keys_, [&](const std::string& one) { return settingName(one, schema) == name; });
        return alike > 1 ? QString::fromStdString(key) : name;
    }

    std::vector<std::string> keys_;
    std::map<std::string, std::map<std::string, QString>> shown_;
};

}  // namespace

std::vector<RunItemPtr> overlaidWith(const RunItem& current, std::span<const RunItemPtr> runs, std::size_t limit) {
    const auto isOfItsSeries = [&current](const RunItem& run) {
        return !run.row.series.empty() && run.row.series == current.row.series;
    };
    // In ascending order; a stopped run of the current run's series ranks above all runs of other series.
    const auto rank = [&](const RunItemPtr& run) {
        const bool isWhole = run->row.status == "finished" || run->row.status == "running";
        const bool sameSeed = run->row.seed == current.row.seed;
        return std::tuple(isOfItsSeries(*run), isWhole, sameSeed, run->row.startedAt, run->id);
    };
    const auto before = [&](const RunItemPtr& a, const RunItemPtr& b) { return rank(a) < rank(b); };
    std::map<std::string, RunItemPtr> best;
    RunItemPtr self;
    for (const RunItemPtr& run : runs) {
        if (run->id == current.id) self = run;
        if (run->row.experiment != current.row.experiment || run->group == current.group) continue;
        if (run->row.status == "queued" || isProbe(run->row) != isProbe(current.row)) continue;
        RunItemPtr& one = best[run->group];
        if (!one || before(one, run)) one = run;
    }
    std::vector<RunItemPtr> others;
    others.reserve(best.size());
    for (const auto& [group, run] : best) others.push_back(run);
    std::ranges::sort(others, std::greater{}, [&](const RunItemPtr& run) {
        return std::tuple(isOfItsSeries(*run), run->row.startedAt, run->id);
    });
    if (others.size() + 1 > limit) others.resize(limit - 1);
    std::sort(others.begin(), others.end(), startedEarlier);
    std::vector<RunItemPtr> out;
    if (self) out.push_back(self);
    out.insert(out.end(), others.begin(), others.end());
    return out;
}

namespace {

// Names of runs; `experiments` are their experiments.
QStringList namesOf(std::span<const RunItemPtr> runs, const std::vector<std::string>& experiments,
                    const std::set<std::string>& apart, Named named) {
    std::vector<Settings> settings;
    // Repetitions of a configuration within an experiment; several experiments are distinguished by their names.
    std::map<std::pair<std::string, std::string>, std::vector<Settings>> repetitions;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        settings.push_back(storage::settingsOf(runs[i]->row));
        repetitions[{runs[i]->group, experiments[i]}].push_back(settings.back());
    }
    const bool several = std::set(experiments.begin(), experiments.end()).size() > 1;
    const bool severalSeeds = named == Named::EachRun && std::ranges::any_of(runs, [&](const RunItemPtr& run) {
                                  return run->row.seed != runs.front()->row.seed;
                              });
    const std::vector<Settings> differences = differencesOf(settings, apart);
    const NamingSettings naming(differences, several ? experiments : std::vector<std::string>());
    QStringList names;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        QString name = QString::fromStdString(runs[i]->row.algorithm) + naming.inWords(differences[i], runs[i]->schema);
        const auto& same = repetitions[{runs[i]->group, experiments[i]}];
        if (same.size() > 1 || severalSeeds) name += seedsInWords(settings[i], same);
        if (several) name += experimentInWords(experiments[i]);
        names << name;
    }
    return names;
}

}  // namespace

QStringList distinguishingNames(std::span<const RunItemPtr> runs, const std::set<std::string>& apart, Named named) {
    std::vector<std::string> experiments;
    for (const RunItemPtr& run : runs) experiments.push_back(run->row.experiment);
    return namesOf(runs, experiments, apart, named);
}

QStringList configurationNames(std::span<const std::vector<RunItemPtr>> configurations) {
    std::vector<RunItemPtr> firsts;
    std::vector<std::string> experiments;
    for (const std::vector<RunItemPtr>& runs : configurations) {
        firsts.push_back(runs.front());
        experiments.push_back(experimentsOf(runs));
    }
    return namesOf(firsts, experiments, {}, Named::Configurations);
}

}  // namespace dasgd::gui
