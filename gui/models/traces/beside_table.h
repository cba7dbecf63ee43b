// Two runs side by side in words and numbers: what a step of each is made of, and what must be known to compare them.
#pragma once

#include <QStringList>
#include <optional>
#include <vector>

#include "gui/models/runs/run_item.h"
#include "gui/models/traces/beside_query.h"

namespace dasgd::gui {

struct BesideLine {
    QString what, a, b, difference, ratio;
    std::optional<SpanKind> kind;
};

struct BesideTable {
    std::vector<BesideLine> lines;
    // Of each run: where its numbers are from, how many ranks and steps, which stretch; then in what the two differ.
    QStringList remarks;
};

// `elsewhere`: what the axis of B shows, where B does not reach over the time of A's window.
[[nodiscard]] BesideTable tableOf(const BesideNumbers& numbers, const RunItem& a, const RunItem& b,
                                  const std::optional<TimeRange>& elsewhere = std::nullopt);
// With tabs between the columns.
[[nodiscard]] QString textOf(const BesideTable& table);

}  // namespace dasgd::gui
