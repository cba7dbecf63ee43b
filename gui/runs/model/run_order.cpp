#include "gui/runs/model/run_order.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "gui/data/runs/setting_number.h"

namespace dasgd::gui {

namespace {

enum class Group { Number, Text, NotANumber, Absent };

// Sort key of a run, computed once per run and not once per comparison.
struct OrderEntry {
    Group group = Group::Absent;
    double number = 0;
    QString text;
    RunItemPtr run;
};

void setNumber(OrderEntry& entry, double number) {
    entry.group = std::isnan(number) ? Group::NotANumber : Group::Number;
    if (!std::isnan(number)) entry.number = number;
}

void setText(OrderEntry& entry, const QString& text) {
    entry.group = text.isEmpty() ? Group::Absent : Group::Text;
    entry.text = text;
}

// Start time as a text in order of time. Waiting runs sort after all started ones; in both directions those with an
// earlier turn are above the others, as in a queue, with those in the workspace's queue in one order.
QString startOf(const storage::RunRow& row, Qt::SortOrder direction) {
    if (!row.queueTurn) return QString::fromStdString(row.startedAt);
    constexpr int kDigits = 14;
    constexpr double kMost = 1e9;
    const double place = direction == Qt::AscendingOrder ? *row.queueTurn : kMost - *row.queueTurn;
    return QStringLiteral("~%1 %2")
        .arg(row.inQueue ? QString() : QString::fromStdString(row.series))
        .arg(place, kDigits, 'f', 3, QLatin1Char('0'));
}

OrderEntry entryByKey(const RunItemPtr& run, const std::string& key) {
    OrderEntry entry{.run = run};
    const std::string* value = run->config.find(key);
    if (!value) return entry;
    if (const auto number = settingNumber(*value)) {
        setNumber(entry, number->value);
    } else {
        setText(entry, QString::fromStdString(*value));
    }
    return entry;
}

OrderEntry entryByColumn(const RunItemPtr& run, RunTableModel::Column column, Qt::SortOrder direction) {
    OrderEntry entry{.run = run};
    if (column == RunTableModel::Started) {
        setText(entry, startOf(run->row, direction));
    } else if (!RunTableModel::isNumeric(column)) {
        setText(entry, RunTableModel::textOf(*run, column));
    } else if (const auto number = RunTableModel::numberOf(*run, column)) {
        setNumber(entry, *number);
    }
    return entry;
}

bool newestFirst(const RunItem& a, const RunItem& b) {
    const int started = a.row.startedAt.compare(b.row.startedAt);
    return started != 0 ? started > 0 : a.id > b.id;
}

}  // namespace

void RunOrder::sort(std::vector<RunItemPtr>& runs) const {
    std::vector<OrderEntry> entries;
    entries.reserve(runs.size());
    for (RunItemPtr& run : runs) {
        entries.push_back(key.empty() ? entryByColumn(run, static_cast<RunTableModel::Column>(column), direction)
                                      : entryByKey(run, key));
    }
    const bool up = direction == Qt::AscendingOrder;
    std::sort(entries.begin(), entries.end(), [up](const OrderEntry& a, const OrderEntry& b) {
        if (a.group != b.group) return a.group < b.group;
        if (a.number != b.number) return (a.number < b.number) == up;
        const int text = a.text.compare(b.text);
        return text != 0 ? (text < 0) == up : newestFirst(*a.run, *b.run);
    });
    std::transform(entries.begin(), entries.end(), runs.begin(),
                   [](OrderEntry& entry) { return std::move(entry.run); });
}

}  // namespace dasgd::gui
