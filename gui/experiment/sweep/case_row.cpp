#include "gui/experiment/sweep/case_row.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/experiment/sweep/case_value_row.h"
#include "gui/experiment/sweep/placed_rows.h"
#include "gui/experiment/sweep/sweep_row.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

CaseRow::CaseRow(std::size_t index)
    : number_(static_cast<int>(index) + 1),
      name_(new QLineEdit),
      sets_(makeLabel({}, "small")),
      problem_(makeLabel({}, "bad")) {
    const QString number = QString::number(index + 1);
    set_ = makeLink(tr("+ set"), tr("Choose a field that case %1 sets").arg(number));
    copy_ = makeLink(tr("copy"), tr("Copy case %1").arg(number));
    remove_ = makeLink(QStringLiteral("×"), tr("Take case %1 out  Delete").arg(number));
    auto* column = padded(spaced(new QVBoxLayout(this), 3), {0, 3, 0, 5});
    auto* head = spaced(new QHBoxLayout, 2);
    name_->setProperty("field", true);
    name_->setPlaceholderText(tr("case %1").arg(number));
    name_->setAccessibleName(tr("Name of case %1").arg(number));
    head->addWidget(name_, 1);
    head->addSpacing(4);
    head->addWidget(remove_);
    column->addLayout(head);
    valueColumn_ = new QVBoxLayout;
    valueColumn_->setSpacing(3);
    column->addLayout(valueColumn_);
    // The buttons stand below, so that the name has the whole width.
    auto* foot = padded(spaced(new QHBoxLayout, 2), {10, 0, 0, 0});
    for (QToolButton* one : {set_, copy_}) foot->addWidget(one);
    foot->addStretch();
    column->addLayout(foot);
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

void CaseRow::show(const SweepCase& one, const std::vector<const FieldInfo*>& fields) {
    line_ = one.line;
    if (name_->text() != one.name) {
        name_->setText(one.name);
        if (!name_->hasFocus()) name_->setCursorPosition(0);
    }
    name_->setToolTip(asTip(one.name));
    showValues(one.values, fields);
    sets_->setText(one.inner == 1       ? tr("1 case of its own")
                   : one.inner > 1      ? tr("%1 cases of its own").arg(one.inner)
                   : one.sets.isEmpty() ? tr("sets nothing yet, so that it is the experiment itself")
                                        : QString());
    sets_->setVisible(!sets_->text().isEmpty());
    name_->setAccessibleDescription(one.sets.join(QStringLiteral(", ")));
}

void CaseRow::showValues(const std::vector<CaseValue>& values, const std::vector<const FieldInfo*>& fields) {
    std::vector<CaseValueRow*> rows;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto old =
            std::ranges::find_if(values_, [&](const CaseValueRow* row) { return row->value().path == values[i].path; });
        rows.push_back(old == values_.end() ? addValueRow(values[i]) : *old);
        rows.back()->show(values[i], i < fields.size() ? fields[i] : nullptr);
    }
    placeRows(*valueColumn_, values_, std::move(rows));
}

CaseValueRow* CaseRow::addValueRow(const CaseValue& value) {
    auto* row = new CaseValueRow(value, number_);
    connect(row, &CaseValueRow::edited, this,
            [this, path = value.path](const QString& toml) { emit valueEdited(path, toml); });
    // Queued: the row must outlive the key press that removes it.
    connect(
        row, &CaseValueRow::removeWanted, this, [this, path = value.path] { emit valueRemoved(path); },
        Qt::QueuedConnection);
    connect(row, &CaseValueRow::focused, this, [this, row] { emit lineFocused(row->value().line); });
    return row;
}

void CaseRow::setProblem(const QString& message, int line) {
    bool placed = false;
    for (CaseValueRow* row : values_) {
        const bool here = !message.isEmpty() && line > 0 && row->value().line == line && !placed;
        row->setProblem(here ? message : QString());
        placed = placed || here;
    }
    problem_->setText(placed ? QString() : message);
    problem_->setVisible(!problem_->text().isEmpty());
}

QString CaseRow::problem() const {
    for (const CaseValueRow* row : values_) {
        if (!row->problem().isEmpty()) return row->problem();
    }
    return problem_->text();
}

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
