#include "gui/compare/model/compare_results.h"

#include <algorithm>

namespace dasgd::gui {

CompareResults::CompareResults(const CompareChoice& choice, const CompareCurves& curves, CompareQuery& query)
    : choice_(choice), curves_(curves) {
    connect(&choice, &CompareChoice::restarted, this, [this] { compared_.reset(); });
    connect(&choice, &CompareChoice::shownChanged, this, [this] { cautions_.reset(); });
    connect(&curves, &CompareCurves::spreadChanged, this, &CompareResults::comparedChanged);
    connect(&query, &CompareQuery::compared, this, &CompareResults::take);
}

// An answer to an earlier request, for other configurations or runs, is dropped; the current one is still computed.
void CompareResults::take(const std::shared_ptr<const Compared>& compared) {
    const std::vector<CompareGroup>& groups = choice_.groups();
    if (compared->keys.size() != groups.size() || compared->comparison.groups.size() != groups.size()) return;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto& ids = compared->comparison.groups[i].runIds;
        const bool isSame =
            std::equal(ids.begin(), ids.end(), groups[i].runs.begin(), groups[i].runs.end(),
                       [](const std::string& id, const RunItemPtr& run) { return id == run->row.runId; });
        if (compared->keys[i] != groups[i].key || !isSame) return;
    }
    compared_ = compared;
    cautions_.reset();
    emit comparedChanged();
}

void CompareResults::setTarget(const std::optional<Target>& target) {
    if (target == target_) return;
    target_ = target;
    emit targetChanged();
    emit comparedChanged();  // the times in the table are for the former target
}

CompareView CompareResults::view() const {
    CompareView view(choice_.groups(), compared_.get());
    view.shown = choice_.shown();
    view.highlighted = choice_.highlighted();
    view.spread = curves_.spread();
    view.target = target_;
    return view;
}

const QString& CompareResults::cautionsInWords() const {
    if (!cautions_) cautions_ = view().cautionsInWords();
    return *cautions_;
}

}  // namespace dasgd::gui
