// Table of the settings in which runs differ: a key and a value of each run, or all values in one column. Long texts
// are wrapped.
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace dasgd::gui {

// Wrapping of keys and names behind a full stop, an underscore or a slash as at a space; numbers are not broken.
class BreakableText : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    static constexpr QChar kMayBreak{0x200b};
    [[nodiscard]] QString displayText(const QVariant& value, const QLocale& locale) const override;
    // Width of the text in one line, and height of its lines in the width of the column. The style's own hint ignores
    // its padding when it wraps.
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

class DifferencesTable : public QTableView {
public:
    static constexpr int kRowHeight = 28;

    DifferencesTable();
    // Fits the height so that the first `rows` are visible without scrolling. Call it after each change of the rows.
    void showRows(int rows);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    int shown_ = 0;
};

}  // namespace dasgd::gui
