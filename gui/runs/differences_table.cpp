#include "gui/runs/differences_table.h"

#include <QHeaderView>
#include <QRegularExpression>
#include <QResizeEvent>
#include <QTextLayout>
#include <algorithm>
#include <tuple>
#include <vector>

namespace dasgd::gui {

namespace {

int wrappedLines(const QFont& font, const QString& text, int width) {
    QTextLayout layout(text, font);
    QTextOption wrap;
    wrap.setWrapMode(QTextOption::WordWrap);
    layout.setTextOption(wrap);
    layout.beginLayout();
    int lines = 0;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(std::max(1, width));
        ++lines;
    }
    layout.endLayout();
    return std::max(1, lines);
}

// Width of the widest part that is not broken.
int leastWidth(const QFontMetrics& metrics, QString text) {
    int widest = 0;
    for (const QString& part : text.replace(BreakableText::kMayBreak, u' ').split(u' '))
        widest = std::max(widest, metrics.horizontalAdvance(part));
    return widest;
}

struct Cell {
    QString text;
    int width = 0, least = 0;  // width in one line, and of the widest unbroken part
};

std::vector<Cell> cellsOf(const QTableView& table, int column) {
    const QFontMetrics metrics(table.font());
    const auto& texts = static_cast<const QStyledItemDelegate&>(*table.itemDelegate());
    std::vector<Cell> cells;
    for (int row = 0; row < table.model()->rowCount(); ++row) {
        const QString text = texts.displayText(table.model()->index(row, column).data(), table.locale());
        // One pixel is added, since the width is rounded down.
        cells.push_back({text, metrics.horizontalAdvance(text) + 1, leastWidth(metrics, text) + 1});
    }
    return cells;
}

}  // namespace

QString BreakableText::displayText(const QVariant& value, const QLocale& locale) const {
    static const QRegularExpression ends(QStringLiteral("(?<=[._/])(?=\\p{L})"));
    QString text = QStyledItemDelegate::displayText(value, locale);
    text.replace(ends, kMayBreak);
    return text;
}

QSize BreakableText::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem line = option;
    line.rect = {};
    line.features &= ~QStyleOptionViewItem::WrapText;
    const QSize one = QStyledItemDelegate::sizeHint(line, index);
    const auto* table = qobject_cast<const QTableView*>(option.widget);
    if (!table) return one;
    const QString text = displayText(index.data(), option.locale);
    const QFontMetrics metrics(table->font());
    const int around = one.width() - metrics.horizontalAdvance(text);
    const int lines = wrappedLines(table->font(), text, table->columnWidth(index.column()) - around);
    return {one.width(), one.height() + (lines - 1) * metrics.lineSpacing()};
}

DifferencesTable::DifferencesTable() {
    setShowGrid(false);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::NoSelection);
    setFocusPolicy(Qt::TabFocus);
    setItemDelegate(new BreakableText(this));
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void DifferencesTable::showRows(int rows) {
    shown_ = rows;
    fit();
}

void DifferencesTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) fit();
}

// Fits all columns into the width, since a run beyond the edge could not be compared. The width of the keys is the one
// that makes the table lowest.
void DifferencesTable::fit() {
    constexpr int kBelow = 12, kBetweenRows = 4, kTries = 6;
    const int columns = model() ? model()->columnCount() : 0, room = viewport()->width();
    const int rows = model() ? model()->rowCount() : 0;
    if (columns < 2 || rows == 0 || room <= 0) return;
    const int around = sizeHintForIndex(model()->index(0, 0)).width() - cellsOf(*this, 0).front().width + 1;
    std::vector<std::vector<Cell>> cells;
    int leastKeys = 0, wholeKeys = 0, leastValues = 0;
    for (int column = 0; column < columns; ++column) {
        cells.push_back(cellsOf(*this, column));
        int least = horizontalHeader()->sectionSizeHint(column), whole = least;
        for (const Cell& cell : cells.back()) {
            least = std::max(least, cell.least + around);
            whole = std::max(whole, cell.width + around);
        }
        if (column == 0) std::tie(leastKeys, wholeKeys) = std::tie(least, whole);
        if (column > 0) leastValues = std::max(leastValues, least);
    }
    const auto valuesBeside = [&](int width) { return (room - width) / (columns - 1); };
    const auto linesWith = [&](int width) {
        int lines = 0;
        for (int row = 0; row < rows; ++row) {
            int most = 1;
            for (int column = 0; column < columns; ++column) {
                const Cell& cell = cells[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
                const int inside = (column == 0 ? width : valuesBeside(width)) - around;
                if (cell.width > inside) most = std::max(most, wrappedLines(font(), cell.text, inside));
            }
            lines += most;
        }
        return lines;
    };
    const int widest = std::max(leastKeys, std::min(wholeKeys, room - leastValues * (columns - 1)));
    int best = widest, fewest = linesWith(widest);
    for (int i = 1; i <= kTries; ++i) {
        const int width = widest - (widest - leastKeys) * i / kTries;
        const int lines = linesWith(width);
        if (lines < fewest) std::tie(best, fewest) = std::tie(width, lines);
    }
    horizontalHeader()->resizeSection(0, best);
    for (int column = 1; column < columns; ++column) horizontalHeader()->resizeSection(column, valuesBeside(best));
    int height = horizontalHeader()->sizeHint().height() + kBelow;
    for (int row = 0; row < rows; ++row) {
        setRowHeight(row, std::max(kRowHeight, sizeHintForRow(row) + kBetweenRows));
        if (row < shown_) height += rowHeight(row);
    }
    setFixedHeight(height);
}

}  // namespace dasgd::gui
