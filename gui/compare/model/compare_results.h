// The numbers of a comparison: a row for each configuration, as far as it is computed. UI thread.
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "gui/compare/model/compare_curves.h"
#include "gui/compare/model/compare_view.h"

namespace dasgd::gui {

class CompareResults : public QObject {
    Q_OBJECT

public:
    CompareResults(const CompareChoice& choice, const CompareCurves& curves, CompareQuery& query);

    void setTarget(const std::optional<Target>& target);
    [[nodiscard]] const std::optional<Target>& target() const { return target_; }
    // Snapshot for plots, bars and map; valid until the comparison changes.
    [[nodiscard]] CompareView view() const;
    // Baseline of the current numbers; nullopt where nothing was timed.
    [[nodiscard]] std::optional<std::size_t> baseline() const {
        return CompareView(choice_.groups(), compared_.get()).baseline();
    }
    // Null until it is computed. When runs are added the former row is kept until the next is computed.
    [[nodiscard]] const ComparedGroup* row(std::size_t group) const {
        return CompareView(choice_.groups(), compared_.get()).row(group);
    }
    // The times to the target were computed for the target that is set now.
    [[nodiscard]] bool isTargetRead() const { return compared_ && compared_->target == target_; }
    [[nodiscard]] const Compared* compared() const { return compared_.get(); }
    // The cautions of view(), cached: lines that contain them are redrawn with every move of the cursor.
    [[nodiscard]] const QString& cautionsInWords() const;
    // Runs that are in no mean, or only in part, one a line.
    [[nodiscard]] QStringList leftOutInWords() const { return leftOut(choice_.groups(), curves_.members()); }

signals:
    void targetChanged();
    void comparedChanged();  // the numbers, or they are written otherwise

private:
    void take(const std::shared_ptr<const Compared>& compared);

    const CompareChoice& choice_;
    const CompareCurves& curves_;
    std::optional<Target> target_;
    std::shared_ptr<const Compared> compared_;
    mutable std::optional<QString> cautions_;  // text for `compared_` and the shown groups
};

}  // namespace dasgd::gui
