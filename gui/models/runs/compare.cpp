#include "gui/models/runs/compare.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/fnv1a.h"
#include "gui/models/runs/run_config.h"
#include "storage/scaling.h"

namespace dasgd::gui {

namespace {

// The place of an algorithm in this list is its colour, in every experiment, on every page and in every figure.
constexpr std::array<std::string_view, 5> kOwnColors{"dasgd", "sync_sgd", "local_sgd", "hybrid_sgd", "independent"};

std::optional<int> ownColor(std::string_view algorithm) {
    const auto found = std::find(kOwnColors.begin(), kOwnColors.end(), algorithm);
    if (found == kOwnColors.end()) return std::nullopt;
    return static_cast<int>(found - kOwnColors.begin());
}

// Of an algorithm that the window does not know: it follows from the name, among the colours that are nobody's own.
int colorWantedBy(std::string_view algorithm) {
    constexpr int kOwned = static_cast<int>(kOwnColors.size());
    return kOwned + static_cast<int>(fnv1a(algorithm) % (kCurveColors - kOwned));
}

// Algorithms with a colour of their own have it, whatever is beside them. The others choose by name; where a colour is
// taken, the next free one is used, and the wanted one is shared where all are taken.
std::map<std::string, int> colorsOf(const std::set<std::string>& algorithms) {
    std::map<std::string, int> colors;
    std::set<int> taken;
    for (const std::string& algorithm : algorithms) {
        if (const auto own = ownColor(algorithm)) taken.insert(colors[algorithm] = *own);
    }
    for (const std::string& algorithm : algorithms) {
        if (colors.contains(algorithm)) continue;
        const int wanted = colorWantedBy(algorithm);
        int color = wanted;
        for (int turn = 1; turn < kCurveColors && taken.contains(color); ++turn) color = (wanted + turn) % kCurveColors;
        if (taken.contains(color)) color = wanted;
        taken.insert(colors[algorithm] = color);
    }
    return colors;
}

// The look of the `variant`-th configuration in this colour: neighbours differ in both dash and marker, and no two of
// kCurveColors² are equal.
CurveStyle styleOfVariant(int color, int variant) {
    return {color, (color + variant + variant / kCurveColors) % kCurveColors, (color + variant) % kCurveColors};
}

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
    std::map<std::string, std::set<std::string>> algorithms;
    for (const RunItemPtr& run : ordered) algorithms[run->row.experiment].insert(run->row.algorithm);
    for (const auto& [experiment, names] : algorithms) {
        std::map<std::string, CurveStyle>& styles = experiments_[experiment];
        styles.clear();
        const std::map<std::string, int> colors = colorsOf(names);
        std::map<int, int> variants;  // so many configurations have this colour
        for (const RunItemPtr& run : ordered) {
            if (run->row.experiment != experiment || styles.contains(run->group)) continue;
            const int color = colors.at(run->row.algorithm);
            styles[run->group] = styleOfVariant(color, variants[color]++);
        }
    }
}

CurveStyle StyleBook::styleOf(const RunItem& run) const {
    const auto experiment = experiments_.find(run.row.experiment);
    if (experiment == experiments_.end()) return {};
    const auto style = experiment->second.find(run.group);
    return style == experiment->second.end() ? CurveStyle{} : style->second;
}

CurveStyle StylesApart::take(CurveStyle wanted) {
    CurveStyle style = wanted;
    for (int turn = 1; turn <= kCurveColors * kCurveColors; ++turn) {
        if (taken_.emplace(style.color, style.dash, style.marker).second) break;
        style.marker = (wanted.marker + turn) % kCurveColors;
        style.dash = (wanted.dash + turn / kCurveColors) % kCurveColors;
    }
    return style;
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
