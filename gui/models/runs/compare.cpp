#include "gui/models/runs/compare.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/base/fnv1a.h"
#include "gui/models/runs/run_config.h"
#include "storage/scaling.h"

namespace dasgd::gui {

namespace {

// The place of an algorithm in this list is its look, in every experiment, on every page and in every figure: the first
// seven have a colour each, the next seven the same colours with other dashes and markers, and so on. What is drawn
// together most often comes first.
constexpr std::array<std::string_view, 21> kKnown{
    "dasgd",  "sync_sgd", "local_sgd", "hybrid_sgd", "independent",     "overlap_local_sgd", "cocod_sgd",    "easgd",
    "bmuf",   "slowmo",   "co2",       "diloco",     "post_local_sgd",  "adacomm",           "eager_diloco", "dga",
    "oldsgd", "sgp",      "ssp",       "loscar",     "streaming_diloco"};

struct AlgorithmLook {
    int color = 0;
    int turn = 0;  // which of the algorithms of this colour
};

constexpr int kTurnOfOthers = 3;  // the list fills the turns before it
static_assert(kKnown.size() <= static_cast<std::size_t>(kCurveColors) * kTurnOfOthers);

// An algorithm that the window does not know has its colour by its name, and dashes and markers of nobody in the list.
AlgorithmLook lookOf(std::string_view algorithm) {
    const auto found = std::find(kKnown.begin(), kKnown.end(), algorithm);
    if (found == kKnown.end()) return {static_cast<int>(fnv1a(algorithm) % kCurveColors), kTurnOfOthers};
    const int place = static_cast<int>(found - kKnown.begin());
    return {place % kCurveColors, place / kCurveColors};
}

// The look of the `variant`-th configuration of an algorithm: neighbours differ in both dash and marker, and so do
// algorithms of one colour. No two of kCurveColors² variants have the same dash and marker.
CurveStyle styleOfVariant(AlgorithmLook look, int variant) {
    const int place = look.color + look.turn + variant;
    const int apart = 2 * look.turn + variant / kCurveColors;
    return {look.color, (place + apart) % kCurveColors, place % kCurveColors};
}

std::string algorithmSettingsOf(const RunItem& run) {
    std::string text = run.row.algorithm;
    for (const auto& [key, value] : run.config.unpacked()) {
        if (key.starts_with("algorithm.")) text += '\n' + key + '=' + value;
    }
    return text;
}

// Gives out the styles of one experiment: none twice, as long as its colours have any left.
class StylesOfExperiment {
public:
    // The first configuration of each of these has its algorithm's own style, in whatever order they come.
    explicit StylesOfExperiment(const std::set<std::string>& algorithms) {
        for (const std::string& algorithm : algorithms) {
            const CurveStyle own = styleOfVariant(lookOf(algorithm), 0);
            if (reserve(own)) own_[algorithm] = own;
        }
    }

    // From here on their colours are given to no other algorithm's configurations. Of what starts later nothing is
    // known: a figure that is made again then has the colours of before.
    void meet(const std::set<std::string>& algorithms) {
        for (const std::string& algorithm : algorithms) {
            used_.insert(lookOf(algorithm).color);
            const CurveStyle own = styleOfVariant(lookOf(algorithm), 0);
            met_.emplace(own.color, own.dash, own.marker);
        }
    }

    CurveStyle next(const RunItem& run) {
        const std::string& algorithm = run.row.algorithm;
        const AlgorithmLook look = lookOf(algorithm);
        const int color = colorOf(run, look.color);
        if (auto own = own_.extract(algorithm)) return own.mapped();
        int& given = variants_[algorithm];
        // A dash alone is seen late, and so is a colour: as long as there are others, no two share all but one.
        for (const bool plain : {true, false}) {
            for (int further = 1; further <= kCurveColors * kCurveColors; ++further) {
                CurveStyle style = styleOfVariant(look, given + further);
                style.color = color;
                if (plain && isLike(style)) continue;
                if (!reserve(style)) continue;
                given += further;
                met_.emplace(style.color, style.dash, style.marker);
                return style;
            }
        }
        return styleOfVariant(look, 0);
    }

private:
    // Configurations with the algorithm's settings alike share a colour, unless one sweep has several of them: what was
    // run once more with other settings of the training looks like before.
    int colorOf(const RunItem& run, int own) {
        const std::string settings = algorithmSettingsOf(run);
        const std::string series = run.row.series.empty() ? run.row.runId : run.row.series;
        const int place = places_[{settings, series}]++;
        auto& colors = colors_[run.row.algorithm];
        const auto [known, isNew] = colors.try_emplace({settings, place}, own);
        if (isNew && colors.size() > 1) known->second = nextColor(own);
        return known->second;
    }
    // In turn those that no algorithm has, then the algorithm's own.
    int nextColor(int own) {
        int best = own;
        for (int color = kCurveColors - 1; color >= 0; --color) {
            if (!used_.contains(color) && given_[color] <= given_[best]) best = color;
        }
        ++given_[best];
        return best;
    }
    [[nodiscard]] bool isLike(CurveStyle style) const {
        // An algorithm of the list has its own style kept for it, whether it comes or not.
        const auto isOwn = [style](std::string_view algorithm) {
            return styleOfVariant(lookOf(algorithm), 0) == style;
        };
        return std::ranges::any_of(kKnown, isOwn) || std::ranges::any_of(met_, [style](const auto& other) {
                   const auto [color, dash, marker] = other;
                   return marker == style.marker && (color == style.color || dash == style.dash);
               });
    }
    bool reserve(CurveStyle style) { return taken_.emplace(style.color, style.dash, style.marker).second; }

    std::map<std::string, CurveStyle> own_;  // of algorithms that have not come yet
    std::set<int> used_;                     // colours of algorithms
    std::map<int, int> given_;               // how often a colour was given beside the first of an algorithm
    std::map<std::pair<std::string, std::string>, int> places_;  // configurations, by algorithm's settings and sweep
    std::map<std::string, std::map<std::pair<std::string, int>, int>> colors_;  // of each algorithm
    std::map<std::string, int> variants_;  // of each algorithm, so many were given out
    std::set<std::tuple<int, int, int>> taken_;
    std::set<std::tuple<int, int, int>> met_;  // those of configurations and algorithms so far
};

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

// " (delay-sweep)", in one word.
QString experimentInWords(const std::string& experiment) {
    return QStringLiteral(" (%1)").arg(QString::fromStdString(experiment).replace(QLatin1Char(' '), QChar(0x00a0)));
}

constexpr std::string_view kOfAlgorithm = "algorithm.";
constexpr std::size_t kAlwaysNamed = 2;  // settings that differ, whatever they go together with

// Whether runs with one value of `known` have one value of `other`.
bool determines(const std::vector<std::string>& known, const std::vector<std::string>& other) {
    std::map<std::string, std::string> values;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (values.try_emplace(known[i], other[i]).first->second != other[i]) return false;
    }
    return true;
}

// A training's length is given in steps or in epochs, and the other one is recorded as 0.
bool isLengthNotGiven(const std::string& key, const std::string& value) {
    return (key == "train.steps" || key == "train.epochs") && (value == "0" || value == "0.0");
}

// The settings by which configurations are named, of those in which they differ.
class NamingSettings {
public:
    // `experiments`: of each configuration where there are several, else none.
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
        // What differs most, in few letters, tells most.
        std::ranges::stable_sort(others, {}, [&](const std::string& key) {
            return std::pair(-static_cast<std::ptrdiff_t>(values[key].size()), settingName(key, {}).size());
        });
        for (const std::string& key : others) {
            const std::vector<std::string> own = valuesOf(key, differences);
            const auto says = [&own](const std::vector<std::string>& known) { return determines(known, own); };
            if (!experiments.empty() && says(experiments)) continue;
            if (keys_.size() < kAlwaysNamed || std::ranges::none_of(named, says)) name(key);
        }
    }

    // " τ 4 d 2 batch 32": the algorithm's own in the order of its record, the period before the delay as titles and
    // tables say it.
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
    // Two settings of one name have that of their section before it.
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

void StyleBook::assign(std::span<const RunItemPtr> runs) {
    std::vector<RunItemPtr> ordered(runs.begin(), runs.end());
    std::sort(ordered.begin(), ordered.end(), startedEarlier);
    std::map<std::string, std::set<std::string>> algorithms;
    for (const RunItemPtr& run : ordered) algorithms[run->row.experiment].insert(run->row.algorithm);
    for (const auto& [experiment, names] : algorithms) {
        std::map<std::string, CurveStyle>& styles = experiments_[experiment];
        styles.clear();
        StylesOfExperiment own(names);
        std::map<std::string, std::set<std::string>> together;  // of one sweep
        for (const RunItemPtr& run : ordered) {
            if (run->row.experiment == experiment) together[run->row.series].insert(run->row.algorithm);
        }
        together[""].clear();
        for (const RunItemPtr& run : ordered) {
            if (run->row.experiment != experiment || styles.contains(run->group)) continue;
            own.meet(together[run->row.series]);
            own.meet({run->row.algorithm});
            styles[run->group] = own.next(*run);
        }
    }
}

StyleBook StyleBook::forExperimentsOf(std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all) {
    StyleBook styles;
    std::set<std::string> assigned;
    for (const RunItemPtr& run : runs) {
        if (!assigned.insert(run->row.experiment).second) continue;
        std::vector<RunItemPtr> experiment;
        std::copy_if(all.begin(), all.end(), std::back_inserter(experiment),
                     [&](const RunItemPtr& other) { return other->row.experiment == run->row.experiment; });
        styles.assign(experiment);
    }
    return styles;
}

CurveStyle StyleBook::styleOf(const RunItem& run) const {
    const auto experiment = experiments_.find(run.row.experiment);
    if (experiment == experiments_.end()) return {};
    const auto style = experiment->second.find(run.group);
    return style == experiment->second.end() ? CurveStyle{} : style->second;
}

CurveStyle StylesApart::take(CurveStyle wanted) {
    for (const bool plain : {true, false}) {
        CurveStyle style = wanted;
        for (int turn = 1; turn <= kCurveColors * kCurveColors; ++turn) {
            const bool isLike = plain && std::ranges::any_of(taken_, [style](const auto& other) {
                                    return std::get<0>(other) == style.color && std::get<2>(other) == style.marker;
                                });
            if (!isLike && taken_.emplace(style.color, style.dash, style.marker).second) return style;
            style.marker = (wanted.marker + turn) % kCurveColors;
            style.dash = (wanted.dash + turn / kCurveColors) % kCurveColors;
        }
    }
    return wanted;
}

std::vector<RunItemPtr> overlaidWith(const RunItem& current, std::span<const RunItemPtr> runs, std::size_t limit) {
    const auto isOfItsSeries = [&current](const RunItem& run) {
        return !run.row.series.empty() && run.row.series == current.row.series;
    };
    // In rising order; of the run's own sweep one that was stopped comes before all of others.
    const auto rank = [&](const RunItemPtr& run) {
        const bool isWhole = run->row.status == "finished" || run->row.status == "running";
        return std::tuple(isOfItsSeries(*run), isWhole, std::pair(run->row.startedAt, run->id));
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

QStringList distinguishingNames(std::span<const RunItemPtr> runs, const std::set<std::string>& apart) {
    std::vector<Settings> settings;
    // Of a configuration within its experiment: where there are several, the experiment tells them apart.
    std::map<std::pair<std::string, std::string>, std::vector<Settings>> repetitions;
    std::vector<std::string> experiments;
    for (const RunItemPtr& run : runs) {
        settings.push_back(storage::settingsOf(run->row));
        repetitions[{run->group, run->row.experiment}].push_back(settings.back());
        experiments.push_back(run->row.experiment);
    }
    const bool several = std::set(experiments.begin(), experiments.end()).size() > 1;
    const std::vector<Settings> differences = differencesOf(settings, apart);
    const NamingSettings naming(differences, several ? experiments : std::vector<std::string>());
    QStringList names;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        QString name = QString::fromStdString(runs[i]->row.algorithm) + naming.inWords(differences[i], runs[i]->schema);
        const auto& same = repetitions[{runs[i]->group, experiments[i]}];
        if (same.size() > 1) name += seedsInWords(settings[i], same);
        if (several) name += experimentInWords(experiments[i]);
        names << name;
    }
    return names;
}

}  // namespace dasgd::gui
