// The settings in which runs differ: a key and a value of each run, or all values in one column.
#pragma once

#include <QHeaderView>
#include <QTableView>
#include <algorithm>

namespace dasgd::gui {

class DifferencesTable : public QTableView {
public:
    static constexpr int kRowHeight = 28;

    DifferencesTable() {
        setShowGrid(false);
        setEditTriggers(QAbstractItemView::NoEditTriggers);
        setSelectionMode(QAbstractItemView::NoSelection);
        setFocusPolicy(Qt::TabFocus);
        verticalHeader()->hide();
        verticalHeader()->setDefaultSectionSize(kRowHeight);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        // A run beyond the edge would not be compared.
        horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
        horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }
    // Whenever there are other rows. The keys are whole where the values leave the room; those share what is left.
    void fitKeys() {
        const int columns = model() ? model()->columnCount() : 0, room = viewport()->width();
        if (columns < 2) return;
        const int needed = std::max(sizeHintForColumn(0), horizontalHeader()->sectionSizeHint(0));
        const int most = room - (columns == 2 ? kLeastValues : kLeastValue * (columns - 1));
        horizontalHeader()->setSectionResizeMode(0, QHeaderView::Fixed);
        horizontalHeader()->resizeSection(0, std::min(needed, std::max(most, room / columns)));
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QTableView::resizeEvent(event);
        fitKeys();
    }

private:
    static constexpr int kLeastValue = 64;   // pixels, whatever the keys need
    static constexpr int kLeastValues = 90;  // of all runs in one column
};

}  // namespace dasgd::gui
