// The rows of a timeline and their order: single ranks, and groups of ranks drawn as shares. Pure.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace dasgd::gui {

// One pair of lanes, for a rank or a group.
struct RankGroup {
    QString name;            // "" for a single rank
    std::vector<int> ranks;  // ascending; more than one: drawn as shares of them
    bool pinned = false;
    bool open = false;  // its ranks follow as single rows
    [[nodiscard]] bool isGroup() const { return ranks.size() > 1; }
    bool operator==(const RankGroup&) const = default;
};
using RowPlan = std::vector<RankGroup>;
using RowPlanPtr = std::shared_ptr<const RowPlan>;

enum class RankSort { Rank, LateFirst };

// The user's choices for one run.
struct RankOrder {
    static constexpr int kManyRanks = 16;      // above this, ranks are collapsed by default
    static constexpr std::size_t kBeside = 4;  // unpinned ranks that keep a row of their own when collapsed

    std::vector<int> pinned;  // in the order in which they were pinned
    RankSort sort = RankSort::Rank;
    std::optional<bool> collapsed;
    std::set<QString> open;  // groups, by name
    [[nodiscard]] bool isCollapsed(int workers) const { return collapsed.value_or(workers > kManyRanks); }
    bool operator==(const RankOrder&) const = default;
};

// Properties of the ranks that the order depends on.
struct RankFacts {
    int workers = 0;
    std::vector<double> lateNs;  // by rank; empty: not known
    QStringList hosts;           // by rank; empty: not known
};

// Pinned ranks, then the others by rank or the latest first. Collapsed: the pinned ones, of more than kManyRanks the
// latest (or first) four, and for the others a group per host, or one group if hosts are not known. Every rank is in
// exactly one row, except those of an open group, which also follow it.
[[nodiscard]] RowPlan planOf(const RankOrder& order, const RankFacts& facts);

}  // namespace dasgd::gui
