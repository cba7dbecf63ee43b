#include "gui/experiment/form/field_row.h"

#include <QContextMenuEvent>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QStyle>
#include <QVBoxLayout>

#include "core/base/schema/experiment_schema.h"
#include "gui/experiment/model/document/experiment_document.h"
#include "gui/kit/parts/arrow_box.h"
#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"

namespace dasgd::gui {

namespace {

constexpr int kDotWidth = 14, kNameWidth = 130, kEditorWidth = 132;

}  // namespace

FieldChoice::FieldChoice(const Look& look, const QStringList& choices) : look_(look) {
    addItems(choices);
    setFocusPolicy(Qt::StrongFocus);
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
}

void FieldChoice::paintEvent(QPaintEvent* event) {
    QComboBox::paintEvent(event);
    paintChoiceArrow(*this, look_.theme().muted);
}

FieldRow::FieldRow(const FieldInfo& field, const QString& key, const QString& label, const QStringList& choices,
                   const Look& look)
    : field_(field), key_(key) {
    unset_ = defaultText(field);
    auto* column = padded(spaced(new QVBoxLayout(this), 3), {0, 2, 0, 2});
    auto* row = spaced(new QHBoxLayout, 0);
    dot_ = makeLabel(QStringLiteral("•"), "accent");
    dot_->setFixedWidth(kDotWidth);
    row->addWidget(dot_);
    auto* names = spaced(new QHBoxLayout, 5);
    names->addWidget(name_ = makeLabel(label, "muted"));
    if (!field.spec.symbol.empty()) names->addWidget(makeLabel(QString::fromStdString(field.spec.symbol), "accent"));
    names->addStretch();
    auto* nameBox = new QWidget;
    names->setContentsMargins(0, 0, 0, 0);
    nameBox->setLayout(names);
    nameBox->setFixedWidth(kNameWidth);
    row->addWidget(nameBox);
    makeEditor(choices, look);
    row->addWidget(editor());
    row->addSpacing(10);
    auto* unit = new ElidedLabel;
    unit->setText(QString::fromStdString(field.spec.unit));
    unit->setWordWrap(true);
    row->addWidget(unit, 1);
    row->addSpacing(6);
    row->addWidget(swept_ = makeLabel(tr("swept"), "accent"));
    swept_->setToolTip(tr("[sweep] replaces this value in each of its runs"));
    swept_->hide();
    column->addLayout(row);
    column->addWidget(hint_ = new WrappedLabel("small"));
    hint_->setContentsMargins(kDotWidth + kNameWidth, 0, 0, 2);
    hint_->hide();
    problem_ = makeLabel({}, "bad");
    problem_->setWordWrap(true);
    problem_->setContentsMargins(kDotWidth + kNameWidth, 0, 0, 3);
    problem_->hide();
    column->addWidget(problem_);
    setToolTip(tip());
    editor()->setAccessibleName(key_);
    editor()->setAccessibleDescription(QString::fromStdString(field.spec.help));
    editor()->installEventFilter(this);
    setFocusProxy(editor());
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(this, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) { openMenu(mapToGlobal(at)); });
}

void FieldRow::makeEditor(const QStringList& choices, const Look& look) {
    if (choices.isEmpty()) {
        line_ = new QLineEdit;
        line_->setPlaceholderText(unset_);
        connect(line_, &QLineEdit::textEdited, this, &FieldRow::edited);
    } else {
        choice_ = new FieldChoice(look, choices);
        connect(choice_, &QComboBox::textActivated, this, &FieldRow::edited);
    }
    editor()->setFixedWidth(kEditorWidth);
    editor()->setProperty("field", true);
}

QString FieldRow::tip() const {
    QStringList lines{key_ + (field_.spec.symbol.empty()
                                  ? QString()
                                  : QStringLiteral("  ") + QString::fromStdString(field_.spec.symbol))};
    if (!field_.spec.help.empty()) lines << QString::fromStdString(field_.spec.help);
    const QString range = QString::fromStdString(rangeInWords(field_.spec));
    if (!range.isEmpty()) lines << tr("Allowed: %1 %2").arg(range, QString::fromStdString(field_.spec.unit)).trimmed();
    if (!unset_.isEmpty()) lines << tr("Default: %1").arg(unset_);
    return asTip(lines.join(u'\n'));
}

void FieldRow::show(const QString& text, bool atDefault) {
    dot_->setVisible(true);
    dot_->setText(atDefault ? QString() : QStringLiteral("•"));
    dot_->setToolTip(atDefault ? QString() : tr("Differs from the default, %1").arg(unset_));
    setTone(*name_, atDefault ? "muted" : "");
    if (line_) {
        const bool same = tomlOf(field_, line_->text()) == tomlOf(field_, text) || line_->text().trimmed() == text;
        if (!same || !line_->hasFocus()) line_->setText(text);
        line_->setCursorPosition(line_->hasFocus() ? line_->cursorPosition() : 0);
        return;
    }
    const QString wanted = text.isEmpty() ? unset_ : text;
    int at = choice_->findText(wanted);
    if (at < 0 && !wanted.isEmpty()) {
        // The value of the file is shown even if it is none of the choices.
        choice_->addItem(wanted);
        at = choice_->count() - 1;
    }
    choice_->setCurrentIndex(at);
}

void FieldRow::setProblem(const QString& message) {
    problem_->setText(message);
    problem_->setVisible(!message.isEmpty());
    if (editor()->property("wrong").toBool() == !message.isEmpty()) return;
    editor()->setProperty("wrong", !message.isEmpty());
    editor()->style()->unpolish(editor());
    editor()->style()->polish(editor());
}

bool FieldRow::hasProblem() const { return !problem_->text().isEmpty(); }

void FieldRow::setHint(const QString& words, const QString& tip) {
    hint_->say(words);
    hint_->setVisible(!words.isEmpty());
    hint_->setToolTip(asTip(tip));
}

void FieldRow::setSwept(bool swept) {
    isSwept_ = swept;
    swept_->setVisible(swept);
}

void FieldRow::openMenu(const QPoint& global) {
    QMenu* menu = line_ ? line_->createStandardContextMenu() : new QMenu(this);
    menu->setParent(this, menu->windowFlags());
    menu->setAttribute(Qt::WA_DeleteOnClose);
    if (!menu->isEmpty()) menu->addSeparator();
    QAction* sweep = menu->addAction(isSwept_ ? tr("Go to its sweep") : tr("Sweep this"));
    sweep->setEnabled(isEnabled());
    connect(sweep, &QAction::triggered, this, &FieldRow::sweepWanted);
    menu->popup(global);
}

bool FieldRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn) emit focused();
    if (event->type() == QEvent::ContextMenu) {
        openMenu(static_cast<QContextMenuEvent*>(event)->globalPos());
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace dasgd::gui
