#include "gui/window/rail.h"

#include <QDir>
#include <QPainter>
#include <QShortcut>
#include <QStyleOption>
#include <QSvgRenderer>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

namespace {
constexpr int kWidth = 208, kFoldedWidth = 64;
constexpr int kBesidePath = 46, kBesideFoldedPath = 42;
}  // namespace

RailButton::RailButton(const QString& title, const QString& icon, const QString& shortcut, const Look& look)
    : icon_(icon), shortcut_(shortcut), look_(look) {
    setText(title);
    setCheckable(true);
    setAutoExclusive(true);
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(title);
    setToolTip(title + QStringLiteral("  ") + shortcut);
}

void RailButton::setFolded(bool folded) {
    folded_ = folded;
    updateGeometry();
    update();
}

void RailButton::enterEvent(QEnterEvent*) { update(); }
void RailButton::leaveEvent(QEvent*) { update(); }

void RailButton::paintIcon(QPainter& painter, const QRectF& box) const {
    const QColor color = isChecked() ? look_.theme().accent : look_.theme().muted;
    const QString svg = QStringLiteral(
                            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 15 15\"><path d=\"%1\" "
                            "fill=\"none\" stroke=\"%2\" stroke-width=\"1.5\" stroke-linecap=\"round\" "
                            "stroke-linejoin=\"round\"/></svg>")
                            .arg(icon_, color.name());
    QSvgRenderer(svg.toUtf8()).render(&painter, box);
}

void RailButton::paintEvent(QPaintEvent*) {
    const Theme& theme = look_.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = QRectF(rect()).adjusted(0, 1, 0, -1);
    if (isChecked() || underMouse()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(isChecked() ? theme.raised : theme.hover);
        painter.drawRoundedRect(area, 6, 6);
    }
    if (isChecked()) {
        painter.setBrush(theme.accent);
        painter.drawRoundedRect(QRectF(area.left(), area.top() + 9, 3, area.height() - 18), 1.5, 1.5);
    }
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
    paintIcon(painter, QRectF(area.left() + 15, area.center().y() - 7.5, 15, 15));
    if (folded_) return;
    painter.setPen(isChecked() ? theme.text : theme.muted);
    painter.setFont(interFont(14, isChecked() ? Weight::SemiBold : Weight::Regular));
    painter.drawText(area.adjusted(42, 0, -54, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
    painter.setPen(theme.muted);
    painter.setFont(interFont(11));
    painter.drawText(area.adjusted(0, 0, -10, 0), Qt::AlignVCenter | Qt::AlignRight, shortcut_);
}

Rail::Rail(const Look& look, const QString& workspace, QWidget* parent)
    : QWidget(parent), look_(look), workspace_(workspace) {
    setObjectName(QStringLiteral("rail"));
    auto* column = padded(spaced(new QVBoxLayout(this), 0), {9, 20, 9, 16});
    title_ = makeLabel(QStringLiteral("DaSGD Lab"), "title");
    title_->setContentsMargins(11, 0, 0, 18);
    column->addWidget(title_);
    items_ = new QVBoxLayout;
    items_->setSpacing(0);
    column->addLayout(items_);
    column->addStretch();
    theme_ = makeQuietButton({}, QStringLiteral("Change the theme  Ctrl+T"));
    theme_->setAccessibleName(tr("Light or dark"));
    addButtonKey(QStringLiteral("Ctrl+T"), *theme_, this);
    connect(theme_, &QToolButton::clicked, this, &Rail::themeWanted);
    auto* foot = padded(spaced(new QVBoxLayout, 3), {4, 0, 0, 0});
    workspaceHead_ = makeLabel(QStringLiteral("workspace"), "small");
    workspaceHead_->setContentsMargins(7, 0, 0, 0);
    foot->addWidget(workspaceHead_);
    path_ = makeQuietButton({}, asTip(tr("%1\nOpen another workspace").arg(workspace)));
    path_->setAccessibleName(tr("Workspace %1: open another").arg(workspace));
    connect(path_, &QToolButton::clicked, this, &Rail::workspaceWanted);
    foot->addWidget(path_, 0, Qt::AlignLeft);
    foot->addWidget(theme_, 0, Qt::AlignLeft);
    column->addLayout(foot);
    setFolded(false);
}

void Rail::setFolded(bool folded) {
    if (folded == std::exchange(folded_, folded)) return;
    const int room = folded ? kFoldedWidth - kBesideFoldedPath : kWidth - kBesidePath;
    setFixedWidth(folded ? kFoldedWidth : kWidth);
    for (QWidget* one : {title_, workspaceHead_}) one->setVisible(!folded);
    for (RailButton* button : buttons_) button->setFolded(folded);
    theme_->setText(folded ? QStringLiteral("●") : QStringLiteral("light / dark"));
    // A folded rail has no room for the path, so it shows the folder's name only.
    const QString path = folded ? QDir(workspace_).dirName() : workspace_;
    const QString shown = QFontMetrics(interFont(12)).elidedText(path, folded ? Qt::ElideRight : Qt::ElideMiddle, room);
    // Ampersands are doubled, since a single one would underline a letter.
    path_->setText(QString(shown).replace(u'&', QLatin1String("&&")));
}

void Rail::add(const QString& title, const QString& icon) {
    const int page = static_cast<int>(buttons_.size());
    const QString keys = QStringLiteral("Ctrl+%1").arg(page + 1);
    auto* button = new RailButton(title, icon, keys, look_);
    connect(button, &QAbstractButton::clicked, this, [this, page] { emit chosen(page); });
    connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, this, [this, page] { emit chosen(page); });
    button->setFolded(folded_);
    items_->addWidget(button);
    buttons_.push_back(button);
}

void Rail::choose(int page) { buttons_[static_cast<std::size_t>(page)]->setChecked(true); }

void Rail::paintEvent(QPaintEvent*) {
    QStyleOption option;
    option.initFrom(this);
    QPainter painter(this);
    style()->drawPrimitive(QStyle::PE_Widget, &option, &painter, this);
}

}  // namespace dasgd::gui
