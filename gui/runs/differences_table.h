// Table of the settings in which runs differ: a key and a value of each run, or all values in one column. Long texts
// are wrapped.
#pragma once

#include <QHeaderView>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTextLayout>
#include <algorithm>
#include <tuple>
#include <vector>

namespace dasgd::gui {

// Wrapping of keys and names behind a full stop, an underscore or a slash as at a space; numbers are not broken.
class BreakableText : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    static constexpr QChar kMayBreak{0x200b};
    [[nodiscard]] QString displayText(const QVariant& value, const QLocale& locale) const override {
        static const QRegularExpression ends(QStringLiteral("(?<=[._/])(?=\\p{L})"));
        QString text = QStyledItemDelegate::displayText(value, locale);
        text.replace(ends, kMayBreak);
        return text;
    }
    // Width of the text in one line, and height of its lines in the width of the column. The style's own hint ignores
    // its padding when it wraps.
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem line = option;
        line.rect = {};
        line.features &= ~QStyleOptionViewItem::WrapText;
        const QSize one = QStyledItemDelegate::sizeHint(line, index);
        const auto* table = qobject_cast<const QTableView*>(option.widget);
        if (!table) return one;
        const QString text = displayText(index.data(), option.locale);
        const QFontMetrics metrics(table->font());
        const int around = one.width() - metrics.horizontalAdvance(text);
        const int lines = linesIn(table->font(), text, table->columnWidth(index.column()) - around);
        return {one.width(), one.height() + (lines - 1) * metrics.lineSpacing()};
    }
    [[nodiscard]] static int linesIn(const QFont& font, const QString& text, int width) {
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
    [[nodiscard]] static int leastWidth(const QFontMetrics& metrics, QString text) {
        int widest = 0;
        for (const QString& part : text.replace(kMayBreak, u' ').split(u' '))
            widest = std::max(widest, metrics.horizontalAdvance(part));
        return widest;
    }
};

class DifferencesTable : public QTableView {
public:
    static constexpr int kRowHeight = 28;

    DifferencesTable() : texts_(new BreakableText(this)) {
        setShowGrid(false);
        setEditTriggers(QAbstractItemView::NoEditTriggers);
        setSelectionMode(QAbstractItemView::NoSelection);
        setFocusPolicy(Qt::TabFocus);
        setItemDelegate(texts_);
        verticalHeader()->hide();
        verticalHeader()->setDefaultSectionSize(kRowHeight);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
        horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    // Fits the height so that the first `rows` are visible without scrolling. Call it after each change of the rows.
    void showRows(int rows) {
        shown_ = rows;
        fit();
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QTableView::resizeEvent(event);
        if (event->oldSize().width() != event->size().width()) fit();
    }

private:
    static constexpr int kBelow = 12, kBetweenRows = 4, kTries = 6;

    struct Cell {
        QString text;
        int width = 0, least = 0;  // width in one line, and of the widest unbroken part
    };
    [[nodiscard]] std::vector<Cell> cellsOf(int column) const {
        const QFontMetrics metrics(font());
        std::vector<Cell> cells;
        for (int row = 0; row < model()->rowCount(); ++row) {
            const QString text = texts_->displayText(model()->index(row, column).data(), locale());
            // One pixel is added, since the width is rounded down.
            cells.push_back({text, metrics.horizontalAdvance(text) + 1, BreakableText::leastWidth(metrics, text) + 1});
        }
        return cells;
    }
    [[nodiscard]] int linesIn(const Cell& cell, int width) const {
        return cell.width <= width ? 1 : BreakableText::linesIn(font(), cell.text, width);
    }
    // Fits all columns into the width, since a run beyond the edge could not be compared. The width of the keys is the
    // one that makes the table lowest.
    void fit() {
        const int columns = model() ? model()->columnCount() : 0, room = viewport()->width();
        const int rows = model() ? model()->rowCount() : 0;
        if (columns < 2 || rows == 0 || room <= 0) return;
        const int around = sizeHintForIndex(model()->index(0, 0)).width() - cellsOf(0).front().width + 1;
        std::vector<std::vector<Cell>> cells;
        int leastKeys = 0, wholeKeys = 0, leastValues = 0;
        for (int column = 0; column < columns; ++column) {
            cells.push_back(cellsOf(column));
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
                    most = std::max(most, linesIn(cell, (column == 0 ? width : valuesBeside(width)) - around));
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

    BreakableText* texts_;
    int shown_ = 0;
};

}  // namespace dasgd::gui
