#include "gui/figures/model/rank_rows.h"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <set>

namespace dasgd::gui {

namespace {

constexpr int kMostRank = 1'048'575;

// "4" or "4-7".
Result<std::vector<int>> ranksBetween(const QString& text) {
    static const QRegularExpression form(QStringLiteral("^\\s*([0-9]{1,7})\\s*(?:[-–]\\s*([0-9]{1,7}))?\\s*$"));
    const QRegularExpressionMatch match = form.match(text);
    const int first = match.captured(1).toInt();
    const int last = match.captured(2).isEmpty() ? first : match.captured(2).toInt();
    if (!match.hasMatch() || last < first || last > kMostRank) {
        return fail("found \"" + text.trimmed().toStdString() +
                    "\"; allowed ranks, as 0-7, 12, or [4-255] for several in one row");
    }
    std::vector<int> ranks;
    for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
    return ranks;
}

Result<RankGroup> groupIn(const QString& inside) {
    RankGroup group{.name = inside.contains(u':') ? inside.section(u':', 0, 0).trimmed() : QString()};
    const QString list = inside.contains(u':') ? inside.section(u':', 1) : inside;
    std::set<int> ranks;
    for (const QString& part : list.split(u',')) {
        DASGD_ASSIGN(const std::vector<int> some, ranksBetween(part));
        ranks.insert(some.begin(), some.end());
    }
    group.ranks.assign(ranks.begin(), ranks.end());
    if (group.name.isEmpty() && group.isGroup()) group.name = QStringLiteral("others");
    if (!group.isGroup()) group.name.clear();
    return group;
}

// Splits at commas outside brackets.
QStringList partsOf(const QString& text) {
    QStringList parts{QString()};
    int depth = 0;
    for (const QChar c : text) {
        depth += c == u'[' ? 1 : c == u']' ? -1 : 0;
        if (c == u',' && depth == 0) {
            parts << QString();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

QString rangesText(const std::vector<int>& ranks) {
    QStringList parts;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i;
        while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
        parts << (end == i ? QString::number(ranks[i]) : QStringLiteral("%1-%2").arg(ranks[i]).arg(ranks[end]));
        i = end + 1;
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace

Result<RowPlan> rowPlanOf(const QString& text) {
    RowPlan plan;
    std::set<int> alone, grouped;
    for (const QString& part : text.trimmed().isEmpty() ? QStringList() : partsOf(text)) {
        const QString one = part.trimmed();
        if (one.startsWith(u'[')) {
            if (!one.endsWith(u']')) return fail("\"" + one.toStdString() + "\": the bracket is not closed");
            DASGD_ASSIGN(RankGroup group, groupIn(one.mid(1, one.size() - 2)));
            // No rank may be in two groups, or in two rows of its own.
            for (const int rank : group.ranks) {
                std::set<int>& known = group.isGroup() ? grouped : alone;
                if (!known.insert(rank).second) return fail("rank " + std::to_string(rank) + " stands there twice");
            }
            plan.push_back(std::move(group));
        } else {
            DASGD_ASSIGN(const std::vector<int> ranks, ranksBetween(one));
            if (ranks.size() > kMostRankRows) return fail("at most " + std::to_string(kMostRankRows) + " rows");
            for (const int rank : ranks) {
                if (!alone.insert(rank).second) return fail("rank " + std::to_string(rank) + " stands there twice");
                plan.push_back({.ranks = {rank}});
            }
        }
        if (plan.size() > kMostRankRows) return fail("at most " + std::to_string(kMostRankRows) + " rows");
    }
    return plan;
}

QString rankRowsText(const RowPlan& plan) {
    QStringList parts;
    std::vector<int> alone;
    const auto flush = [&] {
        if (!alone.empty()) parts << rangesText(alone);
        alone.clear();
    };
    for (std::size_t place = 0; place < std::min(plan.size(), kMostRankRows); ++place) {
        const RankGroup& row = plan[place];
        if (!row.isGroup()) {
            alone.push_back(row.ranks.front());
            continue;
        }
        flush();
        QString name = row.name;
        for (const QChar c : {u'[', u']', u':', u','}) name.remove(c);
        const QString ranks = rangesText(row.ranks);
        parts << (name.isEmpty() ? QStringLiteral("[%1]").arg(ranks) : QStringLiteral("[%1: %2]").arg(name, ranks));
    }
    flush();
    return parts.join(QStringLiteral(", "));
}

}  // namespace dasgd::gui
