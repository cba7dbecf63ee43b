// Differences between runs: settings, and code.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "gui/data/runs/run_item.h"
#include "storage/read/run_reader.h"

namespace dasgd::gui {

struct SettingDifference {
    QString key;
    QStringList values;  // one per run, in order; kAbsent if a run lacks the setting
    bool operator==(const SettingDifference&) const = default;
};

// The settings that differ between the runs, by key, seeds included.
[[nodiscard]] std::vector<SettingDifference> differencesOf(const std::vector<RunItemPtr>& runs);

struct CodeDifference {
    QString words;    // "the same code: commit 012bba8", "commits 012bba8 and ed35763"
    QString command;  // git command that shows the changes between the two commits; "" if there is none
    // Uncommitted changes of the first and the second run, as lines of a diff. Empty if both had the same.
    QString uncommittedHere, uncommittedThere;
};

[[nodiscard]] CodeDifference codeDifferenceOf(const storage::RunDetail& here, const storage::RunDetail& there);

}  // namespace dasgd::gui
