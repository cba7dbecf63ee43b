// The fields of a figure's form: the kinds of figure that have them, and the conversion of typed text to a file's JSON.
#pragma once

#include <QJsonValue>
#include <QString>
#include <QStringList>
#include <span>

#include "gui/figures/model/figure_spec.h"

namespace dasgd::gui {

enum class Editing { Word, Auto, Text, List, Number, Numbers, Range, Flag, Suggested, Kinds };

struct FigureField {
    const char* key;
    const char* label;
    Editing editing;
    const char* help;
    // One letter for each kind of figure that has the field: (c)urves, (t)imeline, (s)caling, (b)ars, (m)ap, (p)oints,
    // (o)ver a setting, g(r)aph, (g)rid.
    const char* kinds;
    const char* head = nullptr;  // title of the section that begins here; null within a section
    [[nodiscard]] bool isOf(FigureKind kind) const;
};

// All fields in the order of the form.
[[nodiscard]] std::span<const FigureField> figureFields();
// The possible values of a field of words; empty for other fields.
[[nodiscard]] QStringList wordsFor(const QString& key);
// The text that the form shows for a word of the file.
[[nodiscard]] QString shownWord(const QString& key, const QString& word);
// Metrics that the form offers; others can be typed.
[[nodiscard]] QStringList usualMetrics();
// Typed text as a JSON value. Text that is no number stays text, so that the check of files refuses it. Null removes
// the field.
[[nodiscard]] QJsonValue typedValue(Editing editing, const QString& typed);
// Text of the form for a JSON value: the inverse of typedValue().
[[nodiscard]] QString textOfValue(const QJsonValue& value);

}  // namespace dasgd::gui
