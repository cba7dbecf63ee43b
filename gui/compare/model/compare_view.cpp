#include "gui/compare/model/compare_view.h"

#include <algorithm>

namespace dasgd::gui {

QString setupsInWords(const std::vector<SetupDifference>& differences) {
    const std::string words = setupInWords(differences);
    return words.empty() ? QString() : kSetupsDiffer + QString::fromStdString(words);
}

QString CompareView::cautionsInWords() const {
    std::vector<const ComparedGroup*> groups;
    std::vector<const RunSetup*> setups;
    for (const std::size_t group : shown) {
        const ComparedGroup* own = row(group);
        if (!own) continue;
        groups.push_back(own);
        for (const RunSetup& setup : own->setups) setups.push_back(&setup);
    }
    QStringList cautions{setupsInWords(setupDifferences(setups)), QString::fromStdString(disturbedInWords(groups)),
                         QString::fromStdString(partlyReadInWords(groups))};
    cautions.removeAll(QString());
    return cautions.join(QStringLiteral("; "));
}

std::optional<std::size_t> CompareView::baseline() const {
    if (!compared_) return std::nullopt;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        const ComparedGroup* own = row(i);
        if (own && own->label == compared_->comparison.baseline) return i;
    }
    return std::nullopt;
}

const ComparedGroup* CompareView::row(std::size_t group) const {
    if (!compared_ || group >= groups_.size()) return nullptr;
    const auto& keys = compared_->keys;
    // The row is usually at the same place, unless configurations were added since.
    if (group < keys.size() && keys[group] == groups_[group].key) return &compared_->comparison.groups[group];
    const auto found = std::find(keys.begin(), keys.end(), groups_[group].key);
    if (found == keys.end()) return nullptr;
    return &compared_->comparison.groups[static_cast<std::size_t>(found - keys.begin())];
}

bool isBehind(const CompareGroup& group, const RunItem& run, CompareNumber number, const Compared& compared) {
    if (number == CompareNumber::SpeedUp) number = CompareNumber::StepMs;
    return group.counts(run) && numberOf(run, number, compared.secondsToTarget);
}

QStringList runsBehind(const CompareView& view, std::size_t group, std::optional<CompareNumber> number) {
    const CompareGroup& own = view.groups()[group];
    QStringList ids;
    for (const RunItemPtr& run : own.runs) {
        if (view.compared() && isBehind(own, *run, number.value_or(CompareNumber::Samples), *view.compared()))
            ids << run->id;
    }
    return ids;
}

Sample ratioToBaseline(const CompareView& view, std::size_t group, CompareNumber number) {
    const auto baseline = view.baseline();
    const ComparedGroup* own = view.row(group);
    if (!baseline || !own || number == CompareNumber::SpeedUp) return {};
    const bool target = number == CompareNumber::SecondsToTarget;
    if (target && (!view.isTargetRead() || own->targetRatio.n == 0)) return {};
    const Sample one = sampleOf(*own, number), of = sampleOf(*view.row(*baseline), number);
    if (one.n == 0 || of.n == 0 || !(of.mean > 0)) return {};
    Sample ratio = ratioOf(one, of);
    if (group == *baseline || ratio.n == 0) ratio = {std::min(one.n, of.n), one.mean / of.mean, {}, {}};
    return ratio;
}

QString ratiosInWords(const CompareView& view, CompareNumber number) {
    const bool any =
        std::ranges::any_of(view.shown, [&](std::size_t group) { return ratioToBaseline(view, group, number).n > 0; });
    return any ? QStringLiteral("×: ratio to the mean of ") + view.groups()[*view.baseline()].name : QString();
}

}  // namespace dasgd::gui
