// How the list of runs of a workspace was left: kept for the next window, in the settings file of the program.
#pragma once

#include <QString>
#include <filesystem>

#include "gui/models/run_list/run_columns.h"

namespace dasgd::gui {

struct RunView {
    QString filter;
    QString grouping = QStringLiteral("series");        // Grouping::name()
    RunColumn column{.field = RunTableModel::Started};  // of the order
    Qt::SortOrder direction = Qt::DescendingOrder;
    bool operator==(const RunView&) const = default;
};

// Of so many workspaces; one more, and the one that was left the longest ago is forgotten.
inline constexpr int kMostRunViews = 50;

// As at first where none was kept.
[[nodiscard]] RunView keptRunView(const std::filesystem::path& workspace);
void keepRunView(const std::filesystem::path& workspace, const RunView& view);

}  // namespace dasgd::gui
