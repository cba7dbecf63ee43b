#include "gui/experiment/sweep/sweep_table.h"

#include <QHeaderView>
#include <QRegularExpression>
#include <QWheelEvent>
#include <algorithm>
#include <array>

#include "gui/experiment/model/forecast/forecast_board.h"
#include "gui/kit/parts/row_table.h"
#include "gui/kit/theme/theme.h"
#include "gui/kit/words/seconds.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr int kSweepTableRow = 24, kSweepColumns = 4, kTimeColumn = 3;
constexpr int kBetweenRows = 6;    // extra height of a row
constexpr int kBesideWord = 12;    // padding of a cell and the style's margin beside a text
constexpr int kBesideHeader = 10;  // padding and margin of a header cell, both sides together

const QChar kMayBreak(0x200b);  // zero-width space

// The label with break points behind underscores, so that a long name wraps.
QString breakable(QString label) { return label.replace(u'_', QString(u'_') + kMayBreak); }

int widestWord(const std::vector<SweepLine>& lines) {
    static const QRegularExpression kBetween(QStringLiteral("[ \u200b]"));
    const QFontMetrics metrics(interFont(12));
    int widest = 0;
    for (const SweepLine& line : lines) {
        for (const QString& word : breakable(narrow(line.label)).split(kBetween))
            widest = std::max(widest, metrics.horizontalAdvance(word));
    }
    return widest;
}

// Width of the widest header, in its final font: a column may be measured before its header has the font.
int widestHeader(const QTableWidget& table) {
    const QFontMetrics metrics(interFont(12, Weight::Medium));
    int widest = 0;
    for (int column = 0; column < table.columnCount(); ++column) {
        widest = std::max(widest, metrics.horizontalAdvance(table.horizontalHeaderItem(column)->text()));
    }
    return widest + kBesideHeader;
}

std::array<QString, kSweepColumns> cellsOf(const SweepLine& line) {
    const auto share = line.hidden ? percent(line.hidden) + QStringLiteral(" %") : kAbsent;
    const auto step = line.stepSeconds ? secondsInWords(*line.stepSeconds) : kAbsent;
    const auto time = line.seconds ? roughly(*line.seconds) : kAbsent;
    return {breakable(narrow(line.label)), share, step, time};
}

}  // namespace

SweepTable::SweepTable() : QTableWidget(0, kSweepColumns) {
    setUpRows(*this, tr("Forecast of each case of the sweep"), kSweepTableRow);
    // A long name takes as many lines as it needs.
    setWordWrap(true);
    verticalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    setToolTip(tr("By forecast; a click or Enter shows its round below"));
    setSelectionMode(QAbstractItemView::SingleSelection);
    setFrameShape(QFrame::NoFrame);
    setTextElideMode(Qt::ElideRight);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setStyleSheet(
        QStringLiteral("QTableView { background: transparent; font-size: 12px; } QTableView::item { padding: 0 2px; } "
                       "QHeaderView, QHeaderView::section { background: transparent; padding: 2px; }"));
    setHorizontalHeaderLabels({tr("case"), tr("hidden"), tr("a step"), tr("its runs")});
    horizontalHeader()->setFixedHeight(kSweepTableRow);
    horizontalHeader()->setMinimumSectionSize(widestHeader(*this));
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 0; column < kSweepColumns; ++column) {
        horizontalHeaderItem(column)->setTextAlignment(Qt::AlignVCenter |
                                                       (column > 0 ? Qt::AlignRight : Qt::AlignLeft));
    }
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this] { fitRows(); });
    connect(this, &QTableWidget::cellClicked, this, [this](int row) { emit caseWanted(row); });
    connect(this, &QTableWidget::cellActivated, this, [this](int row) { emit caseWanted(row); });
    showLines({});
}

void SweepTable::showLines(const std::vector<SweepLine>& lines) {
    setVisible(!lines.empty());
    if (lines == lines_ && rowCount() > 0) return;
    lines_ = lines;
    setRowCount(static_cast<int>(lines.size()));
    for (int row = 0; row < rowCount(); ++row) {
        const SweepLine& line = lines_[static_cast<std::size_t>(row)];
        const auto cells = cellsOf(line);
        for (int column = 0; column < kSweepColumns; ++column) {
            QTableWidgetItem* cell = item(row, column);
            if (!cell) setItem(row, column, cell = new QTableWidgetItem);
            cell->setText(cells[static_cast<std::size_t>(column)]);
            const QString runs = line.runs == 1 ? tr("1 run") : tr("%1 runs").arg(line.runs);
            const QString time = line.seconds ? tr(" Its runs take %1.").arg(roughly(*line.seconds)) : QString();
            cell->setToolTip(asTip(line.label + QStringLiteral(": ") + runs + QStringLiteral(". ") + line.tip + time));
            cell->setTextAlignment(Qt::AlignVCenter | (column > 0 ? Qt::AlignRight : Qt::AlignLeft));
        }
    }
    fitColumns();
    fitRows();
}

// Gives the case its width first and hides the time of its runs if room is short; the tip has it, and the total stands
// below the table.
void SweepTable::fitColumns() {
    const bool timed = std::ranges::any_of(lines_, [](const SweepLine& line) { return line.seconds.has_value(); });
    int room = viewport()->width();
    for (int column = 1; column < kSweepColumns; ++column) {
        room -= std::max({sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column),
                          horizontalHeader()->minimumSectionSize()});
    }
    setColumnHidden(kTimeColumn, !timed || room < widestWord(lines_) + kBesideWord);
}

void SweepTable::fitRows() {
    int height = kSweepTableRow + 2;
    for (int row = 0; row < rowCount(); ++row) {
        const int needed = std::max(kSweepTableRow, sizeHintForRow(row) + kBetweenRows);
        if (rowHeight(row) != needed) setRowHeight(row, needed);
        height += needed;
    }
    setFixedHeight(height);
}

void SweepTable::resizeEvent(QResizeEvent* event) {
    QTableWidget::resizeEvent(event);
    fitColumns();
    fitRows();
}

void SweepTable::wheelEvent(QWheelEvent* event) { event->ignore(); }

}  // namespace dasgd::gui
