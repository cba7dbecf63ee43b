#include "gui/runs/model/run_difference.h"

#include <algorithm>
#include <set>

#include "gui/data/runs/run_config.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kShortHash = 10;

QString commitOf(const storage::RunDetail& run) { return QString::fromStdString(run.row.gitCommit); }

QString shortCommit(const storage::RunDetail& run) {
    return commitOf(run).isEmpty() ? QStringLiteral("not recorded") : commitOf(run).left(kShortHash);
}

}  // namespace

std::vector<SettingDifference> differencesOf(const std::vector<RunItemPtr>& runs) {
    std::set<std::string> keys;
    for (const RunItemPtr& run : runs) {
        if (run->config.keys()) keys.insert(run->config.keys()->begin(), run->config.keys()->end());
    }
    std::vector<SettingDifference> differences;
    for (const std::string& key : keys) {
        std::vector<const std::string*> values;
        for (const RunItemPtr& run : runs) values.push_back(run->config.find(key));
        const std::string* first = values.front();
        const bool same = std::all_of(values.begin(), values.end(), [first](const std::string* value) {
            return value == first || (value && first && *value == *first);
        });
        if (same) continue;
        SettingDifference one{.key = QString::fromStdString(key)};
        for (const std::string* value : values) one.values << (value ? settingValue(*value) : kAbsent);
        differences.push_back(std::move(one));
    }
    return differences;
}

CodeDifference codeDifferenceOf(const storage::RunDetail& here, const storage::RunDetail& there) {
    CodeDifference difference;
    const QString a = commitOf(here), b = commitOf(there);
    const bool sameCommit = a == b;
    const bool sameChanges = here.gitDirtyDiff == there.gitDirtyDiff && here.gitDirty == there.gitDirty;
    if (!sameChanges) {
        difference.uncommittedHere = QString::fromStdString(here.gitDirtyDiff);
        difference.uncommittedThere = QString::fromStdString(there.gitDirtyDiff);
    }
    if (a.isEmpty() && b.isEmpty()) {
        difference.words = QStringLiteral("no commit was recorded: whether the code is the same is not known");
    } else if (!sameCommit) {
        difference.words = QStringLiteral("commits %1 and %2").arg(shortCommit(here), shortCommit(there));
        if (!a.isEmpty() && !b.isEmpty()) difference.command = QStringLiteral("git diff %1 %2").arg(a, b);
    } else if (sameChanges) {
        difference.words = here.gitDirty ? QStringLiteral("the same code: commit %1 with the same uncommitted changes")
                                         : QStringLiteral("the same code: commit %1");
        difference.words = difference.words.arg(shortCommit(here));
    } else {
        difference.words = QStringLiteral("commit %1, other uncommitted changes").arg(shortCommit(here));
    }
    return difference;
}

}  // namespace dasgd::gui
