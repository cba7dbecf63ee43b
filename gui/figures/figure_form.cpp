#include "gui/figures/figure_form.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonObject>
#include <QLineEdit>
#include <QVBoxLayout>

#include "gui/experiment/form/field_row.h"
#include "gui/figures/figure_fields.h"
#include "gui/figures/kind_checks.h"
#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

namespace {

constexpr int kFigureLabelWidth = 84;

void describe(QLineEdit& name, const QString& usual) {
    name.setPlaceholderText(usual);
    name.setAccessibleName(FigureForm::tr("Name of %1").arg(usual));
    name.setToolTip(asTip(FigureForm::tr("Printed instead of %1").arg(usual)));
}

}  // namespace

struct FigureForm::Row {
    FigureField field;
    QWidget* box = nullptr;
    QLineEdit* line = nullptr;
    QComboBox* choice = nullptr;
    QCheckBox* flag = nullptr;
    KindChecks* kinds = nullptr;
    QLabel* problem = nullptr;
    [[nodiscard]] QString key() const { return QLatin1String(field.key); }
    [[nodiscard]] QWidget* editor() const {
        if (kinds) return kinds;
        return line ? static_cast<QWidget*>(line) : choice ? static_cast<QWidget*>(choice) : flag;
    }
};

FigureForm::FigureForm(const Look& look, QWidget* parent)
    : QWidget(parent), look_(look), column_(new QVBoxLayout(this)) {
    column_->setContentsMargins(0, 0, 0, 0);
    column_->setSpacing(5);
}

// Makes the editors when the first figure is shown, so that a page without a figure opens quickly.
void FigureForm::fill() {
    if (curvesBox_) return;
    for (const FigureField& field : figureFields()) {
        if (field.head) addHead(tr(field.head));
        auto row = std::make_unique<Row>();
        row->field = field;
        addRow(std::move(row));
    }
    curvesBox_ = new QWidget;
    curvesColumn_ = new QVBoxLayout(curvesBox_);
    curvesColumn_->setContentsMargins(0, 6, 0, 0);
    curvesColumn_->setSpacing(5);
    column_->addWidget(curvesBox_);
    column_->addStretch();
}

FigureForm::~FigureForm() = default;

void FigureForm::addHead(const QString& title) {
    QLabel* head = makeLabel(title, "head");
    head->setContentsMargins(0, rows_.empty() ? 0 : 8, 0, 2);
    column_->addWidget(head);
    if (!pageHead_) pageHead_ = head;
}

void FigureForm::addRow(std::unique_ptr<Row> row) {
    row->box = new QWidget;
    auto* column = new QVBoxLayout(row->box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* line = new QHBoxLayout;
    line->setSpacing(6);
    QLabel* label = makeLabel(tr(row->field.label), "muted");
    label->setFixedWidth(kFigureLabelWidth);
    line->addWidget(label);
    makeEditor(*row);
    line->addWidget(row->editor(), 1);
    column->addLayout(line);
    column->addWidget(row->problem = makeLabel({}, "bad"));
    row->problem->setWordWrap(true);
    row->problem->hide();
    row->editor()->setAccessibleName(tr(row->field.label));
    row->editor()->setToolTip(asTip(tr(row->field.help)));
    label->setBuddy(row->editor());
    column_->addWidget(row->box);
    rows_.push_back(std::move(row));
}

void FigureForm::makeEditor(Row& row) {
    const auto taken = [this, &row] { take(row); };
    switch (row.field.editing) {
        case Editing::Flag:
            row.flag = new QCheckBox;
            connect(row.flag, &QCheckBox::clicked, this, taken);
            break;
        case Editing::Kinds:
            row.kinds = new KindChecks;
            connect(row.kinds, &KindChecks::changed, this, taken);
            break;
        case Editing::Word:
        case Editing::Auto:
        case Editing::Suggested:
            row.choice = new FieldChoice(look_, row.field.editing == Editing::Auto
                                                    ? QStringList{tr("as in the window"), tr("linear"), tr("log")}
                                                : row.field.editing == Editing::Word ? wordsFor(row.key())
                                                                                     : usualMetrics());
            row.choice->setEditable(row.field.editing == Editing::Suggested);
            for (int i = 0; row.field.editing == Editing::Word && i < row.choice->count(); ++i) {
                row.choice->setItemData(i, row.choice->itemText(i));
                row.choice->setItemText(i, shownWord(row.key(), row.choice->itemText(i)));
            }
            connect(row.choice, &QComboBox::textActivated, this, taken);
            if (row.choice->lineEdit()) connect(row.choice->lineEdit(), &QLineEdit::editingFinished, this, taken);
            break;
        default:
            row.line = new QLineEdit;
            row.line->setProperty("field", true);
            connect(row.line, &QLineEdit::textEdited, this, taken);
    }
}

void FigureForm::show(const FigureSpec& spec) {
    fill();
    spec_ = spec;
    const QJsonObject object = jsonOf(spec);
    for (const auto& row : rows_) showRow(*row, object);
    arrange();
    for (QLineEdit* name : curvesBox_->findChildren<QLineEdit*>()) {
        const QString of = name->property("key").toString();
        const auto chosen = spec_.names.find(of);
        const QString text = chosen == spec_.names.end() ? QString() : chosen->second;
        if (name->text() != text) name->setText(text);
    }
}

void FigureForm::setPanel(bool panel) { panel_ = panel; }

void FigureForm::showRow(Row& row, const QJsonObject& object) {
    const QJsonValue value = object[row.key()];
    if (row.flag) return row.flag->setChecked(value.toBool());
    if (row.kinds) return row.kinds->setHidden(spec_.hiddenKinds);
    if (row.field.editing == Editing::Auto)
        return row.choice->setCurrentIndex(value.isUndefined() ? 0 : value.toBool() ? 2 : 1);
    const QString text = textOfValue(value);
    if (row.field.editing == Editing::Word) return row.choice->setCurrentIndex(row.choice->findData(text));
    if (row.choice) {
        if (row.choice->currentText() != text) row.choice->setCurrentText(text);
        return;
    }
    const QJsonValue typed = typedValue(row.field.editing, row.line->text());
    const bool same = typed == value || (typed.isNull() && value.isUndefined());
    if (!same) {
        row.line->setText(text);
        row.line->setCursorPosition(0);
    }
    if (row.key() == QLatin1String("width_in"))
        row.line->setPlaceholderText(QString::number(spec_.inchesWide(), 'f', 2));
    if (!same) {
        row.problem->hide();
        row.problem->clear();
    }
}

void FigureForm::take(Row& row) {
    FigureSpec before = spec_;
    // Filter and ids of runs exclude each other: typing into one clears the other.
    if (row.key() == QLatin1String("filter") && !row.line->text().isEmpty()) before.runs.clear();
    if (row.key() == QLatin1String("runs") && !row.line->text().isEmpty()) before.filter.clear();
    QJsonObject object = jsonOf(before);
    if (row.key() == QLatin1String("kind")) {
        before.kind = static_cast<FigureKind>(std::max(0, row.choice->currentIndex()));
        object = jsonOf(before);
    } else if (row.flag) {
        object[row.key()] = row.flag->isChecked();
    } else if (row.kinds) {
        object[row.key()] = QJsonArray::fromStringList(row.kinds->hidden());
    } else if (row.field.editing == Editing::Auto) {
        const int chosen = row.choice->currentIndex();
        object[row.key()] = chosen == 0 ? QJsonValue(QJsonValue::Null) : QJsonValue(chosen == 2);
    } else {
        const bool word = row.field.editing == Editing::Word;
        object[row.key()] = typedValue(row.field.editing, row.line ? row.line->text()
                                                          : word   ? row.choice->currentData().toString()
                                                                   : row.choice->currentText());
    }
    const auto spec = figureSpecOf(object);
    const QString problem = spec ? QString() : QString::fromStdString(spec.error().message);
    row.problem->setText(problem);
    row.problem->setVisible(!problem.isEmpty());
    if (!spec || *spec == spec_) return;
    show(*spec);
    emit changed(spec_);
}

void FigureForm::takeName(const QString& key, const QString& name) {
    if (name.isEmpty()) {
        spec_.names.erase(key);
    } else {
        spec_.names[key] = name;
    }
    emit changed(spec_);
}

void FigureForm::setCurves(const std::vector<NamedCurve>& curves) {
    if (curves == curves_) return;
    fill();
    const bool same = std::equal(curves.begin(), curves.end(), curves_.begin(), curves_.end(),
                                 [](const NamedCurve& a, const NamedCurve& b) { return a.key == b.key; });
    curves_ = curves;
    if (same) return relabelCurves();
    qDeleteAll(curvesBox_->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly));
    if (!curves.empty()) curvesColumn_->addWidget(makeLabel(tr("Names of curves"), "head"));
    for (const NamedCurve& curve : curves) {
        auto* box = new QWidget;
        auto* row = new QHBoxLayout(box);
        row->setContentsMargins(0, 0, 0, 0);
        auto* name = new QLineEdit;
        name->setProperty("field", true);
        name->setProperty("key", curve.key);
        describe(*name, curve.usualName);
        const auto chosen = spec_.names.find(curve.key);
        if (chosen != spec_.names.end()) name->setText(chosen->second);
        connect(name, &QLineEdit::textEdited, this,
                [this, key = curve.key](const QString& text) { takeName(key, text); });
        row->addWidget(name, 1);
        row->addWidget(makeLabel(curve.count, "small"));
        curvesColumn_->addWidget(box);
    }
}

// Changes the labels and keeps the editors, since the user may be typing in one.
void FigureForm::relabelCurves() {
    const auto names = curvesBox_->findChildren<QLineEdit*>();
    for (qsizetype i = 0; i < names.size(); ++i) {
        const NamedCurve& curve = curves_[static_cast<std::size_t>(i)];
        describe(*names[i], curve.usualName);
        if (auto* count = names[i]->parentWidget()->findChild<QLabel*>()) count->setText(curve.count);
    }
}

void FigureForm::commit() {
    for (const auto& row : rows_) {
        if (row->choice && row->choice->lineEdit() && row->choice->lineEdit()->hasFocus()) take(*row);
    }
}

void FigureForm::arrange() {
    static const QStringList kOfThePage{QStringLiteral("venue"),    QStringLiteral("width"),
                                        QStringLiteral("width_in"), QStringLiteral("caption"),
                                        QStringLiteral("label_pt"), QStringLiteral("tick_pt")};
    pageHead_->setVisible(!panel_);
    for (const auto& row : rows_) {
        const bool own = !panel_ || !kOfThePage.contains(row->key());
        row->box->setVisible(own && row->field.isOf(spec_.kind));
    }
    curvesBox_->setVisible((spec_.kind != FigureKind::Timeline || spec_.eachRun) && spec_.kind != FigureKind::Map &&
                           spec_.kind != FigureKind::Graph);
}

QWidget* FigureForm::editor(const QString& key) const {
    for (const auto& row : rows_) {
        if (row->key() == key) return row->editor();
    }
    return nullptr;
}

QString FigureForm::problemOf(const QString& key) const {
    for (const auto& row : rows_) {
        if (row->key() == key) return row->problem->text();
    }
    return {};
}

}  // namespace dasgd::gui
