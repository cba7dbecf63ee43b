#include "gui/experiment/form/experiment_form.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

ExperimentForm::ExperimentForm(const Look& look) : look_(look), inner_(new QWidget) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    makeClear(*this);
    inner_->setObjectName(QStringLiteral("form"));
    column_ = new QVBoxLayout(inner_);
    column_->setContentsMargins(kPadding, 0, 12, 8);
    column_->setSpacing(0);
    column_->addWidget(blocked_ = makeLabel({}, "bad"));
    blocked_->setWordWrap(true);
    blocked_->setContentsMargins(0, 8, 0, 4);
    blocked_->hide();
    more_ = new QPushButton;
    more_->setObjectName(QStringLiteral("fold"));
    more_->setFocusPolicy(Qt::TabFocus);
    more_->setCursor(Qt::PointingHandCursor);
    more_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    more_->hide();
    connect(more_, &QPushButton::clicked, this, [this] {
        open_ = !open_;
        fold();
    });
    column_->addWidget(more_);
    column_->addStretch();
    setWidget(inner_);
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &ExperimentForm::refreshNext);
}

void ExperimentForm::setSchema(const ExperimentSchema& schema) {
    for (const Part& part : parts_) {
        part.form->deleteLater();
        part.line->deleteLater();
    }
    parts_.clear();
    schema_ = schema;
    SchemaSection whole;
    whole.fields.push_back({.name = "name", .type = "string", .spec = {.help = "Name of the experiment and its runs"}});
    addSection(whole);
    for (const SchemaSection& section : schema.sections) addSection(section);
    update(document_, {});
}

void ExperimentForm::addSection(const SchemaSection& section) {
    auto* form = new SectionForm(section, look_);
    auto* line = new QFrame;
    line->setObjectName(QStringLiteral("separator"));
    line->setFixedHeight(1);
    const int at = column_->indexOf(more_);
    column_->insertWidget(at, line);
    column_->insertWidget(at + 1, form);
    const bool chooses = !section.plugins.empty() && !section.fields.empty();
    const bool required = section.name.empty() || (chooses && section.fields.front().defaultToml.empty());
    parts_.push_back({form, line, required});
    connect(form, &SectionForm::edited, this, &ExperimentForm::edited);
    connect(form, &SectionForm::pluginChosen, this, &ExperimentForm::pluginChosen);
    connect(form, &SectionForm::focused, this, &ExperimentForm::focused);
    connect(form, &SectionForm::sweepWanted, this, &ExperimentForm::sweepWanted);
}

void ExperimentForm::update(const ExperimentDocument& document, const std::vector<Problem>& problems) {
    const auto& syntax = document.syntaxError();
    blocked_->setVisible(syntax.has_value());
    for (const Part& part : parts_) part.form->setEnabled(!syntax);
    if (syntax) {
        blocked_->setText(
            tr("Line %1 of the text is no TOML. The form goes on once that is mended: F8.").arg(syntax->line));
        return;
    }
    document_ = document;
    problems_ = problems;
    for (Part& part : parts_) part.stale = true;
    fold();
}

void ExperimentForm::refresh(Part& part) {
    if (std::exchange(part.stale, false)) part.form->update(document_, problems_);
}

void ExperimentForm::refreshNext() {
    const auto waits = [](const Part& part) { return part.shown && part.stale; };
    const auto next = std::ranges::find_if(parts_, waits);
    if (next != parts_.end()) refresh(*next);
    if (std::ranges::any_of(parts_, waits)) later_.start();
}

bool ExperimentForm::Part::mayHave(const QString& key) const {
    return form->name().isEmpty() || key.startsWith(form->name() + u'.');
}

QStringList ExperimentForm::unreadSections() const {
    const QStringList varied = document_.varied();
    QStringList unread;
    const SchemaSection* algorithms = schema_.section("algorithm");
    if (algorithms && !varied.contains(QStringLiteral("algorithm.name")))
        unread = qStrings(schema_.sectionsUnreadBy(document_.pluginOf(*algorithms).toStdString()));
    const SchemaSection* cluster = schema_.section("cluster");
    const QString key = QStringLiteral("cluster.backend");
    if (!cluster || varied.contains(key)) return unread;
    QString backend = document_.valueText(key);
    const FieldInfo* field = cluster->field("backend");
    if (backend.isEmpty() && field) backend = defaultText(*field);
    return unread + qStrings(schema_.sectionsRefusedBy(backend.toStdString()));
}

void ExperimentForm::fold() {
    const QStringList unread = unreadSections();
    QStringList folded;
    int absent = 0;
    bool first = true;
    for (Part& part : parts_) {
        const QString name = part.form->name();
        const auto wrong = [](const FieldRow* row) { return row->hasProblem(); };
        const bool blamed =
            std::ranges::any_of(problems_, [&](const Problem& problem) { return part.mayHave(problem.key); });
        if (blamed) refresh(part);
        if (part.stale && std::ranges::any_of(part.form->rows(), wrong)) refresh(part);
        const bool isRead = !unread.contains(name);
        // A field that is being edited stays under the cursor, though its section was just emptied.
        const bool stays = (part.required && isRead) || document_.hasSection(name) || name == revealed_ ||
                           part.form->isAncestorOf(QApplication::focusWidget()) ||
                           std::ranges::any_of(part.form->rows(), wrong);
        absent += stays || !isRead ? 0 : 1;
        part.shown = stays || (open_ && isRead);
        if (part.shown && part.form->hasRowsFor(document_)) refresh(part);
        if (part.shown && part.stale) later_.start();
        part.form->setVisible(part.shown);
        part.line->setVisible(part.shown && !first);
        first = first && !stays;
        if (!stays && isRead) folded << name;
    }
    const QString names = folded.join(QStringLiteral(", "));
    more_->setText(open_ ? tr("⌄  fold the sections that the text leaves out")
                         : QStringLiteral("›  ") + tr("%1 at default").arg(names));
    more_->setToolTip(tr("Sections that the text leaves out: %1").arg(names));
    more_->setVisible(absent > 0 && !parts_.empty());
}

FieldRow* ExperimentForm::rowOf(const QString& key) {
    for (Part& part : parts_) {
        if (!part.mayHave(key)) continue;
        refresh(part);
        for (FieldRow* row : part.form->rows()) {
            if (row->key() == key) return row;
        }
    }
    return nullptr;
}

bool ExperimentForm::focusKey(const QString& key) {
    for (Part& part : parts_) {
        if (!part.mayHave(key)) continue;
        refresh(part);
        FieldRow* row = part.form->reveal(key);
        if (!row) continue;
        revealed_ = part.form->name();
        fold();
        row->editor()->setFocus(Qt::ShortcutFocusReason);
        if (auto* line = qobject_cast<QLineEdit*>(row->editor())) line->selectAll();
        ensureWidgetVisible(row, 0, 60);
        return true;
    }
    return false;
}

}  // namespace dasgd::gui
