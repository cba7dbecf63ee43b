#include "gui/data/spans/rank_order.h"

#include <QCoreApplication>
#include <QSet>
#include <algorithm>

namespace dasgd::gui {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("RankOrder", text); }

double lateOf(const RankFacts& facts, int rank) {
    const auto place = static_cast<std::size_t>(rank);
    return place < facts.lateNs.size() ? facts.lateNs[place] : 0;
}

// Grouped by host if the host of every rank is known and there are several.
std::vector<RankGroup> groupsOf(const std::vector<int>& ranks, const RankFacts& facts, bool some) {
    const bool hosts =
        facts.hosts.size() == facts.workers && QSet<QString>(facts.hosts.begin(), facts.hosts.end()).size() > 1;
    if (!hosts) return {{.name = some ? tr("others") : tr("all ranks"), .ranks = ranks}};
    std::vector<RankGroup> groups;
    for (const int rank : ranks) {
        const QString& host = facts.hosts[rank];
        const auto known = std::ranges::find(groups, host, &RankGroup::name);
        if (known == groups.end()) {
            groups.push_back({.name = host, .ranks = {rank}});
        } else {
            known->ranks.push_back(rank);
        }
    }
    return groups;
}

}  // namespace

RowPlan planOf(const RankOrder& order, const RankFacts& facts) {
    RowPlan plan;
    std::vector<int> others;
    for (const int rank : order.pinned) {
        if (rank < facts.workers) plan.push_back({.ranks = {rank}, .pinned = true});
    }
    for (int rank = 0; rank < facts.workers; ++rank) {
        if (std::ranges::find(order.pinned, rank) == order.pinned.end()) others.push_back(rank);
    }
    std::vector<int> sorted = others;
    const auto later = [&](int a, int b) { return lateOf(facts, a) > lateOf(facts, b); };
    const bool collapsed = order.isCollapsed(facts.workers);
    const bool many = facts.workers > RankOrder::kManyRanks;
    if (order.sort == RankSort::LateFirst || (collapsed && many)) std::ranges::stable_sort(sorted, later);
    std::size_t alone = collapsed ? (many ? std::min(RankOrder::kBeside, sorted.size()) : 0) : sorted.size();
    for (std::size_t i = 0; i < alone; ++i) plan.push_back({.ranks = {sorted[i]}});
    std::vector<int> rest(sorted.begin() + static_cast<std::ptrdiff_t>(alone), sorted.end());
    std::ranges::sort(rest);
    if (rest.empty()) return plan;
    for (RankGroup& group : groupsOf(rest, facts, !plan.empty())) {
        if (!group.isGroup()) group.name.clear();
        group.open = group.isGroup() && order.open.contains(group.name);
        std::vector<int> inside = group.open ? group.ranks : std::vector<int>{};
        if (order.sort == RankSort::LateFirst) std::ranges::stable_sort(inside, later);
        plan.push_back(std::move(group));
        for (const int rank : inside) plan.push_back({.ranks = {rank}});
    }
    return plan;
}

}  // namespace dasgd::gui
