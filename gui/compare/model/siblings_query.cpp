#include "gui/compare/model/siblings_query.h"

#include <algorithm>

namespace dasgd::gui {

namespace {

constexpr std::size_t kMostKept = 64;  // curves

}  // namespace

std::optional<CompareGroup> siblingsOf(const RunItem& run, std::span<const RunItemPtr> all,
                                       const std::function<CurveStyle(const RunItem&)>& styleOf) {
    std::vector<RunItemPtr> runs;
    std::ranges::copy_if(all, std::back_inserter(runs), [&](const RunItemPtr& other) {
        return other->row.experiment == run.row.experiment && other->group == run.group &&
               other->row.status != "queued";
    });
    if (runs.size() < 2) return std::nullopt;
    const std::vector<CompareGroup> groups = compareGroups(runs, styleOf);
    if (groups.size() != 1 || groups.front().finished() < 2) return std::nullopt;
    return groups.front();
}

SiblingsQuery::SiblingsQuery() {
    connect(this, &CompareQuery::curveArrived, this, [this](const CompareCurve& arrived) {
        curves_[{arrived.group, arrived.key}] = arrived.curve;
    });
}

void SiblingsQuery::want(const void* who, const std::optional<Want>& asked) {
    std::optional<Want> want = asked;
    // Live runs are in no mean of finished ones, and each of their steps would request it again.
    if (want) std::erase_if(want->group.runs, [](const RunItemPtr& run) { return isLive(run->row); });
    if (want) {
        const auto known = wants_.find(who);
        if (known != wants_.end() && known->second.key == want->key && known->second.group.key == want->group.key &&
            known->second.group.runs == want->group.runs) {
            return;
        }
        wants_[who] = *want;
    } else if (wants_.erase(who) == 0) {
        return;
    }
    // The reader delivers nothing twice, so it must forget together with this cache.
    if (curves_.size() > kMostKept) {
        curves_.clear();
        forget();
    }
    ask();
}

void SiblingsQuery::ask() {
    CompareRequest wanted{.table = false};
    for (const auto& [who, want] : wants_) {
        const auto known = std::ranges::find(wanted.groups, want.group.key, &CompareGroup::key);
        if (known == wanted.groups.end()) wanted.groups.push_back(want.group);
        const bool asked = std::ranges::find(wanted.curves, want.key) != wanted.curves.end();
        if (!asked) wanted.curves.push_back(want.key);
    }
    request(std::move(wanted));
}

std::shared_ptr<const GroupCurve> SiblingsQuery::curveOf(const void* who) const {
    const auto want = wants_.find(who);
    if (want == wants_.end()) return nullptr;
    const auto curve = curves_.find({want->second.group.key, want->second.key});
    return curve == curves_.end() ? nullptr : curve->second;
}

}  // namespace dasgd::gui
