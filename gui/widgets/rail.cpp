#include "gui/widgets/rail.h"

#include <QPainter>
#include <QShortcut>
#include <QStyleOption>
#include <QSvgRenderer>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/widgets/button_key.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

namespace {
constexpr int kWidth = 208;
}

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
    painter.setPen(isChecked() ? theme.text : theme.muted);
    painter.setFont(interFont(14, isChecked() ? Weight::SemiBold : Weight::Regular));
    painter.drawText(area.adjusted(42, 0, -54, 0), Qt::AlignVCenter | Qt::AlignLeft, text());
    painter.setPen(theme.muted);
    painter.setFont(interFont(11));
    painter.drawText(area.adjusted(0, 0, -10, 0), Qt::AlignVCenter | Qt::AlignRight, shortcut_);
}

Rail::Rail(const Look& look, const QString& workspace, QWidget* parent) : QWidget(parent), look_(look) {
    setObjectName(QStringLiteral("rail"));
    setFixedWidth(kWidth);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(9, 20, 9, 16);
    column->setSpacing(0);
    QLabel* title = makeLabel(QStringLiteral("DaSGD Lab"), "title");
    title->setContentsMargins(11, 0, 0, 18);
    column->addWidget(title);
    items_ = new QVBoxLayout;
    items_->setSpacing(0);
    column->addLayout(items_);
    column->addStretch();
    QToolButton* theme = makeQuietButton(QStringLiteral("light / dark"), QStringLiteral("Change the theme  Ctrl+T"));
    addButtonKey(QStringLiteral("Ctrl+T"), *theme, this);
    connect(theme, &QToolButton::clicked, this, &Rail::themeWanted);
    auto* foot = new QVBoxLayout;
    foot->setContentsMargins(4, 0, 8, 0);
    foot->setSpacing(3);
    QLabel* workspaceHead = makeLabel(QStringLiteral("workspace"), "small");
    workspaceHead->setContentsMargins(7, 0, 0, 0);
    foot->addWidget(workspaceHead);
    const QString shown = QFontMetrics(interFont(12)).elidedText(workspace, Qt::ElideMiddle, kWidth - 46);
    // An ampersand would underline a letter.
    QToolButton* path = makeQuietButton(QString(shown).replace(u'&', QLatin1String("&&")),
                                        asTip(tr("%1\nOpen another workspace").arg(workspace)));
    path->setAccessibleName(tr("Workspace %1: open another").arg(workspace));
    connect(path, &QToolButton::clicked, this, &Rail::workspaceWanted);
    foot->addWidget(path, 0, Qt::AlignLeft);
    foot->addWidget(theme, 0, Qt::AlignLeft);
    column->addLayout(foot);
}

void Rail::add(const QString& title, const QString& icon) {
    const int page = static_cast<int>(buttons_.size());
    const QString keys = QStringLiteral("Ctrl+%1").arg(page + 1);
    auto* button = new RailButton(title, icon, keys, look_);
    connect(button, &QAbstractButton::clicked, this, [this, page] { emit chosen(page); });
    connect(new QShortcut(QKeySequence(keys), this), &QShortcut::activated, this, [this, page] { emit chosen(page); });
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
