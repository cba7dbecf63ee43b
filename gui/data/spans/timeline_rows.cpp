#include "gui/data/spans/timeline_rows.h"

#include <algorithm>
#include <utility>

namespace dasgd::gui {

namespace {

// Kinds that share a colour and an entry in the legend.
std::vector<SpanKind> withAliases(SpanKind kind) {
    switch (kind) {
        case SpanKind::Merge: return {SpanKind::Merge, SpanKind::Snapshot};
        case SpanKind::Transfer: return {SpanKind::Transfer, SpanKind::Reduce};
        case SpanKind::Backward: return {SpanKind::Backward, SpanKind::Passes};
        default: return {kind};
    }
}

}  // namespace

TimelineRows::TimelineRows(QObject* parent) : QObject(parent), plan_(std::make_shared<const RowPlan>()) {}

const RankOrder& TimelineRows::order() const {
    static const RankOrder kNone;
    const auto known = orders_.find(run_);
    return known == orders_.end() ? kNone : known->second;
}

void TimelineRows::setRun(const QString& run, int workers) {
    if (run == run_ && workers == facts_.workers) return;
    if (run != run_) {
        lateness_.reset();
        facts_ = {};
        emit latenessChanged();
    }
    run_ = run;
    facts_.workers = workers;
    replan();
}

void TimelineRows::setHosts(const QStringList& hosts) {
    if (hosts == facts_.hosts) return;
    facts_.hosts = hosts;
    replan();
}

void TimelineRows::setLateness(const std::optional<Lateness>& lateness) {
    const bool first = !lateness_ && lateness;
    lateness_ = lateness;
    if (first) sortByLateness();
    emit latenessChanged();
}

void TimelineRows::sortByLateness() {
    facts_.lateNs.clear();
    if (lateness_) {
        facts_.lateNs.resize(static_cast<std::size_t>(facts_.workers));
        for (const RankLateness& rank : lateness_->ranks) {
            if (rank.rank < facts_.workers) facts_.lateNs[static_cast<std::size_t>(rank.rank)] = rank.lateNs;
        }
    }
    replan();
}

void TimelineRows::togglePin(int rank) {
    std::vector<int>& pinned = order().pinned;
    if (std::erase(pinned, rank) == 0) pinned.push_back(rank);
    replan();
}

void TimelineRows::pin(int rank) {
    if (std::ranges::find(order().pinned, rank) == order().pinned.end()) togglePin(rank);
}

void TimelineRows::reveal(int rank) {
    const RankGroup* group = nullptr;
    for (const RankGroup& row : *plan_) {
        if (std::ranges::find(row.ranks, rank) == row.ranks.end()) continue;
        if (!row.isGroup()) return;
        group = &row;
    }
    if (group) toggleOpen(QString(group->name));
}

void TimelineRows::setSort(RankSort sort) {
    order().sort = sort;
    sortByLateness();
}

void TimelineRows::setCollapsed(bool collapsed) {
    order().collapsed = collapsed;
    order().open.clear();
    sortByLateness();
}

void TimelineRows::toggleOpen(const QString& group) {
    std::set<QString>& open = order().open;
    if (open.erase(group) == 0) open.insert(group);
    replan();
}

void TimelineRows::setShown(SpanKind kind, bool shown) {
    const KindSet before = hidden_;
    for (const SpanKind one : withAliases(kind)) hidden_.set(static_cast<std::size_t>(one), !shown);
    if (hidden_ != before) emit kindsChanged();
}

void TimelineRows::setHiddenKinds(const KindSet& hidden) {
    if (std::exchange(hidden_, hidden) != hidden) emit kindsChanged();
}

void TimelineRows::replan() {
    RowPlan plan = planOf(order(), facts_);
    if (plan == *plan_) return;
    plan_ = std::make_shared<const RowPlan>(std::move(plan));
    emit planChanged();
}

}  // namespace dasgd::gui
