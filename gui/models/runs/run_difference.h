// In what runs differ: their settings, and the code that they ran.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

struct SettingDifference {
    QString key;
    QStringList values;  // one a run, in their order; kAbsent where a run has no such setting
    bool operator==(const SettingDifference&) const = default;
};

// The settings that are not the same in all of the runs, by key. Seeds too.
[[nodiscard]] std::vector<SettingDifference> differencesOf(const std::vector<RunItemPtr>& runs);

struct CodeDifference {
    QString words;    // "the same code: commit 012bba8", "commits 012bba8 and ed35763"
    QString command;  // of git, that shows what lies between the two commits; "" where nothing can
    // Changes that were in no commit, as lines of a diff: those of the first run and those of the second. Empty where
    // both had the same.
    QString uncommittedHere, uncommittedThere;
};

[[nodiscard]] CodeDifference codeDifferenceOf(const storage::RunDetail& here, const storage::RunDetail& there);

}  // namespace dasgd::gui
