#include "gui/timeline/selection_card.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/data/spans/span_colors.h"
#include "gui/timeline/numbers_table.h"
#include "gui/timeline/view/timeline_boxes.h"

namespace dasgd::gui {

namespace {

constexpr int kBesideNumber = 14;  // padding of a cell and margin of its text, both sides together

}  // namespace

SelectionCard::SelectionCard(QWidget* parent) : Card(parent) {
    body().addWidget(makeLabel(tr("Selection"), "head"));
    body().addWidget(length_ = makeLabel({}));
    length_->setWordWrap(true);
    table_ = makeNumbersTable({tr("kind"), tr("ms"), tr("most"), tr("share")}, tr("Sums over the selection"));
    table_->setObjectName(QStringLiteral("dense"));
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->horizontalHeader()->setMinimumSectionSize(24);
    body().addWidget(table_, 1);
    body().addWidget(hidden_ = makeLabel({}));
    hidden_->setWordWrap(true);
    body().addWidget(path_ = makeLabel({}));
    path_->setWordWrap(true);
    copy_ = makeButton(tr("Copy table"), false, tr("The numbers with tabs between them, for a spreadsheet"));
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(textOf(shown_)); });
    zoom_ = makeButton(tr("Zoom here"), false, tr("The timeline shows what is selected, and no more  Z"));
    connect(zoom_, &QPushButton::clicked, this, &SelectionCard::zoomWanted);
    auto* actions = new QHBoxLayout;
    actions->addWidget(copy_, 1);
    actions->addWidget(zoom_, 1);
    body().addLayout(actions);
}

void SelectionCard::setNothing(const QString& why) {
    if (std::exchange(nothing_, why) != why && shown_.lines.empty()) setMeasure({}, false);
}

void SelectionCard::setMeasure(const Measure& measure, bool marked) {
    shown_ = measure.range.end > measure.range.start ? tableOf(measure) : MeasureTable{};
    copy_->setEnabled(!shown_.lines.empty());
    zoom_->setEnabled(marked);
    const QString length = durationInWords(measure.length()).text();
    length_->setText(shown_.lines.empty()
                         ? (nothing_.isEmpty() ? tr("reading …") : nothing_)
                         : (marked ? tr("%1 selected, mean of %2") : tr("%1 in the window, mean of %2"))
                               .arg(length, ranksOf(shown_)));
    const int lines = static_cast<int>(shown_.lines.size());
    const int reasons = static_cast<int>(shown_.idle.size());
    const int head = reasons > 0 ? lines : -1;
    if (head != std::exchange(headRow_, head)) {
        // Kinds were added or removed, so every line has moved.
        table_->clearSpans();
        table_->setRowCount(0);
    }
    table_->setRowCount(lines + (reasons > 0 ? reasons + 1 : 0));
    for (int row = 0; row < lines; ++row) setLine(row, shown_.lines[static_cast<std::size_t>(row)]);
    if (head >= 0 && !table_->item(head, 0)) setHead(head, tr("idle or waiting, by reason"));
    for (int row = 0; row < reasons; ++row) setLine(lines + 1 + row, shown_.idle[static_cast<std::size_t>(row)]);
    const double hidden = measure.mean.hiddenFraction();
    hidden_->setText(measure.mean.transfer > 0
                         ? tr("hidden %1 %   blocked %2 ms")
                               .arg(QString::number(hidden * 100, 'f', 1),
                                    shortNumber(static_cast<double>(measure.mean.blocked) / 1e6, 3))
                         : tr("nothing was transferred"));
    path_->setText(freeTransfersInWords(measure));
    path_->setToolTip(pathInWords(measure));
    fitColumns();
}

// Gives the columns of numbers the width that they need, which leaves most for the names. A column never becomes
// narrower, so that nothing jumps while the window moves. Qt's own fitting would measure every cell each time.
void SelectionCard::fitColumns() {
    const QFontMetrics metrics(table_->font());
    for (int column = 1; column < table_->columnCount(); ++column) {
        int& widest = widest_[static_cast<std::size_t>(column)];
        const int before = widest;
        widest = std::max(widest, metrics.horizontalAdvance(table_->horizontalHeaderItem(column)->text()));
        for (int row = 0; row < table_->rowCount(); ++row) {
            const QTableWidgetItem* item = table_->item(row, column);
            if (item) widest = std::max(widest, metrics.horizontalAdvance(item->text()));
        }
        if (widest != before) table_->setColumnWidth(column, widest + kBesideNumber);
    }
}

// Sets the lines again after a change of theme, since the colours of kinds depend on it.
void SelectionCard::changeEvent(QEvent* event) {
    Card::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    for (int row = 0; row < static_cast<int>(shown_.lines.size()) && row < table_->rowCount(); ++row) {
        setLine(row, shown_.lines[static_cast<std::size_t>(row)]);
    }
}

void SelectionCard::setHead(int row, const QString& text) {
    auto* item = new QTableWidgetItem(text);
    item->setFlags(Qt::ItemIsEnabled);
    item->setToolTip(tr("Reasons of the lines \"idle\" and \"wait\", which they add up to"));
    QFont font = interFont(12, Weight::SemiBold);
    item->setFont(font);
    table_->setItem(row, 0, item);
    table_->setSpan(row, 0, 1, 4);
}

void SelectionCard::setLine(int row, const MeasureLine& line) {
    QTableWidgetItem* what = putText(*table_, row, 0, line.what);
    if (what->toolTip() != line.what) what->setToolTip(line.what);
    const QVariant color =
        line.kind ? QVariant(colorOn(palette().color(QPalette::Base), *line.kind, rgbOf(*line.kind))) : QVariant();
    if (what->data(Qt::DecorationRole) != color) what->setData(Qt::DecorationRole, color);
    putText(*table_, row, 1, shortNumber(line.meanMs, 3));
    QTableWidgetItem* most = putText(*table_, row, 2, line.most.section(QLatin1Char(' '), 0, 0));
    if (most->toolTip() != line.most) most->setToolTip(line.most);
    putText(*table_, row, 3, QString::number(line.share * 100, 'f', 1) + QStringLiteral(" %"));
}

}  // namespace dasgd::gui
