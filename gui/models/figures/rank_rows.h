// The rows of a timeline's figure as people write them: "12, 0-3, [4-255]" is rank 12, then the ranks 0 to 3, each in
// rows of its own, then the others as shares in one; "[rack 2: 4-255]" names them. Pure.
#pragma once

#include <QString>

#include "core/base/result.h"
#include "gui/models/timeline/rank_order.h"

namespace dasgd::gui {

inline constexpr std::size_t kMostRankRows = 64;  // of one figure

// Errors: what is no rank, and what is allowed; a rank that stands alone twice; too many rows.
[[nodiscard]] Result<RowPlan> rowPlanOf(const QString& text);
// What rowPlanOf() reads as the rows of `plan`, the first kMostRankRows of them.
[[nodiscard]] QString rankRowsText(const RowPlan& plan);

}  // namespace dasgd::gui
