#include "gui/forms/figure_form.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QJsonObject>
#include <QLineEdit>
#include <QLocale>
#include <QRegularExpression>
#include <QVBoxLayout>

#include "core/base/metric_names.h"
#include "gui/forms/field_row.h"
#include "gui/forms/kind_checks.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

namespace {

constexpr int kFigureLabelWidth = 84;

enum class Editing { Word, Auto, Text, List, Number, Range, Flag, Suggested, Kinds };

struct FormField {
    const char* key;
    const char* label;
    Editing editing;
    const char* help;
    const char* kinds;  // of those that have it: (c)urves, (t)imeline, (s)caling, (b)ars, (m)ap, (p)oints, (g)rid
    const char* head = nullptr;  // begins a section
};

constexpr FormField kFields[] = {
    {"venue", "venue", Editing::Word, "Sets width and size of text", "ctsbmpg", "Venue"},
    {"width", "width", Editing::Word, "Of a venue with one column, column is half of it", "ctsbmpg"},
    {"width_in", "inches", Editing::Number, "Instead of the venue's width; empty for that", "ctsbmpg"},
    {"height_in", "height", Editing::Number, "In inches; more rows of the legend make the figure higher", "csp"},
    {"kind", "kind", Editing::Word,
     "Curves over time, the overlap timeline, scaling over workers, or a number of each configuration", "ctsbmp",
     "What"},
    {"title", "title", Editing::Text, "In the list; not printed", "ctsbmpg"},
    {"filter", "filter", Editing::Text, "Runs, as on the Runs page: experiment = delay-sweep and delay >= 3", "ctsbmp"},
    {"runs", "or runs", Editing::List, "Ids, with commas between them; instead of a filter", "ctsbmp"},
    {"metric", "metric", Editing::Suggested, "Any recorded metric", "c"},
    {"x", "x axis", Editing::Word, "What the metric is drawn over", "c"},
    {"log_y", "y axis", Editing::Auto, "Linear, logarithmic, or as in the window", "c"},
    {"smoothing", "smoothing", Editing::Number, "Weight of the moving average of each run; 0 for none", "c"},
    {"band", "band", Editing::Word, "Around the mean over seeds", "cbm"},
    {"scaling", "scaling", Editing::Word, "Weak: the batch of each worker stays the same", "s"},
    {"plot", "plot", Editing::Word, "Over the number of workers", "s"},
    {"number", "number", Editing::Word, "What each configuration or run ended with", "bmp"},
    {"against", "along x", Editing::Word, "The other number of each run", "p"},
    {"rows", "rows", Editing::Text, "A setting, as algorithm.period; both empty: two that were swept", "m"},
    {"columns", "columns", Editing::Text, "A setting, as algorithm.delay; both empty: two that were swept", "m"},
    {"target", "target", Editing::Text, "accuracy=0.97 or loss=0.1", "sbmp"},
    {"window_s", "window", Editing::Range, "Seconds of the run, as 12, 12.6; empty: a dozen steps", "t"},
    {"rank_rows", "ranks", Editing::Text,
     "Which, in which order: 12, 0-7, [8-255] for the others in one row; empty: the first ones", "t"},
    {"ranks", "at most", Editing::Number, "Ranks that are drawn where none are chosen", "t"},
    {"hidden_kinds", "kinds", Editing::Kinds, "Which kinds of spans are drawn", "t"},
    {"x_range", "x from, to", Editing::Range, "As 0, 100; empty for all", "csp"},
    {"y_range", "y from, to", Editing::Range, "As 0, 100; empty for all", "csp"},
    {"caption", "caption", Editing::Text, "Under the preview, to judge its length", "ctsbmpg"},
    {"across", "across", Editing::Number, "Panels beside each other, 1 to 4; none gets narrower than 2 in", "g"},
    {"palette", "palette", Editing::Word, "Both are made for people who do not see all colours", "csbp", "Style"},
    {"dashes", "dashes", Editing::Flag, "Each configuration has a dash of its own", "cs"},
    {"markers", "markers", Editing::Flag, "Each configuration has a marker of its own", "cs"},
};

QStringList wordsFor(const QString& key) {
    if (key == QLatin1String("venue")) return venueIds();
    if (key == QLatin1String("width")) return {QStringLiteral("column"), QStringLiteral("full")};
    if (key == QLatin1String("kind")) return kindWords().mid(0, static_cast<int>(FigureKind::Panels));
    if (key == QLatin1String("x")) return axisWords();
    if (key == QLatin1String("band")) return bandWords();
    if (key == QLatin1String("palette")) return paletteWords();
    if (key == QLatin1String("scaling")) return {QStringLiteral("weak"), QStringLiteral("strong")};
    if (key == QLatin1String("plot")) return scalingPlotWords();
    if (key == QLatin1String("number") || key == QLatin1String("against")) return numberWords();
    return {};
}

// A word of the file as it is shown.
QString shownWord(const QString& key, const QString& word) {
    if (const Venue* venue = findVenue(word); venue && key == QLatin1String("venue"))
        return QLatin1String(venue->title);
    if (word == QLatin1String("okabe-ito")) return QStringLiteral("Okabe-Ito");
    if (word == QLatin1String("tol-bright")) return QStringLiteral("Tol, bright");
    if (word == QLatin1String("std")) return QStringLiteral("± standard deviation");
    if (word == QLatin1String("interval-95")) return QStringLiteral("95 % interval");
    if (word == QLatin1String("wall")) return QStringLiteral("wall time");
    if (word == QLatin1String("bytes")) return QStringLiteral("bytes sent");
    QString shown = word;
    return shown.replace(QLatin1Char('-'), QLatin1Char(' '));
}

QStringList usualMetrics() {
    QStringList names;
    for (const char* name : {metrics::kEvalAccuracy, metrics::kTrainLoss, metrics::kEvalLoss, metrics::kSamplesPerS,
                             metrics::kTrainStepMs, metrics::kConsensusDistance}) {
        names << QLatin1String(name);
    }
    return names;
}

// What was typed as the value of a file; what is no number stays a text and is refused as such. Null takes it away.
QJsonValue typedValue(Editing editing, const QString& typed) {
    const QString text = typed.trimmed();
    if (editing == Editing::Text || editing == Editing::Word || editing == Editing::Suggested) return typed;
    if (editing == Editing::List) {
        QJsonArray list;
        for (const QString& one : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) list.append(one.trimmed());
        return list;
    }
    if (text.isEmpty()) return QJsonValue::Null;
    bool isNumber = false;
    if (editing == Editing::Number) {
        const double number = text.toDouble(&isNumber);
        return isNumber ? QJsonValue(number) : QJsonValue(text);
    }
    static const QRegularExpression kBetween(QStringLiteral("\\s*[,–;]\\s*|\\s+"));
    const QStringList parts = text.split(kBetween, Qt::SkipEmptyParts);
    bool isLow = false, isHigh = false;
    const double low = parts.value(0).toDouble(&isLow), high = parts.value(1).toDouble(&isHigh);
    if (parts.size() != 2 || !isLow || !isHigh) return text;
    return QJsonArray{low, high};
}

void describe(QLineEdit& name, const QString& usual) {
    name.setPlaceholderText(usual);
    name.setAccessibleName(FigureForm::tr("Name of %1").arg(usual));
    name.setToolTip(asTip(FigureForm::tr("Printed instead of %1").arg(usual)));
}

QString textOfValue(const QJsonValue& value) {
    if (value.isDouble()) return QString::number(value.toDouble(), 'g', QLocale::FloatingPointShortest);
    if (value.isString()) return value.toString();
    QStringList parts;
    for (const QJsonValue& one : value.toArray()) parts << textOfValue(one);
    return parts.join(QStringLiteral(", "));
}

}  // namespace

struct FigureForm::Row {
    FormField field;
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
    for (const FormField& field : kFields) {
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
    arrange();
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
    // The two ways to choose runs exclude each other: the one that is typed into counts.
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

// The editors stay: one may be typed in.
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
    static const QStringList kOfThePage{QStringLiteral("venue"), QStringLiteral("width"), QStringLiteral("width_in"),
                                        QStringLiteral("caption")};
    const QChar kind = QStringLiteral("ctsbmpg")[static_cast<int>(spec_.kind)];
    pageHead_->setVisible(!panel_);
    for (const auto& row : rows_) {
        const bool own = !panel_ || !kOfThePage.contains(row->key());
        row->box->setVisible(own && QLatin1String(row->field.kinds).contains(kind));
    }
    curvesBox_->setVisible(spec_.kind != FigureKind::Timeline && spec_.kind != FigureKind::Map);
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
