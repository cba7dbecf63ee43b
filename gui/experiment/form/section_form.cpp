#include "gui/experiment/form/section_form.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

namespace {

constexpr int kTitleWidth = 92;   // of "Compression"
constexpr int kFoldPadding = 20;  // padding of the style sheet on both sides of the line of folded fields, together
constexpr qsizetype kMostNamed = 3;

// Names of the first `named` fields and the number of the rest: "steps, seed and 11 more".
QString namesOf(const QStringList& fields, qsizetype named) {
    const QString words = fields.mid(0, named).join(QStringLiteral(", "));
    return fields.size() > named ? SectionForm::tr("%1 and %2 more").arg(words).arg(fields.size() - named) : words;
}

QString titleOf(const std::string& section) {
    QString title = section.empty() ? QStringLiteral("experiment") : QString::fromStdString(section);
    title[0] = title[0].toUpper();
    return title;
}

QStringList choicesOf(const SchemaSection& section, const FieldInfo& field, bool choosesPlugin) {
    QStringList choices = qStrings(field.spec.choices);
    if (field.type == "bool") choices << QStringLiteral("true") << QStringLiteral("false");
    if (!choosesPlugin) return choices;
    for (const SchemaPlugin& plugin : section.plugins) choices << QString::fromStdString(plugin.name);
    return choices;
}

}  // namespace

SectionForm::SectionForm(const SchemaSection& section, const Look& look) : section_(section), look_(look) {
    auto* row = padded(spaced(new QHBoxLayout(this), 0), {0, 8, 0, 8});
    QLabel* title = makeLabel(titleOf(section.name), "head");
    title->setFixedWidth(kTitleWidth);
    title->setContentsMargins(0, 7, 0, 0);
    if (!section.name.empty()) title->setToolTip(QStringLiteral("[%1]").arg(name()));
    row->addWidget(title, 0, Qt::AlignTop);
    column_ = new QVBoxLayout;
    column_->setSpacing(0);
    more_ = new QPushButton;
    more_->setObjectName(QStringLiteral("fold"));
    more_->setFocusPolicy(Qt::TabFocus);
    more_->setCursor(Qt::PointingHandCursor);
    more_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    connect(more_, &QPushButton::clicked, this, [this] {
        open_ = !open_;
        fold(document_);
    });
    column_->addWidget(more_);
    row->addLayout(column_, 1);
}

void SectionForm::makeRows(const QString& plugin) {
    for (FieldRow* row : rows_) {
        row->hide();
        row->deleteLater();
    }
    rows_.clear();
    plugin_ = plugin;
    for (const FieldInfo* field : section_.fieldsOf(plugin.toStdString())) {
        const QString label = QString::fromStdString(field->name);
        const QString key = section_.name.empty() ? label : name() + u'.' + label;
        if (field->type != "table") addRow(*field, key, label);
        for (const FieldInfo& child : field->children) {
            const QString part = QString::fromStdString(child.name);
            addRow(child, key + u'.' + part, label + u' ' + part);
        }
    }
    // The line of folded fields stands last.
    column_->removeWidget(more_);
    column_->addWidget(more_);
    const SchemaPlugin* chosen = section_.plugin(plugin.toStdString());
    if (chosen && !rows_.empty()) {
        const QString summary = QString::fromStdString(chosen->summary);
        const QString reference = QString::fromStdString(chosen->reference);
        rows_.front()->setHint(summary,
                               reference.isEmpty() ? summary : summary + QStringLiteral("  (") + reference + u')');
    }
}

void SectionForm::addRow(const FieldInfo& field, const QString& key, const QString& label) {
    const bool choosesPlugin = !section_.plugins.empty() && key == name() + QStringLiteral(".name");
    auto* row = new FieldRow(field, key, label, choicesOf(section_, field, choosesPlugin), look_);
    connect(row, &FieldRow::edited, this, [this, row, choosesPlugin](const QString& written) {
        if (choosesPlugin) {
            emit pluginChosen(name(), written);
        } else {
            emit edited(row->key(), row->field(), written);
        }
    });
    connect(row, &FieldRow::focused, this, [this, row] { emit focused(row->key()); });
    connect(row, &FieldRow::sweepWanted, this, [this, row] { emit sweepWanted(row->key()); });
    column_->addWidget(row);
    rows_.push_back(row);
}

void SectionForm::update(const ExperimentDocument& document, const std::vector<Problem>& problems) {
    document_ = document;
    QString focused;
    if (!hasRowsFor(document)) {
        for (const FieldRow* row : rows_) {
            if (row->editor()->hasFocus()) focused = row->key();
        }
        makeRows(document.pluginOf(section_));
    }
    const QStringList swept = document.swept();
    for (FieldRow* row : rows_) {
        row->show(document.valueText(row->key()), isDefault(row->field(), document.value(row->key())));
        const auto problem = std::ranges::find(problems, row->key(), &Problem::key);
        row->setProblem(problem == problems.end() ? QString() : problem->message);
        row->setSwept(swept.contains(row->key()) ||
                      (swept.contains(name()) && row->key() == name() + QStringLiteral(".name")));
    }
    fold(document);
    if (focused.isEmpty()) return;
    const FieldRow* same = reveal(focused);
    (same ? same : rows_.front())->editor()->setFocus(Qt::OtherFocusReason);
}

void SectionForm::fold(const ExperimentDocument& document) {
    QStringList folded;
    int unset = 0;
    for (FieldRow* row : rows_) {
        const bool chooses = !section_.plugins.empty() && row == rows_.front();
        const bool stays = chooses || document.value(row->key()) || row->hasProblem() || row->editor()->hasFocus() ||
                           row->key() == revealed_;
        unset += stays ? 0 : 1;
        row->setVisible(stays || open_);
        if (!stays && !open_) folded << row->key().section(u'.', section_.name.empty() ? 0 : 1).replace(u'.', u' ');
    }
    folded_ = folded;
    sayFolded();
    more_->setToolTip(asTip(folded.join(QStringLiteral(", "))));
    more_->setAccessibleName(open_ ? tr("Fold %1").arg(name())
                                   : tr("Show %1 of %2").arg(namesOf(folded_, kMostNamed), name()));
    more_->setVisible(unset > 0);
}

// Names as many folded fields as there is room for.
void SectionForm::sayFolded() {
    if (open_) return more_->setText(tr("⌄  fold what stands at its default"));
    QString words;
    for (qsizetype named = kMostNamed; named > 0; --named) {
        words = QStringLiteral("›  ") + tr("%1 at default").arg(namesOf(folded_, named));
        if (more_->fontMetrics().horizontalAdvance(words) + kFoldPadding <= width() - kTitleWidth) break;
    }
    more_->setText(words);
}

void SectionForm::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    sayFolded();
}

FieldRow* SectionForm::reveal(const QString& key) {
    const auto found = std::ranges::find(rows_, key, &FieldRow::key);
    if (found == rows_.end()) return nullptr;
    revealed_ = key;
    fold(document_);
    return *found;
}

}  // namespace dasgd::gui
