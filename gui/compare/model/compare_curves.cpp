#include "gui/compare/model/compare_curves.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr int kShowMs = 60;  // curves that arrive together are drawn together

}  // namespace

CompareCurves::CompareCurves(const CompareChoice& choice, CompareQuery& query) : choice_(choice), query_(query) {
    arrived_.setSingleShot(true);
    connect(&arrived_, &QTimer::timeout, this, &CompareCurves::curvesChanged);
    connect(&choice_, &CompareChoice::groupsChanged, this, &CompareCurves::prune);
    connect(&query_, &CompareQuery::curveArrived, this, [this](const CompareCurve& curve) {
        if (std::ranges::count(choice_.groups(), curve.group, &CompareGroup::key) == 0) return;  // an earlier request
        curves_[{curve.key, curve.group}] = curve.curve;
        if (!arrived_.isActive()) arrived_.start(kShowMs);
    });
    connect(&query_, &CompareQuery::progress, this, [this](int left) {
        // At 0 nothing more will arrive, so the views are drawn once more.
        if (std::exchange(left_, left) != left && left == 0 && !arrived_.isActive()) arrived_.start(kShowMs);
    });
}

// The query delivers nothing twice, so a group that returns later needs its curves forgotten there too.
void CompareCurves::prune() {
    std::set<std::string> keys;
    for (const CompareGroup& group : choice_.groups()) keys.insert(group.key);
    if (std::ranges::all_of(curves_, [&](const auto& entry) { return keys.contains(entry.first.second); })) return;
    curves_.clear();
    query_.forget();
}

void CompareCurves::want(const void* chart, const CompareCurveKey& key) {
    const auto known = wanted_.find(chart);
    const bool reads = cursorKey_.metric.empty() || (known != wanted_.end() && known->second == cursorKey_);
    const bool changes = reads && cursorKey_ != key;
    if (changes) cursorKey_ = key;
    wanted_[chart] = key;
    if (changes) emit cursorChanged();
    emit wantedChanged();
}

std::vector<CompareCurveKey> CompareCurves::wanted() const {
    std::set<CompareCurveKey> keys;
    for (const auto& [chart, key] : wanted_) keys.insert(key);
    return {keys.begin(), keys.end()};
}

const GroupCurve* CompareCurves::curve(const CompareCurveKey& key, std::size_t group) const {
    const auto found = curves_.find({key, choice_.groups()[group].key});
    return found == curves_.end() ? nullptr : found->second.get();
}

// True if the curve is over training time and none of the shown runs that recorded the metric recorded its training
// time.
bool CompareCurves::isUnclocked(const CompareCurveKey& key) const {
    return key.axis == XAxis::Training && !choice_.shown().empty() &&
           std::ranges::all_of(choice_.shown(), [&](std::size_t group) {
               const GroupCurve* made = curve(key, group);
               return made && made->unclocked;
           });
}

XAxis CompareCurves::usualTime() {
    const bool any = std::ranges::any_of(wanted_, [this](const auto& one) { return isUnclocked(one.second); });
    if (!any && !unclocked_) return XAxis::Training;
    std::set<std::string> runs;
    for (const std::size_t group : choice_.shown()) {
        for (const RunItemPtr& run : choice_.groups()[group].runs) runs.insert(run->row.runId);
    }
    if (any) {
        unclocked_ = std::move(runs);
    } else if (runs != *unclocked_) {
        unclocked_.reset();
    }
    return unclocked_ ? XAxis::Wall : XAxis::Training;
}

std::size_t CompareCurves::runsInCurves() const {
    std::size_t runs = 0;
    for (std::size_t i = 0; i < choice_.groups().size(); ++i) {
        const GroupCurve* own = curve(cursorKey_, i);
        if (!own || !own->mean.mean.x.empty()) runs += choice_.groups()[i].taken(members_);
    }
    return runs;
}

void CompareCurves::setMembers(Members members) {
    if (members == members_) return;
    members_ = members;
    emit wantedChanged();
    emit curvesChanged();
}

void CompareCurves::setSpread(Spread spread) {
    spread_ = spread;
    emit curvesChanged();
    emit spreadChanged();
}

std::optional<double> CompareCurves::readAt() const {
    if (cursor_ || members_ != Members::AsFarAsAll) return cursor_;
    std::optional<double> end;
    for (const std::size_t group : choice_.shown()) {
        const GroupCurve* own = curve(cursorKey_, group);
        if (!own || own->mean.mean.x.empty()) continue;
        end = std::min(end.value_or(own->mean.mean.x.back()), own->mean.mean.x.back());
    }
    return end;
}

void CompareCurves::setCursor(const std::optional<double>& x, const CompareCurveKey& key) {
    cursor_ = x;
    cursorKey_ = key;
    emit cursorChanged();
}

}  // namespace dasgd::gui
