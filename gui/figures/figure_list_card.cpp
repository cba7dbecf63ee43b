#include "gui/figures/figure_list_card.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QUrl>
#include <QVBoxLayout>

#include "gui/figures/figure_delegate.h"
#include "gui/figures/model/figure_templates.h"
#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

namespace {

constexpr int kFigureListWidth = 208;

}  // namespace

FigureListCard::FigureListCard(FigureListModel& list, const Look& look, QWidget* parent)
    : Card(parent),
      list_(list),
      look_(look),
      find_(new QLineEdit),
      figures_(new QListView),
      exported_(makeLabel({}, "small")) {
    setFixedWidth(kFigureListWidth);
    body().setContentsMargins(1, 10, 1, 10);
    find_->setPlaceholderText(tr("Find a figure"));
    find_->setClearButtonEnabled(true);
    find_->setAccessibleName(tr("Find a figure"));
    auto* row = new QHBoxLayout;
    row->setContentsMargins(10, 0, 10, 2);
    row->addWidget(find_);
    body().addLayout(row);
    figures_->setModel(&list_);
    figures_->setItemDelegate(new FigureDelegate(look, figures_));
    figures_->setFrameShape(QFrame::NoFrame);
    figures_->setMouseTracking(true);
    figures_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    figures_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    makeClear(*figures_);
    figures_->setAccessibleName(tr("Figures"));
    body().addWidget(figures_, 1);
    exported_->setTextFormat(Qt::RichText);
    exported_->setWordWrap(true);
    exported_->setContentsMargins(14, 6, 14, 4);
    exported_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    exported_->hide();
    body().addWidget(exported_);
    auto* templates = makeMenuButton(tr("New from template ▾"), tr("A figure that papers have, of the runs on screen"));
    for (const FigureTemplate& one : figureTemplates()) {
        QAction* action = templates->menu()->addAction(tr(one.title));
        action->setToolTip(tr(one.help));
        connect(action, &QAction::triggered, this,
                [this, word = QString::fromLatin1(one.word)] { emit templateWanted(word); });
    }
    templates->menu()->setToolTipsVisible(true);
    auto* above = new QHBoxLayout;
    above->setContentsMargins(8, 4, 8, 0);
    above->addWidget(templates, 1);
    body().addLayout(above);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(8, 4, 8, 0);
    auto* fresh = makeQuietButton(tr("New figure"), tr("A figure of the run that is looked at  Ctrl+N"));
    delete_ = makeQuietButton(tr("Delete"), tr("Ctrl+Z brings it back  Ctrl+Delete"));
    foot->addWidget(fresh);
    foot->addStretch();
    foot->addWidget(delete_);
    body().addLayout(foot);
    connect(figures_->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& index) {
        if (index.isValid()) emit chosen(index.data(FigureListModel::NameRole).toString());
    });
    connect(find_, &QLineEdit::textChanged, &list_, &FigureListModel::setFilter);
    connect(exported_, &QLabel::linkActivated, this,
            [](const QString& folder) { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
    connect(fresh, &QToolButton::clicked, this, &FigureListCard::newWanted);
    connect(delete_, &QToolButton::clicked, this, &FigureListCard::deleteWanted);
    addButtonKey(QStringLiteral("Ctrl+N"), *fresh, this);
    addButtonKey(QStringLiteral("Ctrl+Delete"), *delete_, this);
    setFocusProxy(figures_);
}

void FigureListCard::select(const QString& name) {
    const int row = list_.rowOf(name);
    if (row >= 0 && figures_->currentIndex().row() != row) figures_->setCurrentIndex(list_.index(row));
}

void FigureListCard::setDeletable(bool deletable) { delete_->setEnabled(deletable); }

void FigureListCard::setExported(const QString& folder) {
    exported_->setText(
        tr("Last exported<br><a href=\"%1\" style=\"color: %2\">%3</a>")
            .arg(folder.toHtmlEscaped(), look_.theme().accent.name(), QFileInfo(folder).fileName().toHtmlEscaped()));
    exported_->setToolTip(asTip(folder));
    exported_->show();
}

void FigureListCard::find() { find_->setFocus(); }

}  // namespace dasgd::gui
