#include "gui/widgets/timeline/selection_card.h"

#include <QApplication>
#include <QClipboard>
#include <QVBoxLayout>

#include "gui/models/timeline/span_colors.h"
#include "gui/widgets/timeline/numbers_table.h"

namespace dasgd::gui {

SelectionCard::SelectionCard(QWidget* parent) : Card(parent) {
    body().addWidget(makeLabel(tr("Selection"), "head"));
    body().addWidget(length_ = makeLabel({}));
    length_->setWordWrap(true);
    table_ = makeNumbersTable({tr("kind"), tr("ms"), tr("most"), tr("share")}, tr("What the selection adds up to"));
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 0; column < 4; ++column) {
        table_->horizontalHeaderItem(column)->setTextAlignment(column > 0 ? Qt::AlignRight : Qt::AlignLeft);
    }
    body().addWidget(table_, 1);
    body().addWidget(hidden_ = makeLabel({}));
    hidden_->setWordWrap(true);
    copy_ = makeButton(tr("Copy table"), false, tr("The numbers with tabs between them, for a spreadsheet"));
    connect(copy_, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(textOf(shown_)); });
    body().addWidget(copy_);
}

void SelectionCard::setMeasure(const Measure& measure, bool marked) {
    shown_ = measure.range.end > measure.range.start ? tableOf(measure) : MeasureTable{};
    copy_->setEnabled(!shown_.lines.empty());
    const QString length = durationInWords(measure.range.end - measure.range.start).text();
    length_->setText(shown_.lines.empty()
                         ? tr("reading …")
                         : (marked ? tr("%1 selected, mean of %2") : tr("%1 in the window, mean of %2"))
                               .arg(length, ranksOf(shown_)));
    const int lines = static_cast<int>(shown_.lines.size());
    const int reasons = static_cast<int>(shown_.idle.size());
    table_->clearSpans();
    table_->setRowCount(lines + (reasons > 0 ? reasons + 1 : 0));
    for (int row = 0; row < lines; ++row) setLine(row, shown_.lines[static_cast<std::size_t>(row)]);
    if (reasons > 0) setHead(lines, tr("idle or waiting, by reason"));
    for (int row = 0; row < reasons; ++row) setLine(lines + 1 + row, shown_.idle[static_cast<std::size_t>(row)]);
    const double hidden = measure.mean.hiddenFraction();
    hidden_->setText(measure.mean.transfer > 0
                         ? tr("hidden %1 %   blocked %2 ms")
                               .arg(QString::number(hidden * 100, 'f', 1),
                                    shortNumber(static_cast<double>(measure.mean.blocked) / 1e6, 3))
                         : tr("nothing was transferred"));
}

void SelectionCard::setHead(int row, const QString& text) {
    auto* item = new QTableWidgetItem(text);
    item->setFlags(Qt::ItemIsEnabled);
    item->setToolTip(tr("What of the lines \"idle\" and \"wait\" has which reason; adds up to them"));
    QFont font = interFont(12, Weight::SemiBold);
    item->setFont(font);
    table_->setItem(row, 0, item);
    table_->setSpan(row, 0, 1, 4);
}

void SelectionCard::setLine(int row, const MeasureLine& line) {
    const auto put = [&](int column, const QString& text, bool number) {
        auto* item = new QTableWidgetItem(text);
        item->setTextAlignment(Qt::AlignVCenter | (number ? Qt::AlignRight : Qt::AlignLeft));
        table_->setItem(row, column, item);
        return item;
    };
    QTableWidgetItem* what = put(0, line.what, false);
    what->setToolTip(line.what);
    if (line.kind) what->setData(Qt::DecorationRole, QColor::fromRgb(rgbOf(*line.kind)));
    put(1, shortNumber(line.meanMs, 3), true);
    put(2, line.most.section(QLatin1Char(' '), 0, 0), true)->setToolTip(line.most);
    put(3, QString::number(line.share * 100, 'f', 1) + QStringLiteral(" %"), true);
}

}  // namespace dasgd::gui
