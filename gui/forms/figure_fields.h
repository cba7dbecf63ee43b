// The fields of a figure's form: which kinds of figures have them, and what is typed into them as the JSON of a file.
#pragma once

#include <QJsonValue>
#include <QString>
#include <QStringList>
#include <span>

#include "gui/models/figures/figure_spec.h"

namespace dasgd::gui {

enum class Editing { Word, Auto, Text, List, Number, Range, Ranges, Flag, Suggested, Kinds };

struct FigureField {
    const char* key;
    const char* label;
    Editing editing;
    const char* help;
    // Of those that have it: (c)urves, (t)imeline, (s)caling, (b)ars, (m)ap, (p)oints, para(l)lel, (g)rid.
    const char* kinds;
    const char* head = nullptr;  // begins a section
    [[nodiscard]] bool isOf(FigureKind kind) const;
};

// In the order of the form.
[[nodiscard]] std::span<const FigureField> figureFields();
// The values of a field of words; none of others.
[[nodiscard]] QStringList wordsFor(const QString& key);
// A word of the file as it is shown.
[[nodiscard]] QString shownWord(const QString& key, const QString& word);
// Metrics to choose from; others can be typed.
[[nodiscard]] QStringList usualMetrics();
// What was typed as the value of a file; what is no number stays a text and is refused as such. Null takes it away.
[[nodiscard]] QJsonValue typedValue(Editing editing, const QString& typed);
// The other way round.
[[nodiscard]] QString textOfValue(const QJsonValue& value);

}  // namespace dasgd::gui
