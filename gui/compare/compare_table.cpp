#include "gui/compare/compare_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHash>
#include <QHeaderView>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/kit/parts/row_table.h"
#include "gui/kit/parts/sort_key.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/kit/words/short_names.h"

namespace dasgd::gui {

namespace {

constexpr int kCompareRow = 30;
constexpr int kMeasuredRows = 50;    // rows measured for the width of a column
constexpr int kBaselineWidth = 240;  // largest width of the baseline's name in its button
constexpr int kLeastTable = 120;     // leaves room for three lines of text below the table in the lowest card

constexpr double kBesideName = 68;  // width of the stroke and the space around stroke and name
constexpr int kLeastName = 180;     // least width of the column of names
constexpr int kNumbersBeside = 3;   // columns of numbers kept visible beside the names

QFontMetricsF nameMetrics() { return QFontMetricsF(interFont(13, Weight::SemiBold)); }

}  // namespace

// Paints a configuration's stroke and its name.
class CompareNameDelegate : public QStyledItemDelegate {
public:
    CompareNameDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
    // Cuts the names to the width of their column so that no two look the same.
    void fit(const QAbstractItemModel& model, double width) {
        QStringList names;
        for (int row = 0; row < model.rowCount(); ++row)
            names << model.index(row, CompareTableModel::Name).data().toString();
        const QFontMetricsF metrics = nameMetrics();
        const QStringList cut = namesThatFit(names, width - kBesideName,
                                             [&](const QString& text) { return metrics.horizontalAdvance(text); });
        cut_.clear();
        for (qsizetype i = 0; i < names.size(); ++i) cut_.insert(names[i], cut[i]);
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = look_.theme();
        const bool chosen = option.state & QStyle::State_Selected;
        const bool front = index.data(CompareTableModel::HighlightRole).toBool();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (chosen || front) painter->fillRect(option.rect, chosen ? theme.selection : theme.raised);
        painter->setPen(QPen(theme.grid, 1));
        painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
        const QRectF row(option.rect);
        QRectF text = row.adjusted(8, 0, -8, 0);
        if (index.column() == CompareTableModel::Name) {
            paintLineSample(*painter, {row.left() + 14, row.center().y() - 8, 28, 16}, screenPlotStyle(theme),
                            index.data(CompareTableModel::StyleRole).value<CurveStyle>(),
                            index.data(CompareTableModel::HollowRole).toBool());
            text.setLeft(row.left() + 52);
        }
        const QFont font = interFont(13, front ? Weight::SemiBold : Weight::Regular);
        painter->setFont(font);
        painter->setPen(theme.text);
        const QString whole = index.data().toString();
        const QString words = index.column() == CompareTableModel::Name ? cut_.value(whole, whole) : whole;
        painter->drawText(text, index.data(Qt::TextAlignmentRole).toInt(),
                          QFontMetricsF(font).elidedText(words, Qt::ElideRight, text.width()));
        painter->restore();
    }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        const double room = index.column() == CompareTableModel::Name ? kBesideName : 22;
        return {static_cast<int>(std::ceil(nameMetrics().horizontalAdvance(index.data().toString()) + room)),
                kCompareRow};
    }

private:
    const Look& look_;
    QHash<QString, QString> cut_;
};

CompareTable::CompareTable(CompareBoard& board, const Look& look, QWidget* parent)
    : Card(parent), board_(board), model_(new CompareTableModel(board, this)) {
    body().setContentsMargins(1, 8, 1, 8);
    body().setSpacing(4);
    body().addLayout(makeHead());
    table_ = new QTableView;
    setUpRows(*table_, tr("Comparison"), kCompareRow);
    table_->setModel(model_);
    table_->setItemDelegate(names_ = new CompareNameDelegate(look, table_));
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
    table_->horizontalHeader()->setMinimumSectionSize(46);
    table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    table_->setSortingEnabled(true);
    addSortKey(*table_);
    table_->setMinimumHeight(kLeastTable);
    body().addWidget(table_, 1);
    foot_ = new WrappedLabel("small");
    foot_->setContentsMargins(14, 2, 14, 0);
    body().addWidget(foot_);
    setFocusProxy(table_);
    auto* key = new QShortcut(QKeySequence::Copy, table_);
    key->setContext(Qt::WidgetShortcut);
    connect(key, &QShortcut::activated, this, &CompareTable::copy);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (row.isValid() && table_->hasFocus())
            board_.choice.highlight(row.data(CompareTableModel::GroupRole).value<std::size_t>());
    });
    connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
        emit opened(index.data(CompareTableModel::RunIdsRole).toStringList());
    });
    connect(model_, &QAbstractItemModel::modelReset, this, &CompareTable::update);
    update();
}

QLayout* CompareTable::makeHead() {
    auto* head = padded(spaced(new QHBoxLayout, 2), {15, 0, 10, 0});
    head->addWidget(makeLabel(tr("Table"), "head"));
    head->addStretch();
    spread_ =
        new Choice(tr("Spread that ± stands for"), {tr("no spread"), tr("± standard deviation"), tr("± 95 % interval")},
                   static_cast<int>(board_.curves.spread()));
    connect(spread_, &Choice::changed, this,
            [this](int chosen) { board_.curves.setSpread(static_cast<Spread>(chosen)); });
    baseline_ = makeMenuButton({}, tr("Baseline"));
    connect(baseline_->menu(), &QMenu::aboutToShow, this, &CompareTable::fillBaselines);
    head->addWidget(spread_);
    head->addWidget(baseline_);
    return head;
}

void CompareTable::fillBaselines() {
    baseline_->menu()->clear();
    const auto present = board_.results.baseline();
    for (std::size_t i = 0; i < board_.choice.groups().size(); ++i) {
        QAction* action = baseline_->menu()->addAction(board_.choice.groups()[i].name);
        action->setCheckable(true);
        action->setChecked(present == i);
        connect(action, &QAction::triggered, this, [this, i] { board_.choice.setBaseline(i); });
    }
}

void CompareTable::update() {
    const auto baseline = board_.results.baseline();
    const QString name = baseline ? board_.choice.groups()[*baseline].name : QString();
    const QString shown = baseline_->fontMetrics().elidedText(name, Qt::ElideRight, kBaselineWidth);
    baseline_->setText(baseline ? tr("baseline %1 ▾").arg(shown) : tr("no baseline ▾"));
    const QString help = tr("Baseline of the ratios and of the test of significance");
    baseline_->setToolTip(baseline ? asTip(name + QLatin1Char('\n') + help) : help);
    foot_->say(board_.results.compared() && !board_.results.compared()->error.isEmpty()
                   ? board_.results.compared()->error
                   : model_->footnote());
    foot_->setToolTip(foot_->text());
    fitColumns();
}

void CompareTable::fitColumns() {
    QHeaderView& header = *table_->horizontalHeader();
    const QAbstractItemView& view = *table_;
    const auto shares = [](int column) {
        return column != CompareTableModel::Name && column != CompareTableModel::Count;
    };
    int own = 0, widest = 0, sharing = 0, beside = 0;
    for (int column = 0; column < header.count(); ++column) {
        table_->setColumnHidden(column, model_->isLacking(column));
        if (table_->isColumnHidden(column)) continue;
        const int needed = std::max(view.sizeHintForColumn(column), header.sectionSizeHint(column));
        own += shares(column) ? 0 : needed;
        sharing += shares(column) ? 1 : 0;
        if (shares(column)) widest = std::max(widest, needed);
        if (column != CompareTableModel::Name && sharing <= kNumbersBeside) beside += needed;
    }
    const int wanted = view.sizeHintForColumn(CompareTableModel::Name);
    const int name = std::min(wanted, std::max(kLeastName, table_->viewport()->width() - beside));
    own -= wanted - name;
    const bool fits = own + sharing * widest <= table_->viewport()->width();
    for (int column = 0; column < header.count(); ++column) {
        if (table_->isColumnHidden(column)) continue;
        header.setSectionResizeMode(column, fits && shares(column)              ? QHeaderView::Stretch
                                            : column == CompareTableModel::Name ? QHeaderView::Fixed
                                                                                : QHeaderView::ResizeToContents);
    }
    header.resizeSection(CompareTableModel::Name, std::max(name, header.sectionSizeHint(CompareTableModel::Name)));
    names_->fit(*model_, header.sectionSize(CompareTableModel::Name));
    table_->viewport()->update();
}

void CompareTable::resizeEvent(QResizeEvent* event) {
    Card::resizeEvent(event);
    fitColumns();
}

void CompareTable::copy() {
    auto* data = new QMimeData;
    data->setText(model_->asText());
    data->setData(QStringLiteral("text/csv"), model_->asCsv().toUtf8());
    QApplication::clipboard()->setMimeData(data);
}

}  // namespace dasgd::gui
