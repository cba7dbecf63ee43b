// What pictures of a comparison show: its configurations, their numbers as far as they are read, and how they are
// looked at. It outlives nothing: groups and numbers are those of the board, or of the figure, that made it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gui/models/compare/compare_numbers.h"
#include "gui/models/compare/compare_query.h"

namespace dasgd::gui {

inline const QString kSetupsDiffer = QStringLiteral("set-ups differ: ");
// "set-ups differ: workers 2 / 4"; "" without any.
[[nodiscard]] QString setupsInWords(const std::vector<SetupDifference>& differences);

class CompareView {
public:
    CompareView(const std::vector<CompareGroup>& groups, const Compared* compared)
        : groups_(groups), compared_(compared) {}

    std::vector<std::size_t> shown;
    std::optional<std::size_t> highlighted;
    Spread spread = Spread::Interval;
    std::optional<Target> target;

    [[nodiscard]] const std::vector<CompareGroup>& groups() const { return groups_; }
    // Null until it is read.
    [[nodiscard]] const Compared* compared() const { return compared_; }
    // Null until it is formed. While runs are added the row before stands until the next is formed.
    [[nodiscard]] const ComparedGroup* row(std::size_t group) const;
    // The group that ratios refer to; nullopt where nothing was timed.
    [[nodiscard]] std::optional<std::size_t> baseline() const;
    // In what the finished runs of the shown groups differ beside their algorithms, and which of them did not have
    // their machine to themselves; "" where all is alike.
    [[nodiscard]] QString cautionsInWords() const;
    // Whether the times to the target are those of `target`.
    [[nodiscard]] bool isTargetRead() const { return compared_ && compared_->target == target; }

private:
    const std::vector<CompareGroup>& groups_;
    const Compared* compared_;
};

// The mean of a group ÷ that of the baseline; n = 0 where either has none, of a speed-up, which is a ratio itself, and
// of times to a target that not all finished runs of both reached.
[[nodiscard]] Sample ratioToBaseline(const CompareView& view, std::size_t group, CompareNumber number);
// "×: ratio to the mean of sync_sgd"; "" where no shown group has a ratio.
[[nodiscard]] QString ratiosInWords(const CompareView& view, CompareNumber number);

}  // namespace dasgd::gui
