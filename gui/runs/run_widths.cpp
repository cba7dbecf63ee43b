#include "gui/runs/run_widths.h"

#include <QFontMetricsF>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

namespace {

constexpr int kCellPadding = 14;  // padding of the style sheet and, in cells, 6 px of the style's margin beside a text
constexpr int kMostMeasured = 400;
constexpr int kWidestSettings = 420;

// The longest text expected in each column; longer ones are cut, with a tool tip.
constexpr std::array<const char*, RunTableModel::kColumns> kCellSamples{"★",
                                                                        "●   interrupted",
                                                                        "delay-period",
                                                                        "■■■ streaming_diloco",
                                                                        "τ 16  d 12  ξ 0.25  c 1",
                                                                        "1000",
                                                                        "128",
                                                                        "threads",
                                                                        "run 10 of 12",
                                                                        "59 min 59 s sim",
                                                                        "100 000",
                                                                        "6.54e-06",
                                                                        "100.0 %",
                                                                        "100.0 %",
                                                                        "1000.00 sim",
                                                                        "100 000 sim",
                                                                        "paper",
                                                                        "20261122-000000-independent-0000",
                                                                        "a note of some words",
                                                                        "0000000000",
                                                                        "a message of some words",
                                                                        "1000.00 sim",
                                                                        "1000.00 sim",
                                                                        "1.000",
                                                                        "100 000 000",
                                                                        "100.0 MB"};

int widthOf(const QString& cell, const QFontMetricsF& metrics = QFontMetricsF(interFont(13))) {
    return static_cast<int>(std::ceil(metrics.horizontalAdvance(cell))) + kCellPadding;
}

// The text of a cell with the symbol that is painted before it.
QString cellText(int section, const QString& text) {
    if (section == RunTableModel::Status) return QStringLiteral("●   ") + text;
    if (section == RunTableModel::Algorithm) return QStringLiteral("■■■ ") + text;
    return text;
}

}  // namespace

int titleWidth(const RunColumn& column) {
    if (column.field == RunTableModel::Star) return kStarColumnWidth;
    const QString title = column.field >= 0 ? RunTableModel::nameOf(column.field) : column.key.section(u'.', -1);
    // The title of the column that the list is sorted by has an arrow. Rounded up, since a text wider by a fraction of
    // a pixel would be cut.
    const double needed = QFontMetricsF(interFont(12, Weight::Medium)).horizontalAdvance(title + QStringLiteral(" ↓"));
    return static_cast<int>(std::ceil(needed)) + kCellPadding;
}

int usualWidth(const RunColumn& column) {
    if (column.field == RunTableModel::Star) return kStarColumnWidth;
    const QString sample =
        column.field >= 0 ? QString::fromUtf8(kCellSamples[static_cast<std::size_t>(column.field)]) : QString(9, u'0');
    return std::max(titleWidth(column), widthOf(sample));
}

std::vector<int> fittedWidths(const std::vector<ColumnNeed>& columns, int room) {
    const auto widthsBy = [&](auto&& of) {
        std::vector<int> widths;
        for (const ColumnNeed& need : columns) widths.push_back(need.takesRest ? need.content : of(need));
        return widths;
    };
    const auto sum = [](const std::vector<int>& widths) { return std::accumulate(widths.begin(), widths.end(), 0); };
    const auto rest = std::ranges::find_if(columns, &ColumnNeed::takesRest);
    std::vector<int> widths = widthsBy([](const ColumnNeed& need) { return need.usual; });
    const auto place = static_cast<std::size_t>(rest - columns.begin());
    if (sum(widths) <= room) {
        const int left = room - sum(widths);
        if (rest != columns.end()) widths[place] = std::clamp(rest->usual, rest->content, rest->content + left);
        return widths;
    }
    widths = widthsBy([](const ColumnNeed& need) { return std::min(need.usual, need.content); });
    if (rest == columns.end() || sum(widths) <= room) return widths;
    int left = room;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        if (widths[i] > left) {
            if (i > place) widths[place] += left;
            break;
        }
        left -= widths[i];
    }
    return widths;
}

bool ColumnContents::measure(const RunListModel& list, const std::vector<int>& sections, int first, int last) {
    whole_ = list.rowCount() <= kMostMeasured;
    bool grew = false;
    const QFontMetricsF metrics(interFont(13));
    for (int row = first; row <= std::min(last, kMostMeasured - 1); ++row) {
        for (const int section : sections) {
            if (section == RunTableModel::Star) continue;
            const QString text = cellText(section, list.data(list.index(row, section), Qt::DisplayRole).toString());
            int& widest = widest_[section];
            const int width = widthOf(text, metrics);
            grew = grew || width > widest;
            widest = std::max(widest, width);
        }
    }
    return grew;
}

ColumnNeed ColumnContents::needOf(const RunColumn& column, int section) const {
    const int usual = usualWidth(column), title = titleWidth(column);
    const auto found = widest_.find(section);
    if (found == widest_.end()) return {.usual = usual, .content = usual};
    if (column.field == RunTableModel::Settings)
        return {.usual = usual, .content = std::clamp(found->second, title, std::max(title, kWidestSettings))};
    return {.usual = usual, .content = whole_ ? std::clamp(found->second, title, usual) : usual};
}

}  // namespace dasgd::gui
