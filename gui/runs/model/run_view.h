// The last state of a workspace's list of runs, stored for the next window in the program's settings file.
#pragma once

#include <QString>
#include <filesystem>

#include "gui/runs/model/run_columns.h"

namespace dasgd::gui {

struct RunView {
    QString filter;
    QString grouping = QStringLiteral("series");        // Grouping::name()
    RunColumn column{.field = RunTableModel::Started};  // column that the list is ordered by
    Qt::SortOrder direction = Qt::DescendingOrder;
    bool operator==(const RunView&) const = default;
};

// Number of workspaces remembered; the one left the longest ago is dropped.
inline constexpr int kMostRunViews = 50;

// The default if none is stored.
[[nodiscard]] RunView keptRunView(const std::filesystem::path& workspace);
void keepRunView(const std::filesystem::path& workspace, const RunView& view);

}  // namespace dasgd::gui
