// Text form of the rows of a timeline figure: "12, 0-3, [4-255]" is rank 12, then ranks 0 to 3 in a row each, then the
// others together in one row of shares; "[rack 2: 4-255]" gives it a name. Pure.
#pragma once

#include <QString>

#include "core/base/result.h"
#include "gui/data/spans/rank_order.h"

namespace dasgd::gui {

inline constexpr std::size_t kMostRankRows = 64;  // per figure

// Errors: a part that is no rank, with what is allowed; a rank in two groups or two rows of its own; too many rows.
[[nodiscard]] Result<RowPlan> rowPlanOf(const QString& text);
// Text that rowPlanOf() reads as the first kMostRankRows rows of `plan`.
[[nodiscard]] QString rankRowsText(const RowPlan& plan);

}  // namespace dasgd::gui
