// Two runs compared in words and numbers: the composition of a step of each, and remarks on their comparability.
#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "gui/data/runs/run_item.h"
#include "gui/timeline/model/beside/beside_query.h"

namespace dasgd::gui {

struct BesideLine {
    QString what, a, b, difference, ratio;
    std::optional<SpanKind> kind;
};

struct BesideTable {
    std::vector<BesideLine> lines;
    // For each run the source of its numbers, ranks, steps and time range; then the differences between the runs.
    QStringList remarks;
};

// `elsewhere`: range on the axis of B, if B has no data in the window of A.
[[nodiscard]] BesideTable tableOf(const BesideNumbers& numbers, const RunItem& a, const RunItem& b,
                                  const std::optional<TimeRange>& elsewhere = std::nullopt);
// Columns separated by tabs.
[[nodiscard]] QString textOf(const BesideTable& table);

}  // namespace dasgd::gui
