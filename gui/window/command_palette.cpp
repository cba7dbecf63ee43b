#include "gui/window/command_palette.h"

#include <QAbstractButton>
#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

namespace {

constexpr int kPaletteWidth = 640, kPaletteHeight = 440, kPaletteTop = 72, kPaletteMargin = 24;
constexpr int kCommandHeight = 44;

class CommandDelegate : public QStyledItemDelegate {
public:
    CommandDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {200, kCommandHeight}; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Theme& theme = look_.theme();
        const QRect row = option.rect.adjusted(4, 1, -4, -1);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state & (QStyle::State_Selected | QStyle::State_MouseOver)) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(option.state & QStyle::State_Selected ? theme.selection : theme.hover);
            painter->drawRoundedRect(row, 6, 6);
        }
        const auto write = [&](QRect box, const QFont& font, const QColor& color, const QString& text,
                               Qt::Alignment side) {
            painter->setFont(font);
            painter->setPen(color);
            painter->drawText(box, Qt::AlignVCenter | side,
                              QFontMetrics(font).elidedText(text, Qt::ElideRight, box.width()));
        };
        const QString keys = index.data(CommandListModel::KeysRole).toString();
        const int room = keys.isEmpty() ? 0 : QFontMetrics(interFont(12)).horizontalAdvance(keys) + 12;
        const QRect text = row.adjusted(12, 3, -12, -3);
        const QString words = index.data(CommandListModel::WordsRole).toString();
        const QRect title(text.left(), text.top(), text.width() - room, words.isEmpty() ? text.height() : 19);
        write(title, interFont(13, Weight::Medium), theme.text, index.data().toString(), Qt::AlignLeft);
        write({text.left(), text.top() + 20, text.width() - room, 16}, interFont(11), theme.muted, words,
              Qt::AlignLeft);
        write(text, interFont(12), theme.muted, keys, Qt::AlignRight);
        painter->restore();
    }

private:
    const Look& look_;
};

// Splits a tool tip into help and keys, which stand at its end behind two spaces.
std::pair<QString, QString> helpAndKeys(const QString& toolTip) {
    static const QRegularExpression keys(QStringLiteral("\\s\\s((?:Ctrl|Alt|Shift|F\\d|Del|Enter|Space)\\S*)\\s*$"));
    const QString plain = QString(toolTip).remove(QRegularExpression(QStringLiteral("<[^>]*>")));
    const auto match = keys.match(plain);
    const QString help = match.hasMatch() ? plain.left(match.capturedStart()) : plain;
    return {help.section(u'\n', 0, 0).trimmed(), match.captured(1)};
}

void press(QAbstractButton& button) {
    auto* tool = qobject_cast<QToolButton*>(&button);
    if (tool && tool->menu() && tool->popupMode() == QToolButton::InstantPopup) {
        tool->showMenu();
    } else {
        button.click();
    }
}

}  // namespace

std::vector<PaletteCommand> commandsOf(QWidget& page) {
    std::vector<PaletteCommand> commands;
    for (QAbstractButton* button : page.findChildren<QAbstractButton*>()) {
        if (!button->isVisibleTo(&page) || !button->isEnabled()) continue;
        static const QRegularExpression marks(QStringLiteral("[▸▾✓●■☆★…]"));
        const QString text = QString(button->text()).remove(marks).remove(u'&').simplified();
        const auto [help, keys] = helpAndKeys(button->toolTip());
        const QString name = button->accessibleName().isEmpty() ? text : button->accessibleName();
        if (name.isEmpty() && help.isEmpty()) continue;
        commands.push_back({.title = name.isEmpty() ? help : name,
                            .words = name.isEmpty() ? QString() : help,
                            .keys = keys,
                            .carryOut = [button = QPointer<QAbstractButton>(button)] {
                                if (button && button->isEnabled()) press(*button);
                            }});
        if (!commands.back().title.isEmpty()) commands.back().title[0] = commands.back().title[0].toUpper();
    }
    // Actions with keys for which there is no button to press now.
    const std::size_t buttons = commands.size();
    const auto isOffered = [&](const QString& keys) {
        const QKeySequence wanted(keys);
        return std::any_of(
            commands.begin(), commands.begin() + static_cast<std::ptrdiff_t>(buttons),
            [&](const PaletteCommand& one) { return !one.keys.isEmpty() && QKeySequence(one.keys) == wanted; });
    };
    QList<QWidget*> widgets = page.findChildren<QWidget*>();
    widgets.prepend(&page);
    for (const QWidget* widget : widgets) {
        if (widget != &page && !widget->isVisibleTo(&page)) continue;
        for (QAction* action : widget->actions()) {
            const QString shown = action->text().section(QLatin1Char('\t'), 1);
            const QString keys = shown.isEmpty() ? action->shortcut().toString() : shown;
            if (keys.isEmpty() || !action->isEnabled() ||
                (action->shortcutContext() != Qt::WidgetShortcut && isOffered(keys)))
                continue;
            const QString title = action->text().section(QLatin1Char('\t'), 0, 0);
            // Without a tool tip of its own an action's text is its tool tip.
            const bool helps = action->toolTip() != title;
            commands.push_back({.title = title,
                                .words = helps ? action->toolTip() : QString(),
                                .keys = keys,
                                .carryOut = [action = QPointer<QAction>(action)] {
                                    if (action) action->trigger();
                                }});
        }
    }
    return commands;
}

CommandPalette::CommandPalette(QWidget& window, const Look& look)
    : QFrame(&window), model_(new CommandListModel(this)), field_(new QLineEdit), list_(new QListView) {
    setObjectName(QStringLiteral("palette"));
    setAccessibleName(tr("Commands"));
    field_->setPlaceholderText(tr("An action, a page, or words of a run"));
    field_->setAccessibleName(tr("Find a command or a run"));
    list_->setObjectName(QStringLiteral("palette"));
    list_->setModel(model_);
    list_->setItemDelegate(new CommandDelegate(look, list_));
    list_->setFrameShape(QFrame::NoFrame);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setMouseTracking(true);
    list_->setUniformItemSizes(true);
    list_->setAccessibleName(tr("Commands"));
    auto* column = padded(new QVBoxLayout(this), {8, 8, 8, 8});
    column->addWidget(field_);
    column->addWidget(list_, 1);
    column->addWidget(nothing_ = makeLabel({}, "muted"), 1);
    nothing_->setAlignment(Qt::AlignCenter);
    nothing_->setWordWrap(true);
    nothing_->hide();
    field_->installEventFilter(this);
    connect(field_, &QLineEdit::textChanged, this, [this](const QString& text) {
        model_->setText(text);
        list_->setCurrentIndex(model_->index(0, 0));
        const bool none = model_->rowCount() == 0;
        nothing_->setText(tr("No action, page or run has “%1”.").arg(text.trimmed()));
        nothing_->setVisible(none);
        list_->setVisible(!none);
    });
    connect(list_, &QListView::clicked, this, &CommandPalette::carryOut);
    hide();
}

void CommandPalette::open(std::vector<PaletteCommand> commands, std::vector<RunItemPtr> runs,
                          std::function<void(const QString&)> openRun) {
    if (!isVisible()) before_ = QApplication::focusWidget();
    model_->offer(std::move(commands), std::move(runs), std::move(openRun));
    field_->clear();
    list_->setCurrentIndex(model_->index(0, 0));
    const QSize room = parentWidget()->size();
    const int width = std::min(kPaletteWidth, room.width() - 2 * kPaletteMargin);
    const int top = std::min(kPaletteTop, room.height() / 8);
    setGeometry((room.width() - width) / 2, top, width, std::min(kPaletteHeight, room.height() - top - kPaletteMargin));
    raise();
    show();
    field_->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::close() {
    hide();
    if (before_) before_->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::carryOut(const QModelIndex& index) {
    if (!index.isValid()) return;
    // Closed first, so that the command may take the focus.
    close();
    model_->carryOut(index.row());
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut && isVisible()) hide();
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int row = list_->currentIndex().row(), last = model_->rowCount() - 1;
    constexpr int kPage = 8;
    const auto go = [&](int to) {
        list_->setCurrentIndex(model_->index(std::clamp(to, 0, std::max(0, last)), 0));
        return true;
    };
    switch (key) {
        case Qt::Key_Down: return go(row + 1);
        case Qt::Key_Up: return go(row - 1);
        case Qt::Key_PageDown: return go(row + kPage);
        case Qt::Key_PageUp: return go(row - kPage);
        case Qt::Key_Return:
        case Qt::Key_Enter: carryOut(list_->currentIndex()); return true;
        case Qt::Key_Escape: close(); return true;
        default: return QFrame::eventFilter(watched, event);
    }
}

}  // namespace dasgd::gui
