// The sweep of an experiment as rows of a form: which keys [sweep] names and with which values, and the text with one
// of them changed. Everything else in the text stays, comments between the values of an array too. Pure; any thread.
#pragma once

#include <QString>
#include <vector>

#include "core/base/result.h"
#include "gui/models/experiment/experiment_document.h"

namespace dasgd::gui {

// Longer ranges belong on the command line: in the text each number is written out.
inline constexpr qint64 kLongestRange = 1000;

struct SweptField {
    QString key;     // "algorithm.delay"; whole sections too: "algorithm"
    QString values;  // "1, 2, 4": the array without brackets, its comments and the quotes that its type implies
    qint64 count = 0;
    int line = 0;
    // Null where the schema has no such key for the plug-ins in use.
    const FieldInfo* field = nullptr;
};

// A field that can be swept, of the plug-ins that the text uses.
struct SweepableField {
    QString key;
    const FieldInfo* field = nullptr;  // of the schema that was given
    QString present;                   // what the text says, else the default, in TOML
};

// Those of the root's [sweep], in the order of the text: seeds turn slowest, of the others the last fastest. None where
// the text is no TOML.
[[nodiscard]] std::vector<SweptField> sweptFields(const ExperimentDocument& document, const ExperimentSchema& schema);
// Every leaf field that is not swept yet, in the order of the schema.
[[nodiscard]] std::vector<SweepableField> sweepableFields(const ExperimentDocument& document,
                                                          const ExperimentSchema& schema);

// "1, 2, 4", "1..5" (both ends belong to it), "dasgd, local_sgd" as the elements of an array, in TOML. `field`: null
// where it is not known. Errors, to be shown under the row: no value at all; a range that falls or is too long.
[[nodiscard]] Result<QStringList> sweepValues(const QString& written, const FieldInfo* field);

// The same of a single value; what begins with a bracket or a brace is TOML as it stands. Errors: none, or several.
[[nodiscard]] Result<QString> singleValue(const QString& written, const FieldInfo* field);
// As a person would write it: without the quotes that follow from the type.
[[nodiscard]] QString asWritten(const QString& toml, const FieldInfo* field);
// Of the plug-in in use, else of any that has it: a case may choose another. Null where there is none; of `schema`.
[[nodiscard]] const FieldInfo* fieldOfKey(const ExperimentDocument& document, const ExperimentSchema& schema,
                                          const QString& key);

// The text with `key` swept over `values`, in TOML. Of an array that is there already the values that stay are not
// touched, nor what stands between them. [sweep] is put behind the sections and before the cases.
[[nodiscard]] QString withSweep(const ExperimentDocument& document, const QString& key, const QStringList& values,
                                const ExperimentSchema& schema);
// The text without this row; [sweep] goes with its last one, unless a comment stands under it.
[[nodiscard]] QString withoutSweep(const ExperimentDocument& document, const QString& key);

}  // namespace dasgd::gui
