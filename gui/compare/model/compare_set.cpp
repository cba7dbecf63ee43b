#include "gui/compare/model/compare_set.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "gui/data/runs/compare.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

bool hasFinished(const RunItem& run) { return run.row.status == "finished"; }

// True if run `a` counts rather than `b`, which has the same seeds; the same order as in
// core/analysis/runs/comparison.h.
bool countsBefore(const RunItem& a, const RunItem& b) {
    const auto rank = [](const RunItem& run) { return hasFinished(run) ? 2 : run.row.status == "queued" ? 0 : 1; };
    const int ofA = rank(a), ofB = rank(b);
    return std::tie(ofA, a.row.startedAt, a.row.runId) > std::tie(ofB, b.row.startedAt, b.row.runId);
}

std::map<std::string, RunItemPtr> countedBySeeds(std::span<const RunItemPtr> runs) {
    std::map<std::string, RunItemPtr> bySeeds;
    for (const RunItemPtr& run : runs) {
        RunItemPtr& counted = bySeeds[run->line.seeds];
        if (!counted || countsBefore(*run, *counted)) counted = run;
    }
    return bySeeds;
}

// Styles are given out by the age of the groups, so that a figure which names its runs in another order looks the same.
void takeStyles(std::vector<CompareGroup>& groups, const std::function<CurveStyle(const RunItem&)>& styleOf) {
    const auto byId = [](const RunItemPtr& run) { return std::string_view(run->row.runId); };
    std::vector<std::pair<RunItemPtr, CompareGroup*>> ordered;  // by the oldest run of each
    for (CompareGroup& group : groups) ordered.emplace_back(*std::ranges::min_element(group.runs, {}, byId), &group);
    std::ranges::stable_sort(ordered, {}, [&](const auto& entry) { return byId(entry.first); });
    StylesApart apart;
    for (const auto& [oldest, group] : ordered) group->style = apart.take(styleOf(*oldest));
}

}  // namespace

std::set<std::string> repeatedOf(std::span<const RunItemPtr> runs) {
    const std::map<std::string, RunItemPtr> counted = countedBySeeds(runs);
    std::set<std::string> repeated;
    for (const RunItemPtr& run : runs) {
        if (counted.at(run->line.seeds) != run) repeated.insert(run->row.runId);
    }
    return repeated;
}

std::set<std::string> earlierPartsOf(std::span<const RunItemPtr> runs) {
    std::map<std::string, RunItemPtr> byId;
    for (const RunItemPtr& run : runs) byId[run->row.runId] = run;
    std::set<std::string> parts;
    for (const auto& [seeds, counted] : countedBySeeds(runs)) {
        RunItemPtr run = counted;
        while (run) {
            const auto before = byId.find(run->row.resumedFrom);
            const bool isPart = before != byId.end() && before->second != counted &&
                                before->second->line.seeds == seeds &&
                                before->second->row.workers == counted->row.workers;
            const bool isNew = isPart && parts.insert(before->first).second;
            run = isNew ? before->second : nullptr;
        }
    }
    return parts;
}

std::size_t CompareGroup::finished() const {
    return static_cast<std::size_t>(std::count_if(
        runs.begin(), runs.end(), [this](const RunItemPtr& run) { return hasFinished(*run) && counts(*run); }));
}

bool CompareGroup::takes(const RunItem& run, Members members) const {
    if (run.row.status == "queued" || !counts(run)) return false;
    if (members == Members::AsFarAsAll || hasFinished(run)) return true;
    return members == Members::Finished && finished() == 0;
}

std::size_t CompareGroup::taken(Members members) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(runs, [&](const RunItemPtr& run) { return takes(*run, members); }));
}

bool CompareGroup::simulated() const {
    return std::any_of(runs.begin(), runs.end(), [](const RunItemPtr& run) { return run->row.timeSimulated; });
}

bool CompareGroup::diverged() const {
    return std::any_of(runs.begin(), runs.end(), [this](const RunItemPtr& run) {
        return counts(*run) && hasFinished(*run) && run->row.lossIsNaN;
    });
}

QString CompareGroup::origin() const {
    const auto imported = std::ranges::find_if(runs, [](const RunItemPtr& run) { return run->row.imported(); });
    return originInWords(imported == runs.end() ? *runs.front() : **imported);
}

QString CompareGroup::count() const {
    const std::size_t taken = finished(), all = trainings();
    return taken == all ? QString::number(taken) : QStringLiteral("%1 of %2").arg(taken).arg(all);
}

std::vector<CompareGroup> compareGroups(std::span<const RunItemPtr> runs,
                                        const std::function<CurveStyle(const RunItem&)>& styleOf) {
    std::vector<CompareGroup> groups;
    std::map<std::string, std::size_t> places;
    for (const RunItemPtr& run : runs) {
        const auto [place, isNew] = places.try_emplace(run->group, groups.size());
        if (isNew) groups.push_back({.key = run->group});
        groups[place->second].runs.push_back(run);
    }
    std::vector<std::vector<RunItemPtr>> configurations;
    for (const CompareGroup& group : groups) configurations.push_back(group.runs);
    const QStringList names = configurationNames(configurations);
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].name = groups[i].usualName = names[static_cast<qsizetype>(i)];
        std::stable_sort(groups[i].runs.begin(), groups[i].runs.end(),
                         [](const RunItemPtr& a, const RunItemPtr& b) { return a->row.seed < b->row.seed; });
        groups[i].repeated = repeatedOf(groups[i].runs);
        groups[i].parts = earlierPartsOf(groups[i].runs);
    }
    takeStyles(groups, styleOf);
    return groups;
}

QString LeftOutRun::inWords() const {
    if (isMadeAgain) return madeAgainInWords(*run);
    return seedEndInWords(*run) + QLatin1String(isTaken ? " (drawn as far as all of its seeds go)" : ", left out");
}

std::vector<LeftOutRun> runsLeftOut(std::span<const CompareGroup> groups, Members members) {
    std::vector<LeftOutRun> out;
    for (const bool again : {false, true}) {
        for (const CompareGroup& group : groups) {
            for (const RunItemPtr& run : group.runs) {
                if (again ? group.wasMadeAgain(*run) : !hasFinished(*run) && group.counts(*run))
                    out.push_back({&group, run, again, group.takes(*run, members)});
            }
        }
    }
    return out;
}

namespace {

QStringList linesOf(const std::vector<LeftOutRun>& runs, bool named) {
    QStringList lines, again;
    for (const LeftOutRun& one : runs) {
        // The curve of one group says itself how far it is drawn.
        const QString words = !named && one.isTaken ? seedEndInWords(*one.run) : one.inWords();
        (one.isMadeAgain ? again : lines) << (named ? one.group->name + QStringLiteral(", ") : QString()) + words;
    }
    if (again.size() > 1) again = {QStringLiteral("%1 older runs that were run again do not count").arg(again.size())};
    return lines + again;
}

}  // namespace

QStringList leftOut(const std::vector<CompareGroup>& groups, Members members) {
    return linesOf(runsLeftOut(groups, members), true);
}

QStringList leftOutOf(const CompareGroup& group, Members members) {
    return linesOf(runsLeftOut({&group, 1}, members), false);
}

bool anyGoesPartOfTheWay(const std::vector<CompareGroup>& groups) {
    return std::ranges::any_of(runsLeftOut(groups, Members::AsFarAsAll), [](const LeftOutRun& one) {
        return one.isTaken && !one.group->takes(*one.run, Members::Finished);
    });
}

namespace {

// Settings of each group, taken from its first run.
std::vector<Settings> settingsOfGroups(const std::vector<CompareGroup>& groups) {
    std::vector<Settings> settings;
    settings.reserve(groups.size());
    for (const CompareGroup& group : groups) settings.push_back(group.runs.front()->config.unpacked());
    return settings;
}

}  // namespace

std::vector<std::string> sweptKeys(const std::vector<CompareGroup>& groups) {
    const std::vector<Settings> settings = settingsOfGroups(groups);
    std::set<std::string> algorithms;
    for (const Settings& own : settings) {
        const auto name = own.find("algorithm.name");
        algorithms.insert(name == own.end() ? std::string() : name->second);
    }
    std::set<std::string> keys;
    for (const Settings& own : differencesOf(settings)) {
        for (const auto& [key, value] : own) keys.insert(key);
    }
    std::vector<std::string> out;
    if (algorithms.size() > 1) out.emplace_back("algorithm.name");
    out.insert(out.end(), keys.begin(), keys.end());
    return out;
}

MapKeys mapKeys(const std::vector<CompareGroup>& groups) {
    std::vector<std::string> keys = sweptKeys(groups);
    std::stable_sort(keys.begin(), keys.end(), [](const std::string& a, const std::string& b) {
        const auto rank = [](const std::string& key) {
            return key == "algorithm.name" ? 2 : key.starts_with("algorithm.") ? 0 : 1;
        };
        return rank(a) < rank(b);
    });
    if (keys.size() < 2) return {std::string(), keys.empty() ? std::string() : keys[0]};
    // The first of the pairs that most configurations have both keys of; a pair that none has would make an empty map.
    const std::vector<Settings> settings = settingsOfGroups(groups);
    MapKeys best{keys[1], keys[0]};
    std::ptrdiff_t most = -1;
    for (std::size_t column = 0; column < keys.size(); ++column) {
        for (std::size_t row = column + 1; row < keys.size(); ++row) {
            const auto have = std::count_if(settings.begin(), settings.end(), [&](const Settings& own) {
                return own.contains(keys[column]) && own.contains(keys[row]);
            });
            if (have > most) best = {keys[row], keys[column]};
            most = std::max(most, have);
        }
    }
    return best;
}

}  // namespace dasgd::gui
