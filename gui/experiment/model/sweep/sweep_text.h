// The sweep of an experiment as rows of a form: the keys in [sweep] with their values, and edited copies of the text.
// An edit leaves the rest of the text as it is, comments between the values of an array included. Pure; any thread.
#pragma once

#include <QString>
#include <vector>

#include "core/base/result.h"
#include "gui/experiment/model/document/experiment_document.h"

namespace dasgd::gui {

// Longer ranges belong on the command line, as in the text each number is written out.
inline constexpr qint64 kLongestRange = 1000;

struct SweptField {
    QString key;     // "algorithm.delay"; also whole sections: "algorithm"
    QString values;  // "1, 2, 4": the array without brackets, comments, and quotes implied by the type
    qint64 count = 0;
    int line = 0;
    // Null if the schema has no such key for the plug-ins in use.
    const FieldInfo* field = nullptr;
};

// A field that can be swept, for the plug-ins that the text uses.
struct SweepableField {
    QString key;
    const FieldInfo* field = nullptr;  // points into the given schema
    QString present;                   // value in the text, else the default, in TOML
};

// The rows of the root's [sweep], in the order of the text: seeds vary slowest, of the others the last fastest. Empty
// if the text is no TOML.
[[nodiscard]] std::vector<SweptField> sweptFields(const ExperimentDocument& document, const ExperimentSchema& schema);
// All leaf fields that are not swept yet, in the order of the schema.
[[nodiscard]] std::vector<SweepableField> sweepableFields(const ExperimentDocument& document,
                                                          const ExperimentSchema& schema);

// Parses "1, 2, 4", "1..5" (ends included) or "dasgd, local_sgd" into array elements in TOML. `field`: null if not
// known. Errors, shown below the row: no value; a range that falls or is too long.
[[nodiscard]] Result<QStringList> sweepValues(const QString& written, const FieldInfo* field);

// Like sweepValues(), for one value; text that begins with a bracket or a brace is taken as TOML. Errors: none, or
// several.
[[nodiscard]] Result<QString> singleValue(const QString& written, const FieldInfo* field);
// The value as users type it: without quotes that the type implies.
[[nodiscard]] QString asWritten(const QString& toml, const FieldInfo* field);
// The field of the plug-in in use, else of any plug-in that has it, as a case may choose another. Null if there is
// none; points into `schema`.
[[nodiscard]] const FieldInfo* fieldOfKey(const ExperimentDocument& document, const ExperimentSchema& schema,
                                          const QString& key);

// The text with `key` swept over `values`, in TOML. In an existing array, kept values and the text between them are not
// touched. A new [sweep] is put after the sections and before the cases.
[[nodiscard]] QString withSweep(const ExperimentDocument& document, const QString& key, const QStringList& values,
                                const ExperimentSchema& schema);
// The text without this row; [sweep] is removed with its last row, unless a comment stands under it.
[[nodiscard]] QString withoutSweep(const ExperimentDocument& document, const QString& key);

}  // namespace dasgd::gui
