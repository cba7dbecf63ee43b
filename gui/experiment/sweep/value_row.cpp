#include "gui/experiment/sweep/value_row.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>

#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

QToolButton* makeLink(const QString& text, const QString& help) {
    auto* link = new QToolButton;
    link->setObjectName(QStringLiteral("link"));
    link->setText(text);
    link->setToolTip(help);
    link->setAccessibleName(help);
    link->setFocusPolicy(Qt::StrongFocus);
    link->setCursor(Qt::PointingHandCursor);
    return link;
}

ValueRow::ValueRow(const QString& removeHelp)
    : problem_(makeLabel({}, "bad")), editor_(new QLineEdit), remove_(makeLink(QStringLiteral("×"), removeHelp)) {
    editor_->setProperty("field", true);
    problem_->setWordWrap(true);
    problem_->hide();
    for (QWidget* one : std::initializer_list<QWidget*>{editor_, remove_}) one->installEventFilter(this);
    connect(editor_, &QLineEdit::textEdited, this, &ValueRow::take);
    connect(remove_, &QToolButton::clicked, this, &ValueRow::removeWanted);
    setFocusProxy(editor_);
}

void ValueRow::setTyping(const QString& error) {
    typing_ = error;
    showProblem();
}

bool ValueRow::isUnfinished() const { return !typing_.isEmpty() && editor_->hasFocus(); }

void ValueRow::showText(const QString& text, bool sameIsTyped) {
    typing_.clear();
    if (!sameIsTyped || !editor_->hasFocus()) {
        editor_->setText(text);
        editor_->setCursorPosition(0);
    }
    showProblem();
}

void ValueRow::setProblem(const QString& message) {
    said_ = message;
    showProblem();
}

QString ValueRow::problem() const { return problem_->text(); }

void ValueRow::showProblem() {
    const QString message = typing_.isEmpty() ? said_ : typing_;
    problem_->setText(message);
    problem_->setVisible(!message.isEmpty());
    if (editor_->property("wrong").toBool() == !message.isEmpty()) return;
    editor_->setProperty("wrong", !message.isEmpty());
    editor_->style()->unpolish(editor_);
    editor_->style()->polish(editor_);
}

bool ValueRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn) emit focused();
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool nothingToDelete = watched == remove_ || editor_->text().isEmpty();
    if (key->key() != Qt::Key_Delete || (!nothingToDelete && !key->modifiers().testFlag(Qt::ControlModifier))) {
        return QWidget::eventFilter(watched, event);
    }
    emit removeWanted();
    return true;
}

}  // namespace dasgd::gui
