#include "gui/experiment/sweep/sweep_card.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/experiment/sweep/case_row.h"
#include "gui/experiment/sweep/case_value_row.h"
#include "gui/experiment/sweep/field_picker.h"
#include "gui/experiment/sweep/placed_rows.h"
#include "gui/experiment/sweep/sweep_row.h"
#include "gui/experiment/sweep/sweep_table.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

SweepCard::SweepCard()
    : scroll_(new QScrollArea),
      words_(makeLabel({}, "muted")),
      size_(makeLabel({}, "head")),
      time_(makeLabel({})),
      basis_(makeLabel({}, "small")),
      table_(new SweepTable),
      addField_(makeLink(tr("+ field"), tr("Choose a field to sweep"))),
      addCase_(makeLink(tr("+ case"), tr("Add a case: runs that differ in several places at once"))) {
    setAccessibleName(tr("Sweep"));
    body().setContentsMargins(1, 13, 1, 10);
    auto* head = padded(new QHBoxLayout, {kPadding, 0, 12, 2});
    head->addWidget(makeLabel(tr("Sweep"), "head"));
    head->addWidget(makeLabel(tr("Alt+S"), "small"));
    head->addStretch();
    head->addWidget(addField_);
    head->addWidget(addCase_);
    body().addLayout(head);
    makeBody();
    makeFoot();
    connect(addField_, &QToolButton::clicked, this,
            [this] { pick(*addField_, [this](const SweepableField& one) { addField(one); }); });
    connect(addCase_, &QToolButton::clicked, this, [this] {
        emit textWanted(withNewCase(document_));
        if (!cases_.empty()) cases_.back()->name().setFocus(Qt::ShortcutFocusReason);
    });
    update(ExperimentDocument(), std::nullopt);
}

void SweepCard::makeBody() {
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setWidgetResizable(true);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setFocusPolicy(Qt::NoFocus);
    makeClear(*scroll_);
    auto* inner = new QWidget;
    inner->setObjectName(QStringLiteral("form"));
    auto* column = padded(spaced(new QVBoxLayout(inner), 0), {kPadding, 0, 12, 4});
    words_->setWordWrap(true);
    words_->setContentsMargins(0, 4, 0, 8);
    column->addWidget(words_);
    for (QVBoxLayout** part : {&rowColumn_, &caseColumn_}) {
        *part = new QVBoxLayout;
        (*part)->setSpacing(0);
        column->addLayout(*part);
    }
    column->addWidget(table_);
    connect(table_, &SweepTable::caseWanted, this, &SweepCard::caseWanted);
    column->addStretch();
    scroll_->setWidget(inner);
    body().addWidget(scroll_, 1);
}

void SweepCard::makeFoot() {
    auto* line = new QFrame;
    line->setObjectName(QStringLiteral("separator"));
    line->setFixedHeight(1);
    body().addWidget(line);
    auto* foot = padded(spaced(new QVBoxLayout, 3), {kPadding, 2, kPadding, 0});
    for (QLabel* one : {size_, time_, basis_}) {
        one->setWordWrap(true);
        foot->addWidget(one);
    }
    body().addLayout(foot);
}

void SweepCard::setSchema(const ExperimentSchema& schema) {
    schema_ = schema;
    // The rows hold pointers into the old schema.
    for (SweepRow* row : rows_) row->deleteLater();
    rows_.clear();
    for (CaseRow* row : cases_) row->deleteLater();
    cases_.clear();
}

void SweepCard::update(const ExperimentDocument& document, const std::optional<Problem>& problem) {
    const bool readable = !document.syntaxError() && !document.isEmpty();
    scroll_->widget()->setEnabled(readable);
    for (QToolButton* one : {addField_, addCase_}) one->setEnabled(readable);
    if (document.syntaxError()) {
        words_->setText(tr("Line %1 of the text is no TOML. The sweep goes on once that is mended: F8.")
                            .arg(document.syntaxError()->line));
        words_->show();
        return;
    }
    document_ = document;
    showRows(problem);
    showCases(problem);
    const Value* cases = document.value(QStringLiteral("case"));
    const bool elsewhere = cases && cases_.empty();
    words_->setVisible((rows_.empty() && cases_.empty()) || elsewhere);
    words_->setText(elsewhere ? tr("The cases are written in one piece: change them in the text.")
                    : document.isEmpty()
                        ? tr("A sweep runs the experiment once for each combination of values.")
                        : tr("Nothing is swept. Add a field to run once for each of its values, or a case that differs "
                             "in several places."));
}

void SweepCard::showRows(const std::optional<Problem>& problem) {
    const auto swept = sweptFields(document_, schema_);
    std::vector<SweepRow*> rows;
    for (const SweptField& one : swept) {
        const auto old = std::ranges::find(rows_, one.key, &SweepRow::key);
        rows.push_back(old == rows_.end() ? addRow(one) : *old);
        rows.back()->show(one);
        const bool isWrong = problem && problem->key == QStringLiteral("sweep.") + one.key;
        rows.back()->setProblem(isWrong ? problem->message : QString());
    }
    placeRows(*rowColumn_, rows_, std::move(rows));
}

SweepRow* SweepCard::addRow(const SweptField& swept) {
    auto* row = new SweepRow(swept);
    const QString key = swept.key;
    connect(row, &SweepRow::edited, this,
            [this, key](const QStringList& values) { emit textWanted(withSweep(document_, key, values, schema_)); });
    // Queued: the row must outlive the key press that removes it.
    connect(
        row, &SweepRow::removeWanted, this, [this, key] { removeField(key); }, Qt::QueuedConnection);
    connect(row, &SweepRow::focused, this, [this, row] {
        scroll_->ensureWidgetVisible(row, 0, 8);
        emit focusedLine(row->swept().line);
    });
    return row;
}

void SweepCard::showCases(const std::optional<Problem>& problem) {
    const auto cases = casesOf(document_);
    while (cases_.size() > cases.size()) {
        cases_.back()->hide();
        cases_.back()->deleteLater();
        cases_.pop_back();
    }
    while (cases_.size() < cases.size()) addCaseRow();
    for (std::size_t i = 0; i < cases.size(); ++i) {
        std::vector<const FieldInfo*> fields;
        for (const CaseValue& value : cases[i].values) {
            fields.push_back(fieldOfKey(document_, schema_, value.path.join(u'.')));
        }
        cases_[i]->show(cases[i], fields);
        const bool last = i + 1 == cases.size();
        const bool within = problem && problem->line >= cases[i].line && (last || problem->line < cases[i + 1].line);
        // Other sections may follow the last case, so a line behind it alone proves nothing.
        const bool isWrong =
            within && (problem->line == cases[i].line || problem->key.startsWith(QLatin1String("case")) ||
                       std::ranges::find(cases[i].values, problem->line, &CaseValue::line) != cases[i].values.end());
        cases_[i]->setProblem(isWrong ? problem->message : QString(), problem ? problem->line : 0);
    }
}

void SweepCard::addCaseRow() {
    const std::size_t index = cases_.size();
    auto* row = new CaseRow(index);
    cases_.push_back(row);
    caseColumn_->addWidget(row);
    connect(row, &CaseRow::renamed, this,
            [this, index](const QString& name) { emit textWanted(withCaseName(document_, index, name)); });
    connect(row, &CaseRow::setWanted, this, [this, index, row] {
        pick(row->setButton(), [this, index](const SweepableField& one) {
            emit textWanted(withCaseKey(document_, index, one.key, one.present));
            if (index < cases_.size()) focusValue(index, one.key);
        });
    });
    connect(row, &CaseRow::valueEdited, this, [this, index](const QStringList& path, const QString& toml) {
        emit textWanted(withCaseValue(document_, index, path, toml));
    });
    connect(row, &CaseRow::valueRemoved, this, [this, index](const QStringList& path) { removeValue(index, path); });
    connect(row, &CaseRow::lineFocused, this, &SweepCard::focusedLine);
    connect(row, &CaseRow::copyWanted, this, [this, index] {
        emit textWanted(withCopiedCase(document_, index));
        if (index + 1 < cases_.size()) cases_[index + 1]->name().setFocus(Qt::ShortcutFocusReason);
    });
    connect(
        row, &CaseRow::removeWanted, this, [this, index] { removeCase(index); }, Qt::QueuedConnection);
    connect(row, &CaseRow::focused, this, [this, row] {
        scroll_->ensureWidgetVisible(row, 0, 8);
        emit focusedLine(row->line());
    });
}

void SweepCard::pick(const QWidget& button, const std::function<void(const SweepableField&)>& take) {
    auto* picker = new FieldPicker(sweepableFields(document_, schema_), this);
    connect(picker, &FieldPicker::chosen, this, [this, take](const QString& key) {
        const auto fields = sweepableFields(document_, schema_);
        const auto found = std::ranges::find(fields, key, &SweepableField::key);
        if (found != fields.end()) take(*found);
    });
    picker->openAt(button);
}

void SweepCard::addField(const SweepableField& one) {
    const QString value = one.present.isEmpty() ? QStringLiteral("\"\"") : one.present;
    emit textWanted(withSweep(document_, one.key, {value}, schema_));
    focusKey(one.key);
}

void SweepCard::sweepField(const QString& key) {
    if (focusKey(key)) return;
    const auto fields = sweepableFields(document_, schema_);
    const auto found = std::ranges::find(fields, key, &SweepableField::key);
    if (found != fields.end()) addField(*found);
}

void SweepCard::removeField(const QString& key) {
    const auto place = std::ranges::find(rows_, key, &SweepRow::key) - rows_.begin();
    emit textWanted(withoutSweep(document_, key));
    const auto next = std::min<std::ptrdiff_t>(place, std::ssize(rows_) - 1);
    focusKey(next >= 0 ? rows_[static_cast<std::size_t>(next)]->key() : QString());
}

void SweepCard::focusValue(std::size_t index, const QString& key) {
    for (CaseValueRow* row : cases_[index]->values()) {
        if (row->value().key() != key) continue;
        row->editor().setFocus(Qt::ShortcutFocusReason);
        row->editor().selectAll();
    }
}

void SweepCard::removeValue(std::size_t index, const QStringList& path) {
    if (index >= cases_.size()) return;
    const auto isIt = [&](const CaseValueRow* row) { return row->value().path == path; };
    const auto place = std::ranges::find_if(cases_[index]->values(), isIt) - cases_[index]->values().begin();
    emit textWanted(withoutCaseValue(document_, index, path));
    if (index >= cases_.size()) return;
    const auto& left = cases_[index]->values();
    if (left.empty()) return cases_[index]->setButton().setFocus(Qt::ShortcutFocusReason);
    left[std::min<std::size_t>(static_cast<std::size_t>(place), left.size() - 1)]->editor().setFocus(
        Qt::ShortcutFocusReason);
}

void SweepCard::removeCase(std::size_t index) {
    emit textWanted(withoutCase(document_, index));
    if (cases_.empty()) {
        addCase_->setFocus(Qt::ShortcutFocusReason);
    } else {
        cases_[std::min(index, cases_.size() - 1)]->name().setFocus(Qt::ShortcutFocusReason);
    }
}

bool SweepCard::focusKey(const QString& key) {
    const auto found = key.isEmpty() ? rows_.begin() : std::ranges::find(rows_, key, &SweepRow::key);
    if (found != rows_.end()) {
        (*found)->editor().setFocus(Qt::ShortcutFocusReason);
        (*found)->editor().selectAll();
        return true;
    }
    if (!key.isEmpty()) return false;
    addField_->setFocus(Qt::ShortcutFocusReason);
    return addField_->isEnabled();
}

void SweepCard::showSize(std::optional<qint64> planned, const QString& takes, const QString& source) {
    const bool known = !document_.isEmpty();
    for (QLabel* one : {size_, time_}) one->setVisible(known);
    basis_->setText(known ? source : QString());
    setLow(low_);
    if (!known) return;
    size_->setText(sweepSize(document_).inWords(planned));
    time_->setText(tr("takes: %1").arg(takes.isEmpty() ? tr("not known before the dry run") : takes));
}

void SweepCard::showForecast(const std::vector<SweepLine>& lines) { table_->showLines(lines); }

void SweepCard::setLow(bool low) {
    low_ = low;
    time_->setToolTip(asTip(basis_->text()));
    basis_->setVisible(!low && !basis_->text().isEmpty());
}

}  // namespace dasgd::gui
