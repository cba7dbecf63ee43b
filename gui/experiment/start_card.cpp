#include "gui/experiment/start_card.h"

#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>

#include "gui/experiment/start_delegate.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

namespace {

constexpr int kStartCardWidth = 196;

}  // namespace

StartCard::StartCard(const Look& look)
    : starts_(new StartList(presetsIn(), this)), filter_(new QLineEdit), list_(new QListView) {
    setFixedWidth(kStartCardWidth);
    body().setContentsMargins(1, 10, 1, 10);
    filter_->setPlaceholderText(tr("Find a start"));
    filter_->setClearButtonEnabled(true);
    filter_->setAccessibleName(tr("Find a start"));
    auto* row = padded(new QHBoxLayout, {10, 0, 10, 2});
    row->addWidget(filter_);
    body().addLayout(row);
    list_->setObjectName(QStringLiteral("starts"));
    list_->setModel(starts_);
    list_->setItemDelegate(new StartDelegate(look, list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setMouseTracking(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    makeClear(*list_);
    list_->setAccessibleName(tr("Begin with"));
    body().addWidget(list_, 1);
    QToolButton* file = makeQuietButton(tr("Open a file …  Ctrl+O"), {});
    auto* foot = padded(spaced(new QVBoxLayout, 0), {8, 4, 8, 0});
    foot->addWidget(file, 0, Qt::AlignLeft);
    QLabel* drop = makeLabel(tr("or drop one anywhere"), "small");
    drop->setContentsMargins(7, 0, 0, 0);
    foot->addWidget(drop);
    body().addLayout(foot);
    const auto take = [this](const QModelIndex& index) {
        const bool isStart = index.isValid() && index.flags().testFlag(Qt::ItemIsSelectable);
        if (isStart) emit chosen(starts_->at(index.row()));
    };
    connect(filter_, &QLineEdit::textChanged, starts_, &StartList::setFilter);
    connect(list_, &QListView::clicked, this, take);
    connect(list_, &QListView::activated, this, take);
    connect(file, &QToolButton::clicked, this, &StartCard::fileWanted);
}

}  // namespace dasgd::gui
