// A snapshot of a comparison for its pictures: configurations, numbers as far as they are read, and the state of the
// view. Refers to groups and numbers of the board or figure that made it, which must outlive it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "gui/compare/model/compare_numbers.h"
#include "gui/compare/model/compare_query.h"

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
    Spread spread = Spread::Std;
    std::optional<Target> target;

    [[nodiscard]] const std::vector<CompareGroup>& groups() const { return groups_; }
    // Null until it is read.
    [[nodiscard]] const Compared* compared() const { return compared_; }
    // Null until it is computed. When runs are added the former row is kept until the next is computed.
    [[nodiscard]] const ComparedGroup* row(std::size_t group) const;
    // The group that ratios refer to; nullopt where nothing was timed.
    [[nodiscard]] std::optional<std::size_t> baseline() const;
    // Differences of the finished shown runs other than the algorithm, and which of them shared their machine with
    // other load; "" where there are none.
    [[nodiscard]] QString cautionsInWords() const;
    // The times to the target were computed for `target`.
    [[nodiscard]] bool isTargetRead() const { return compared_ && compared_->target == target; }

private:
    const std::vector<CompareGroup>& groups_;
    const Compared* compared_;
};

// The run's own number is in the mean of its configuration: it counts, has finished, and has one. A speed-up is formed
// from times per step.
[[nodiscard]] bool isBehind(const CompareGroup& group, const RunItem& run, CompareNumber number,
                            const Compared& compared);
// Ids of the runs behind a number of a group; of those behind any if `number` is nullopt.
[[nodiscard]] QStringList runsBehind(const CompareView& view, std::size_t group, std::optional<CompareNumber> number);

// Mean of a group ÷ mean of the baseline. n = 0 if either has none, for a speed-up, which is a ratio itself, and for
// times to a target that not all finished runs of both reached.
[[nodiscard]] Sample ratioToBaseline(const CompareView& view, std::size_t group, CompareNumber number);
// "×: ratio to the mean of sync_sgd"; "" where no shown group has a ratio.
[[nodiscard]] QString ratiosInWords(const CompareView& view, CompareNumber number);

}  // namespace dasgd::gui
