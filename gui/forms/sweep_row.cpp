#include "gui/forms/sweep_row.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/widgets/parts.h"

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

SweepRow::SweepRow(const SweptField& swept)
    : name_(makeLabel({})),
      symbol_(makeLabel({}, "accent")),
      count_(makeLabel({}, "small")),
      problem_(makeLabel({}, "bad")),
      editor_(new QLineEdit),
      remove_(makeLink(QStringLiteral("×"), tr("Take %1 out of the sweep  Delete").arg(swept.key))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 3, 0, 5);
    column->setSpacing(3);
    auto* head = new QHBoxLayout;
    head->setSpacing(5);
    for (QWidget* one : std::initializer_list<QWidget*>{name_, symbol_}) head->addWidget(one);
    head->addStretch();
    head->addWidget(count_);
    head->addWidget(remove_);
    column->addLayout(head);
    editor_->setProperty("field", true);
    editor_->setPlaceholderText(tr("1, 2, 4  or  1..5"));
    column->addWidget(editor_);
    // By Tab the values come before the button that takes them out.
    setTabOrder(editor_, remove_);
    problem_->setWordWrap(true);
    problem_->hide();
    column->addWidget(problem_);
    for (QWidget* one : std::initializer_list<QWidget*>{editor_, remove_}) one->installEventFilter(this);
    connect(editor_, &QLineEdit::textEdited, this, &SweepRow::take);
    connect(remove_, &QToolButton::clicked, this, &SweepRow::removeWanted);
    setFocusProxy(editor_);
    swept_.key = swept.key;
    show(swept);
}

void SweepRow::show(const SweptField& swept) {
    const auto typed = sweepValues(editor_->text(), swept.field), wanted = sweepValues(swept.values, swept.field);
    const bool same = typed && wanted && *typed == *wanted;
    // What cannot be written yet is still being typed.
    const bool waits = !typing_.isEmpty() && editor_->hasFocus() && swept.values == swept_.values;
    swept_ = swept;
    name_->setText(swept.key);
    symbol_->setText(swept.field ? QString::fromStdString(swept.field->spec.symbol) : QString());
    symbol_->setVisible(!symbol_->text().isEmpty());
    count_->setText(swept.count == 1 ? tr("1 value") : tr("%1 values").arg(grouped(swept.count)));
    const QString help = swept.field ? QString::fromStdString(swept.field->spec.help)
                                     : tr("The plug-ins of this experiment know no such field");
    setToolTip(asTip(help));
    editor_->setAccessibleName(tr("Values of %1").arg(swept.key));
    editor_->setAccessibleDescription(help);
    if (waits) return;
    typing_.clear();
    if (!same || !editor_->hasFocus()) {
        editor_->setText(swept.values);
        editor_->setCursorPosition(0);
    }
    showProblem();
}

void SweepRow::take(const QString& written) {
    const auto values = sweepValues(written, swept_.field);
    typing_ = values ? QString() : QString::fromStdString(values.error().message);
    showProblem();
    if (values) emit edited(*values);
}

void SweepRow::setProblem(const QString& message) {
    said_ = message;
    showProblem();
}

QString SweepRow::problem() const { return problem_->text(); }

void SweepRow::showProblem() {
    const QString message = typing_.isEmpty() ? said_ : typing_;
    problem_->setText(message);
    problem_->setVisible(!message.isEmpty());
    if (editor_->property("wrong").toBool() == !message.isEmpty()) return;
    editor_->setProperty("wrong", !message.isEmpty());
    editor_->style()->unpolish(editor_);
    editor_->style()->polish(editor_);
}

bool SweepRow::eventFilter(QObject* watched, QEvent* event) {
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
