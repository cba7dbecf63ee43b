#include "gui/forms/case_row.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/forms/sweep_row.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

CaseRow::CaseRow(std::size_t index)
    : name_(new QLineEdit), sets_(makeLabel({}, "small")), problem_(makeLabel({}, "bad")) {
    const QString number = QString::number(index + 1);
    set_ = makeLink(tr("+ set"), tr("Choose a field that case %1 sets").arg(number));
    copy_ = makeLink(tr("copy"), tr("Copy case %1").arg(number));
    remove_ = makeLink(QStringLiteral("×"), tr("Take case %1 out  Delete").arg(number));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 3, 0, 5);
    column->setSpacing(3);
    auto* head = new QHBoxLayout;
    head->setSpacing(2);
    name_->setProperty("field", true);
    name_->setPlaceholderText(tr("case %1").arg(number));
    name_->setAccessibleName(tr("Name of case %1").arg(number));
    head->addWidget(name_, 1);
    head->addSpacing(4);
    for (QToolButton* one : {set_, copy_, remove_}) head->addWidget(one);
    column->addLayout(head);
    sets_->setWordWrap(true);
    column->addWidget(sets_);
    problem_->setWordWrap(true);
    problem_->hide();
    column->addWidget(problem_);
    for (QWidget* one : std::initializer_list<QWidget*>{name_, set_, copy_, remove_}) one->installEventFilter(this);
    connect(name_, &QLineEdit::textEdited, this, &CaseRow::renamed);
    connect(set_, &QToolButton::clicked, this, &CaseRow::setWanted);
    connect(copy_, &QToolButton::clicked, this, &CaseRow::copyWanted);
    connect(remove_, &QToolButton::clicked, this, &CaseRow::removeWanted);
    setFocusProxy(name_);
}

void CaseRow::show(const SweepCase& one) {
    line_ = one.line;
    if (name_->text() != one.name) name_->setText(one.name);
    QStringList words = one.sets;
    if (one.inner > 0) words << (one.inner == 1 ? tr("1 case of its own") : tr("%1 cases of its own").arg(one.inner));
    constexpr qsizetype kShown = 4;
    const QString shown = QStringList(words.mid(0, kShown)).join(QStringLiteral(" · "));
    const qsizetype more = words.size() - kShown;
    sets_->setText(words.isEmpty() ? tr("sets nothing yet, so that it is the experiment itself")
                   : more > 0      ? tr("%1 and %2 more").arg(shown).arg(more)
                                   : shown);
    sets_->setToolTip(asTip(words.join(u'\n')));
    name_->setAccessibleDescription(words.join(QStringLiteral(", ")));
}

void CaseRow::setProblem(const QString& message) {
    problem_->setText(message);
    problem_->setVisible(!message.isEmpty());
}

QString CaseRow::problem() const { return problem_->text(); }

bool CaseRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn) emit focused();
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool nothingToDelete = watched != name_ || name_->text().isEmpty();
    if (key->key() != Qt::Key_Delete || (!nothingToDelete && !key->modifiers().testFlag(Qt::ControlModifier))) {
        return QWidget::eventFilter(watched, event);
    }
    emit removeWanted();
    return true;
}

}  // namespace dasgd::gui
