#include "gui/timeline/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>

#include "gui/kit/parts/button_key.h"
#include "gui/kit/parts/keyed_action.h"

namespace dasgd::gui {

namespace {
constexpr int kLeastField = 140, kMostField = 420;
}  // namespace

FindBar::FindBar(Session& session, QWidget& page) : QWidget(&page), finder_(session) {
    auto* row = padded(spaced(new QHBoxLayout(this), 6), {0, 0, 0, 0});
    row->addWidget(field_ = new QLineEdit, 2);
    field_->setPlaceholderText(tr("Find spans: wait > 20 ms and rank >= 2"));
    field_->setAccessibleName(tr("Find spans"));
    field_->setToolTip(asTip(spanFilterHelp() + tr("\nEnter or F3 next, Shift+F3 previous  Ctrl+F")));
    field_->setMinimumWidth(kLeastField);
    field_->setMaximumWidth(kMostField);
    field_->setClearButtonEnabled(true);
    field_->installEventFilter(this);
    row->addWidget(previous_ = makeQuietButton(QStringLiteral("‹"), tr("The previous one that was found  Shift+F3")));
    row->addWidget(next_ = makeQuietButton(QStringLiteral("›"), tr("The next one that was found  F3")));
    previous_->setAccessibleName(tr("Previous found"));
    next_->setAccessibleName(tr("Next found"));
    row->addWidget(words_ = new ElidedLabel, 1);
    addButtonKey(QStringLiteral("F3"), *next_, &page);
    addButtonKey(QStringLiteral("Shift+F3"), *previous_, &page);
    addKeyedAction(page, tr("Find spans"), {}, QKeySequence(QStringLiteral("Ctrl+F")), [this] {
        field_->setFocus(Qt::ShortcutFocusReason);
        field_->selectAll();
    });
    connect(next_, &QToolButton::clicked, this, [this] { find(1); });
    connect(previous_, &QToolButton::clicked, this, [this] { find(-1); });
    connect(field_, &QLineEdit::textChanged, this, [this](const QString& text) {
        if (text.isEmpty()) finder_.clear();
    });
    connect(&finder_, &SpanFinder::changed, this, &FindBar::sayWords);
    connect(&finder_, &SpanFinder::shownChanged, this, [this] { emit shown(finder_.shown()); });
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
        find(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
        return true;
    }
    if (key->key() == Qt::Key_Escape) {
        finder_.clear();
        emit left();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void FindBar::find(int direction) {
    if (field_->text().trimmed().isEmpty()) return field_->setFocus(Qt::ShortcutFocusReason);
    finder_.find(field_->text(), direction);
}

void FindBar::sayWords() {
    const auto& error = finder_.error();
    setTone(*words_, error ? "bad" : "small");
    QString text = finder_.words();
    if (error) {
        const QString place =
            error->at >= field_->text().size() ? tr("at the end") : tr("at character %1").arg(error->at + 1);
        text = tr("%1: %2").arg(place, error->message);
        field_->setCursorPosition(static_cast<int>(error->at));
    }
    words_->setText(text);
    words_->setToolTip(asTip(text));
    field_->setAccessibleDescription(text);
}

}  // namespace dasgd::gui
