#include "gui/experiment/sweep/sweep_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <QVBoxLayout>

#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

SweepRow::SweepRow(const SweptField& swept)
    : ValueRow(tr("Take %1 out of the sweep  Delete").arg(swept.key)),
      name_(makeLabel({})),
      symbol_(makeLabel({}, "accent")),
      count_(makeLabel({}, "small")),
      tables_(makeLabel({}, "small")) {
    auto* column = padded(spaced(new QVBoxLayout(this), 3), {0, 3, 0, 5});
    auto* head = spaced(new QHBoxLayout, 5);
    for (QWidget* one : std::initializer_list<QWidget*>{name_, symbol_}) head->addWidget(one);
    head->addStretch();
    head->addWidget(count_);
    head->addWidget(removeButton());
    column->addLayout(head);
    editor().setPlaceholderText(tr("1, 2, 4  or  1..5"));
    column->addWidget(&editor());
    tables_->setWordWrap(true);
    tables_->setContentsMargins(10, 0, 0, 2);
    column->addWidget(tables_);
    // Tab reaches the values before the remove button.
    setTabOrder(&editor(), removeButton());
    column->addWidget(problemLabel());
    swept_.key = swept.key;
    show(swept);
}

void SweepRow::show(const SweptField& swept) {
    const auto typed = sweepValues(editor().text(), swept.field), wanted = sweepValues(swept.values, swept.field);
    const bool same = typed && wanted && *typed == *wanted;
    // Unfinished text is kept while the document's values are unchanged.
    const bool waits = isUnfinished() && swept.values == swept_.values;
    swept_ = swept;
    name_->setText(swept.key);
    symbol_->setText(swept.field ? QString::fromStdString(swept.field->spec.symbol) : QString());
    symbol_->setVisible(!symbol_->text().isEmpty());
    count_->setText(swept.count == 1 ? tr("1 value") : tr("%1 values").arg(grouped(swept.count)));
    const QString help = swept.field ? QString::fromStdString(swept.field->spec.help)
                                     : tr("The plug-ins of this experiment know no such field");
    setToolTip(asTip(help));
    // The line edit shows only the beginning of the first table, so each table gets a line of its own.
    QStringList tables = wanted ? wanted->filter(QRegularExpression(QStringLiteral("^[{]"))) : QStringList();
    static const QRegularExpression plugin(QStringLiteral("^[{]\\s*name\\s*=\\s*\"([^\"]*)\"\\s*(.*?)\\s*[}]$"));
    for (QString& one : tables) one.replace(plugin, QStringLiteral("\\1\\2"));
    tables_->setText(tables.join(u'\n'));
    tables_->setVisible(!tables.isEmpty());
    editor().setAccessibleName(tr("Values of %1").arg(swept.key));
    editor().setAccessibleDescription(help);
    if (!waits) showText(swept.values, same);
}

void SweepRow::take(const QString& written) {
    const auto values = sweepValues(written, swept_.field);
    setTyping(values ? QString() : QString::fromStdString(values.error().message));
    if (values) emit edited(*values);
}

}  // namespace dasgd::gui
