#include "gui/experiment/sweep/case_value_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/experiment/model/sweep/sweep_text.h"
#include "gui/kit/parts/elided_label.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

CaseValueRow::CaseValueRow(const CaseValue& value, int number)
    : ValueRow(tr("Take %1 out of case %2  Delete").arg(value.key()).arg(number)), value_(value) {
    auto* column = padded(spaced(new QVBoxLayout(this), 2), {10, 0, 0, 0});
    auto* row = spaced(new QHBoxLayout, 5);
    // Keys of one section differ at their end, so the left side is elided.
    auto* name = new ElidedLabel("small", Qt::ElideLeft);
    name->setText(value.key());
    name->setToolTip(asTip(value.key()));
    row->addWidget(name, 2);
    editor().setAccessibleName(tr("%1 in case %2").arg(value.key()).arg(number));
    row->addWidget(&editor(), 3);
    row->addWidget(removeButton());
    column->addLayout(row);
    column->addWidget(problemLabel());
}

void CaseValueRow::show(const CaseValue& value, const FieldInfo* field) {
    const auto typed = singleValue(editor().text(), field);
    const bool same = typed && *typed == value.toml;
    const bool waits = isUnfinished() && value.toml == value_.toml;
    value_ = value;
    field_ = field;
    const QString help = field ? QString::fromStdString(field->spec.help) : tr("A value of TOML");
    // A value of several lines cannot be edited in a line edit.
    const bool isLong = value.toml.contains(u'\n');
    editor().setReadOnly(isLong);
    editor().setToolTip(isLong ? tr("It has several lines: change it in the text") : asTip(help));
    editor().setAccessibleDescription(help);
    if (!waits) showText(isLong ? value.toml.simplified() : asWritten(value.toml, field), same);
}

void CaseValueRow::take(const QString& written) {
    const auto toml = singleValue(written, field_);
    setTyping(toml ? QString() : QString::fromStdString(toml.error().message));
    if (toml && *toml != value_.toml) emit edited(*toml);
}

}  // namespace dasgd::gui
