// Which rows a timeline has and in which order: ranks alone, or several drawn together as shares of them. Pure.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace dasgd::gui {

// One pair of lanes.
struct RankGroup {
    QString name;            // "" of a rank alone
    std::vector<int> ranks;  // ascending; more than one: drawn as shares of them
    bool pinned = false;
    bool open = false;  // its ranks follow, each alone
    [[nodiscard]] bool isGroup() const { return ranks.size() > 1; }
    bool operator==(const RankGroup&) const = default;
};
using RowPlan = std::vector<RankGroup>;
using RowPlanPtr = std::shared_ptr<const RowPlan>;

enum class RankSort { Rank, LateFirst };

// What was chosen for one run.
struct RankOrder {
    static constexpr int kManyRanks = 16;  // more are collapsed where nothing is chosen
    static constexpr std::size_t kBeside =
        4;  // ranks that stay alone beside the pinned ones while others are collapsed

    std::vector<int> pinned;  // in the order in which they were
    RankSort sort = RankSort::Rank;
    std::optional<bool> collapsed;
    std::set<QString> open;  // groups, by name
    [[nodiscard]] bool isCollapsed(int workers) const { return collapsed.value_or(workers > kManyRanks); }
    bool operator==(const RankOrder&) const = default;
};

// What is known of the ranks.
struct RankFacts {
    int workers = 0;
    std::vector<double> lateNs;  // by rank; empty: not known
    QStringList hosts;           // by rank; empty: not known
};

// Pinned ranks, then the others by rank or the latest first. Collapsed: the pinned ones, the latest (or first) four of
// more than kManyRanks, and of the others a group for each host, or, where hosts are not known, one of all. Every rank
// is in exactly one row, but for those of an open group, which follow it.
[[nodiscard]] RowPlan planOf(const RankOrder& order, const RankFacts& facts);

}  // namespace dasgd::gui
